// What Slack would never send, and what strangers make it send: nothing of it costs long, names the wrong person or has a
// kind that cannot be stored.
import assert from "node:assert/strict";
import { it } from "node:test";
import { type App, saidIn, toInboundEvent } from "../../channels/slack/inbound.ts";
import { bodyOf, messageOf } from "../../channels/slack/shape.ts";
import { withoutMention } from "../../channels/slack/text.ts";
import type { InboundEvent } from "../../src/core/events.ts";

const ts = "1760000000.000100";
const app: App = {
  me: { team: "T1", user: "UBOT", bot: "BBOT" },
  replies: "thread",
  nameOf: () => undefined,
  dmOf: () => undefined,
  now: () => 1_760_000_009_000,
};
const grid: App = { ...app, me: { ...app.me, enterprise: "E1" } };
const read = (body: unknown, as = app) => toInboundEvent(bodyOf(body), as);

const said = {
  ...{ type: "message", channel: "C1", channel_type: "channel", user: "UANA", ts, event_ts: ts },
  ...{ text: "<@UBOT> hello", thread_ts: "1760000000.000001", parent_user_id: "UBOT" },
  ...{ team: "T1", user_team: "T1", source_team: "T1", hidden: false, subtype: "file_share" },
  files: [{ id: "F1", name: "a", title: "b", mimetype: "text/plain", size: 3, mode: "hosted" }],
  attachments: [{ is_share: true, author_id: "UBEN", author_name: "Ben", text: "x" }],
};
const edit = { edited: { user: "UANA", ts: "1760000004.000000" } };
const envelope = {
  ...{ type: "event_callback", team_id: "T1", enterprise_id: "E9", is_ext_shared_channel: false },
  ...{ context_team_id: "T1", event_id: "Ev1" },
  authorizations: [{ team_id: "T1", enterprise_id: null }],
};
const bodies: object[] = [
  { ...envelope, event: said },
  {
    ...envelope,
    event: {
      ...{ type: "message", subtype: "message_changed", channel: "C1", ts },
      message: { ...said, ...edit, text: "new" },
      previous_message: said,
    },
  },
  { ...envelope, event: { ...said, type: "app_mention" } },
  { ...envelope, event: { type: "app_home_opened", user: "UANA", tab: "home", event_ts: ts } },
  {
    ...envelope,
    event: {
      ...{ type: "member_joined_channel", user: "UBOT", channel: "C1", inviter: "UANA" },
      ...{ event_ts: ts, team: "T1" },
    },
  },
  {
    ...envelope,
    event: {
      ...{ type: "channel_id_changed", old_channel_id: "C1", new_channel_id: "C2", event_ts: ts },
    },
  },
  {
    type: "block_actions",
    user: { id: "UANA", name: "ana", team_id: "T1" },
    team: { id: "T1" },
    enterprise: { id: "E9" },
    channel: { id: "C1" },
    container: { type: "message", message_ts: ts, channel_id: "C1", thread_ts: ts },
    message: { ts, thread_ts: ts },
    response_url: "https://hooks.slack.com/actions/1",
    actions: [{ type: "button", value: "opaque", action_ts: ts }],
  },
  {
    ...{ command: "/sallyport", text: "tasks", team_id: "T1", user_id: "UANA", user_name: "ana" },
    ...{ channel_id: "C1", channel_name: "work", trigger_id: "1.2.3", response_url: "https://x" },
  },
];
const wrong: unknown[] = [
  ...[undefined, null, 0, -1, 1e308, true, "", "x", "__proto__", "9".repeat(30), "soon", {}],
  ...[[], ["UANA"], [null], [[{}]], { id: {} }, { toString: 1 }, { length: 7 }, "\u0000\uD83D"],
];

/** Each field of a body, once for each wrong value. */
function* broken(value: unknown): Generator<unknown> {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    const put = (field: unknown) =>
      Array.isArray(value)
        ? value.map((one, at) => (String(at) === key ? field : one))
        : { ...value, [key]: field };
    for (const field of wrong) yield put(field);
    for (const field of broken((value as Record<string, unknown>)[key])) yield put(field);
  }
}

type Kinds = Readonly<Record<string, string>>;
const kinds: Kinds = {
  ...{ at: "number", size: "number", addressed: "boolean", ours: "boolean", files: "array" },
  ...{ chat: "object", sender: "object", message: "object", quote: "object", edited: "object" },
};

/** `message.chat` is an id, `event.chat` a chat. */
function checkKinds(value: object, path = ""): void {
  for (const [name, field] of Object.entries(value)) {
    const at = `${path}.${name}`;
    const isRef = name === "chat" && path !== "";
    const isPress = name === "press";
    const wanted = isRef ? "string" : isPress ? "object" : (kinds[name] ?? "string");
    const found = Array.isArray(field) ? "array" : typeof field;
    assert.equal(found, wanted, at);
    if (wanted === "number") assert.ok(Number.isSafeInteger(field), `${at} ${field}`);
    if (wanted === "array") for (const one of field as object[]) checkKinds(one, at);
    if (wanted === "object") checkKinds(field as object, at);
  }
}

function readOrSkip(body: unknown, as = app): InboundEvent | null {
  try {
    return read(body, as);
  } catch (error) {
    assert.match((error as Error).message, /^(a ts is not one|an event without its content)$/);
    return null;
  }
}

it("makes of a broken body an event whose fields can be stored, or none, and never another person", () => {
  let tried = 0;
  for (const body of bodies) {
    const whole = readOrSkip(body);
    assert.ok(whole);
    checkKinds(whole);
    for (const one of broken(body)) {
      const event = readOrSkip(one);
      tried += 1;
      if (!event) continue;
      checkKinds(event);
      const [, user = ""] = event.sender.account.split(":");
      assert.ok(typeof user === "string" && !user.includes("object"), event.sender.account);
    }
  }
  assert.ok(tried > 1500, `${tried}`);
});

it("loses no message over a field that is null, of another kind, or not to be expected", () => {
  const nulls = { text: null, bot_id: null, thread_ts: null, user_team: null, source_team: null };
  const more = { edited: null, attachments: null, hidden: null, subtype: null, blocks: 7 };
  const event = read({
    ...envelope,
    event: { ...said, ...nulls, ...more, files: [null, 7, { id: "F1", size: "3", name: null }] },
  });
  assert.ok(event?.kind === "message");
  assert.deepEqual(event.files, [{ id: "F1", name: "F1", mime: "application/octet-stream" }]);
  assert.equal(messageOf({ ...said, text: null, files: {} }).files, undefined);
  const deep = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`);
  const blocks = Array.from({ length: 5000 }, () => ({ type: "section", text: { type: "x" } }));
  const huge = { ...said, blocks, deep, __proto__x: deep };
  assert.deepEqual(read({ ...envelope, event: huge }), read({ ...envelope, event: said }));
  const polluted = JSON.parse(
    '{"type":"event_callback","__proto__":{"team_id":"T1"},"event":{"__proto__":{"user":"UANA"}}}',
  );
  assert.equal(read(polluted), null);
});

it("hears nothing of other workspaces that the app is installed in, where the same id is another person", () => {
  const of = (fields: object, event: object = {}, as = app) =>
    read({ type: "event_callback", ...fields, event: { ...said, ...other, ...event } }, as);
  const other = { team: "T2", user_team: undefined, source_team: undefined };
  assert.equal(of({ team_id: "T2" }), null);
  assert.equal(of({ team_id: "T2", authorizations: [{ team_id: "T2" }] }), null);
  assert.equal(of({ team_id: "T2", context_team_id: "T2", is_ext_shared_channel: false }), null);
  assert.equal(of({ team_id: "T2", enterprise_id: "E2" }, {}, grid), null);
  assert.equal(of({ team_id: "T1" })?.sender.account, "T2:UANA");
  const shared = { team_id: "T2", is_ext_shared_channel: true, context_team_id: "T1" };
  assert.equal(of(shared)?.sender.account, "T2:UANA");
  assert.equal(of(shared, { team: "T1" })?.sender.account, "T1:UANA");
  const sibling = { team_id: "T5", enterprise_id: "E1", is_ext_shared_channel: false };
  assert.equal(of(sibling, { team: "T5" }, grid)?.sender.account, "E1:UANA");
});

it("knows in what was missed who is of elsewhere, as in what is told", () => {
  const past = (shared: boolean, as: App, team: string) =>
    saidIn({ is_ext_shared_channel: shared }, { channel: "C1", user: "UANA", ts, team }, as)?.sender
      .account;
  assert.equal(past(true, app, "T2"), "T2:UANA");
  assert.equal(past(true, app, "T1"), "T1:UANA");
  assert.equal(past(false, grid, "T5"), "E1:UANA");
  assert.equal(past(true, grid, "T9"), "T9:UANA");
});

const units = [
  ...[
    "<",
    "&",
    "*",
    "`",
    "\n",
    " ",
    "\t",
    "\u200B",
    "\u00A0",
    "<@",
    "<@UBOT",
    "<@UBOT|",
    "<!",
    "|",
  ],
  ...["<@UBOT> ", "<@UBOT|x>,", "&amp;", "<http://a.b|", "!", "<<@UBOT>", "\u202E", "👨‍👩‍👧"],
];
it("reads 40,000 signs of any kind in no time", () => {
  for (const unit of units) {
    const long = unit.repeat(40_000 / unit.length);
    const started = performance.now();
    for (const text of [long, `a${long}b`, `<@UBOT>${long}x<@UBOT>`])
      read({ ...envelope, event: { ...said, text } });
    const took = performance.now() - started;
    assert.ok(took < 500, `${JSON.stringify(unit)}: ${took} ms`);
  }
});

it("takes our name from the end and the start only", () => {
  const without = (text: string) => withoutMention(text, "UBOT");
  assert.equal(without("<@UBOT|x>, go <@UBOT> on \u200B<@UBOT>\n<@UBOT|y> "), "go <@UBOT> on");
  assert.equal(without("  a  "), "  a  ");
  assert.equal(without("a <@UBEN>"), "a <@UBEN>");
  assert.equal(without("a &lt;@UBOT&gt;"), "a &lt;@UBOT&gt;");
  assert.equal(without("<@UBOT>"), "");
});
