// Slack's events, actions and commands as it documents them, and the events they become.
import assert from "node:assert/strict";
import { it } from "node:test";
import { accountOf, readAccount } from "../../channels/slack/ids.ts";
import { type App, saidIn, toInboundEvent } from "../../channels/slack/inbound.ts";
import { readPress } from "../../channels/slack/press.ts";
import type { Body, Me, SlackEvent } from "../../channels/slack/wire.ts";
import type { InboundEvent, InboundMessage } from "../../src/core/events.ts";

const me: Me = { team: "T1", user: "UBOT", bot: "BBOT" };
const names: Record<string, string> = { UANA: "Ana", UBEN: "Ben" };
const app: App = {
  me,
  replies: "channel",
  nameOf: (id) => names[id],
  dmOf: () => undefined,
  now: () => 1_760_000_009_000,
};
const ts = "1760000000.000100";

function event(fields: SlackEvent & Record<string, unknown>, body = {}): Body {
  return { type: "event_callback", team_id: "T1", event: { type: "message", ...fields }, ...body };
}

function said(
  fields: Partial<SlackEvent> & Record<string, unknown>,
  { with: given = app, body = {} }: { with?: App; body?: object } = {},
): InboundMessage | null {
  const whole = { channel: "C1", user: "UANA", ts, text: "hello", ...fields };
  return toInboundEvent(event(whole, body), given) as InboundMessage | null;
}

it("reads a message whole", () => {
  assert.deepEqual(said({ channel: "D1", channel_type: "im", text: "do &lt;it&gt;" }), {
    kind: "message",
    key: `T1:D1:${ts}`,
    at: 1_760_000_000_000,
    chat: { id: "D1", kind: "direct" },
    sender: { account: "T1:UANA", name: "Ana" },
    message: { chat: "D1", id: ts },
    text: "do <it>",
    addressed: true,
    files: [],
  });
});

it("gives a mention and its message one key, whichever comes first", () => {
  const text = "<@UBOT> go";
  const mention = toInboundEvent(
    event({ type: "app_mention", channel: "C1", user: "UANA", ts, text }),
    app,
  );
  assert.deepEqual(mention, said({ text, channel_type: "channel" }));
});

it("is addressed by a mention and by a reply to its own message, and by nothing else", () => {
  const thread_ts = "1760000000.000001";
  const addressed = (fields: Partial<SlackEvent>) => said(fields)?.addressed;
  assert.equal(addressed({ text: "<@UBOT> x" }), true);
  assert.equal(addressed({ text: "well, <@UBOT|sallyport>?" }), true);
  assert.equal(addressed({ thread_ts, parent_user_id: "UBOT" }), true);
  assert.equal(addressed({ thread_ts, parent_user_id: "UBEN" }), false);
  assert.equal(addressed({ thread_ts: ts, parent_user_id: "UBOT" }), false);
  assert.equal(addressed({ text: "<@UBEN> x" }), false);
  assert.equal(addressed({ text: "UBOT &lt;@UBOT&gt;" }), false);
});

it("opens a thread for a mention at the top where that is wanted, and stays in one that is there", () => {
  const threads: App = { ...app, replies: "thread" };
  const text = "<@UBOT> x";
  const place = (fields: Partial<SlackEvent>) => said(fields, { with: threads })?.chat.thread;
  assert.equal(place({ text }), ts);
  assert.equal(place({ text, thread_ts: "1760000000.000001" }), "1760000000.000001");
  assert.equal(place({}), undefined);
  assert.equal(place({ text, channel: "D1" }), undefined);
});

const nobody: [string, Partial<SlackEvent>][] = [
  ["its own message", { user: "UBOT" }],
  ["an app's", { bot_id: "B2" }],
  ["an app's without a user", { subtype: "bot_message" }],
  ["Slack's own", { user: "USLACKBOT" }],
  ["a coming", { subtype: "channel_join" }],
  ["a topic", { subtype: "channel_topic" }],
  ["a deletion", { subtype: "message_deleted" }],
  ["a stone", { subtype: "tombstone", hidden: true }],
  ["an edit told as a mention", { type: "app_mention", edited: { ts } }],
];
for (const [what, fields] of nobody)
  it(`hears nothing in ${what}`, () => assert.equal(said(fields), null));

const changed = (message: object, previous_message?: object) =>
  toInboundEvent(
    event({
      subtype: "message_changed",
      channel: "C1",
      ts: "1760000005.000001",
      message: { user: "UANA", ts, text: "old", ...message },
      ...(previous_message
        ? { previous_message: { user: "UANA", ts, text: "old", ...previous_message } }
        : {}),
    }),
    app,
  );

it("tells of an edit, and not of a preview, a language, a reply count or an app's own change", () => {
  const edited = { user: "UANA", ts: "1760000004.000000" };
  const edit = changed({ text: "new", edited }, {}) as InboundMessage;
  assert.deepEqual(edit.edited, { key: `T1:C1:${ts}` });
  assert.deepEqual([edit.key, edit.text], [`T1:C1:${ts}:edit:1760000004.000000`, "new"]);
  assert.equal(changed({ attachments: [{}] }, {}), null);
  assert.equal(changed({ text: "old", edited }, {}), null);
  assert.equal(changed({ text: "new", edited, attachments: [{}] }, { text: "new", edited }), null);
  assert.equal(changed({ text: "new", edited, bot_id: "B2" }, {}), null);
  assert.ok(changed({ text: "new", edited }));
});

it("knows a person by home and id: the same id in two workspaces is two people", () => {
  const of = (fields: Record<string, unknown>, body = {}) => said(fields, { body })?.sender.account;
  assert.equal(of({ user: "WANA" }), "T1:WANA");
  assert.equal(of({ user_team: "T2" }, { is_ext_shared_channel: true }), "T2:UANA");
  assert.equal(of({ team: "T2" }, { is_ext_shared_channel: true }), "T2:UANA");
  assert.equal(of({ source_team: "T2" }), "T2:UANA");
  assert.equal(of({ user_team: "T1", team: "T1" }, { is_ext_shared_channel: true }), "T1:UANA");
});

it("knows a person of an organisation by the organisation, in all its workspaces", () => {
  const grid = { ...app, me: { ...me, enterprise: "E1" } };
  const of = (fields: Record<string, unknown>, body = {}) =>
    said(fields, { with: grid, body })?.sender.account;
  assert.equal(of({}), "E1:UANA");
  assert.equal(of({ user_team: "E1" }), "E1:UANA");
  assert.equal(of({ user_team: "T5" }, { is_ext_shared_channel: false }), "E1:UANA");
  assert.equal(of({ user_team: "T9" }, { is_ext_shared_channel: true }), "T9:UANA");
  assert.deepEqual(readAccount("E1:UANA", grid.me), { user: "UANA", ours: true });
  assert.deepEqual(readAccount("T1:UANA", grid.me), { user: "UANA", ours: false });
  assert.equal(accountOf({ user: "U1", team: "T5", ours: true }, grid.me), "E1:U1");
});

it("reads files, also those of which only the id is told, and names what is not there", () => {
  const files = [
    { id: "F1", name: "a.txt", mimetype: "text/plain", size: 3 },
    { id: "F2", mode: "file_access" },
  ];
  assert.deepEqual(said({ subtype: "file_share", text: "", files })?.files, [
    { id: "F1", name: "a.txt", mime: "text/plain", size: 3 },
    { id: "F2", name: "F2", mime: "application/octet-stream" },
  ]);
  const lost = [{ id: "F3", mode: "tombstone" }];
  assert.equal(said({ text: "", files: lost })?.unreadable, "a file that Slack no longer has");
  assert.equal(said({ text: "" })?.unreadable, "a message without text");
});

it("quotes a message that was passed on", () => {
  const attachments = [
    { is_share: true, author_id: "UBOT", author_name: "Sallyport", text: "a &lt; b" },
  ];
  assert.deepEqual(said({ text: "why?", attachments })?.quote, {
    text: "a < b",
    author: "Sallyport",
    ours: true,
  });
});

const press = {
  type: "block_actions",
  user: { id: "UANA", name: "ana", team_id: "T1" },
  team: { id: "T1" },
  channel: { id: "C1" },
  container: { type: "message", message_ts: ts, channel_id: "C1", is_ephemeral: false },
  message: { ts, thread_ts: "1760000000.000001" },
  response_url: "https://hooks.slack.com/actions/T1/1/x",
  actions: [{ type: "button", value: "opaque", action_ts: "1760000008.000001" }],
} as const satisfies Body;

it("reads a press: who, where, on what, and how to answer it in private", () => {
  const found = toInboundEvent(press, app);
  assert.ok(found?.kind === "press");
  const thread = "1760000000.000001";
  assert.equal(found.key, `T1:a:C1:${ts}:UANA:1760000008.000001`);
  assert.deepEqual(found.chat, { id: "C1", kind: "group", thread });
  assert.deepEqual([found.data, found.message], ["opaque", { chat: "C1", id: ts, thread }]);
  const { url, user } = readPress(found.press.id) ?? {};
  assert.deepEqual([url, user], ["https://hooks.slack.com/actions/T1/1/x", "UANA"]);
  assert.equal(toInboundEvent(press, app)?.key, found.key);
  const again = { ...press, actions: [{ ...press.actions[0], action_ts: "1760000009.000001" }] };
  assert.notEqual(toInboundEvent(again, app)?.key, found.key);
});

it("presses on what one person was shown name no message, and others than buttons are none", () => {
  const alone = { ...press, container: { ...press.container, is_ephemeral: true } };
  const found = toInboundEvent(alone, app);
  assert.equal(found?.kind === "press" && found.message, undefined);
  const menu = { ...press, actions: [{ type: "static_select", action_ts: ts }] };
  assert.equal(toInboundEvent(menu, app), null);
  assert.equal(
    toInboundEvent({ ...press, channel: undefined, container: { type: "view" } } as never, app),
    null,
  );
});

const command = {
  command: "/sallyport",
  text: "tasks",
  team_id: "T1",
  user_id: "UANA",
  user_name: "ana",
  channel_id: "C1",
  channel_name: "work",
  trigger_id: "13345224609.738474920.8088930838d88f008e0",
  response_url: "https://hooks.slack.com/commands/T1/1/x",
};

it("reads the slash command as one of ours, with or without a sign of its own", () => {
  const text = (given: string) =>
    (toInboundEvent({ ...command, text: given }, app) as InboundMessage).text;
  assert.deepEqual(["tasks", "/tasks", "!tasks", " allow 3 ", "", "join K7Q2-9XF4"].map(text), [
    "/tasks",
    "/tasks",
    "/tasks",
    "/allow 3",
    "/help",
    "/join K7Q2-9XF4",
  ]);
});

it("goes on in our own direct conversation when a command is sent in one of two people", () => {
  const own: App = { ...app, dmOf: (user) => (user === "UANA" ? "D7" : undefined) };
  const body = { ...command, channel_id: "D9", channel_name: "directmessage" };
  const found = toInboundEvent(body, own) as InboundMessage;
  assert.deepEqual(found.chat, { id: "D7", kind: "direct" });
  assert.equal(readPress(found.press?.id ?? "")?.channel, "D9");
});

it("reads what happens to a conversation and to us in it, and nothing of others", () => {
  const of = (fields: Partial<SlackEvent>) =>
    toInboundEvent(event({ ...fields }), app) as InboundEvent | null;
  const joined = { type: "member_joined_channel", channel: "C1", event_ts: ts };
  const added = of({ ...joined, user: "UBOT", inviter: "UANA" });
  assert.equal(added?.kind === "chat" && added.change, "added");
  assert.equal(added?.sender.account, "T1:UANA");
  assert.equal(of({ ...joined, user: "UBEN" }), null);
  const left = of({ type: "channel_left", channel: "C1", actor_id: "UBEN", event_ts: ts });
  assert.deepEqual(left?.kind === "chat" && [left.change, left.sender.account], [
    "removed",
    "T1:UBEN",
  ]);
  const moved = of({ type: "channel_id_changed", old_channel_id: "G1", new_channel_id: "C9" });
  assert.deepEqual(moved?.kind === "chat" && [moved.change, moved.to], ["migrated", "C9"]);
  assert.equal(of({ type: "reaction_added", user: "UANA" }), null);
});

it("reads history as it reads events", () => {
  const text = "<@UBOT> go";
  const past = saidIn({}, { type: "message", user: "UANA", ts, text, channel: "C1" }, app);
  assert.deepEqual(past, said({ text }));
});

it("throws for what has no message in it, so that it can be skipped", () => {
  for (const wrong of [{ ts: 7 }, { ts: "soon" }, { ts: undefined }])
    assert.throws(() =>
      toInboundEvent(event({ channel: "C1", user: "UANA", ...wrong } as never), app),
    );
  assert.equal(toInboundEvent({ type: "view_submission" }, app), null);
});
