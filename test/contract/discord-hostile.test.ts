// What a hostile or broken Discord could tell the listener: nothing ends the process, nothing is taken for what it is not, and the next message is heard.
import assert from "node:assert/strict";
import { it } from "node:test";
import { type Discord, failure, menu, withDiscord } from "./discord-rig.ts";
import { inbox } from "./rig.ts";

const fast = { config: { pace: "off" } };

function tell({ fake }: Discord, type: string, data: unknown): void {
  fake.gateway.dispatch({ type, data: () => data as never });
}

const junk: unknown[] = [
  ...[
    null,
    5,
    "x",
    [],
    {},
    [[]],
    true,
    { id: null },
    { id: {} },
    { id: "../x", channel_id: "a/b" },
  ],
  { id: "1", token: "t", type: 2, data: null },
  { id: "1", token: null, type: 3, data: { component_type: 2, custom_id: 5 }, channel: 5 },
  { id: "1", token: "../../x", type: 3, channel: { id: "1", type: 1 }, user: { id: "__proto__" } },
  JSON.parse('{"__proto__":{"bot":true},"id":"1","constructor":{"prototype":1}}'),
  { guild_id: "1", role: null, threads: null, channels: 5, roles: "x" },
  { id: "77", roles: [null], channels: [null], threads: [{}], joined_at: "never" },
  { id: "78", channels: [{ id: "x", type: "0", last_message_id: "zzz" }] },
  { id: "79", joined_at: 5, channels: [{ id: "5", type: 0, last_message_id: {} }] },
];
const kinds = [
  ...[
    "READY_",
    "GUILD_CREATE",
    "GUILD_DELETE",
    "CHANNEL_CREATE",
    "CHANNEL_UPDATE",
    "CHANNEL_DELETE",
  ],
  ...["THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE", "THREAD_LIST_SYNC", "GUILD_ROLE_CREATE"],
  ...["GUILD_ROLE_UPDATE", "MESSAGE_CREATE", "MESSAGE_UPDATE", "INTERACTION_CREATE"],
  ...["__proto__", "constructor", "toString", "__defineGetter__", "hasOwnProperty", ""],
];

for (const kind of kinds)
  it(`survives anything at all as ${kind || "nothing"}`, () =>
    withDiscord(async (discord) => {
      const { rig, ana, dm } = discord;
      const box = inbox();
      await rig.listener.start(box.accept);
      for (const data of junk) tell(discord, kind, data);
      ana.sends(dm, "after it");
      await rig.until("the message", () => box.texts().includes("after it"));
      assert.deepEqual(box.texts(), ["after it"]);
      assert.equal(discord.fake.counters.identifies, 1);
    }, fast));

it("survives junk in every field of a message, and counts it as read", () =>
  withDiscord(async (discord) => {
    const { rig, ana, dm } = discord;
    const box = inbox();
    await rig.listener.start(box.accept);
    const values = [null, 5, "x", [], {}, [null], [5], true];
    const fields = [
      ...["content", "author", "mentions", "mention_roles", "attachments", "embeds", "components"],
      ...["sticker_items", "poll", "message_reference", "referenced_message", "message_snapshots"],
      ...["member", "flags", "edited_timestamp", "activity", "type"],
    ];
    for (const field of fields)
      for (const value of values) ana.sends(dm, "junk", { raw: { [field]: value } });
    ana.sends(dm, "after it");
    await rig.until("the message", () => box.texts().includes("after it"));
    for (const message of box.messages()) {
      assert.equal(typeof message.text, "string");
      for (const file of message.files) assert.equal(typeof file.name, "string");
    }
  }, fast));

it("takes a message of a server that does not say so for no direct chat", () =>
  withDiscord(async (discord) => {
    const { rig, ana, general } = discord;
    const box = inbox();
    await rig.listener.start(box.accept);
    tell(discord, "CHANNEL_DELETE", { id: general.id, type: 0 });
    const message = { id: general.id, channel_id: general.id, type: 0, content: "who hears it?" };
    tell(discord, "MESSAGE_CREATE", { ...message, author: ana.user, member: { nick: null } });
    await rig.until("it", () => box.messages().length > 0);
    const [heard] = box.messages();
    assert.deepEqual([heard?.chat.kind, heard?.addressed], ["group", false]);
  }, fast));

it("acknowledges an interaction once, however often it is told, and keeps its first answer", () =>
  withDiscord(async (discord) => {
    const { fake, rig, ana, general } = discord;
    const box = inbox();
    await rig.listener.start(box.accept);
    await rig.listener.setMenu?.(menu);
    const frames: unknown[] = [];
    const dispatch = fake.gateway.dispatch.bind(fake.gateway);
    fake.gateway.dispatch = (event) => {
      if (event.type === "INTERACTION_CREATE") frames.push(event.data(true));
      return dispatch(event);
    };
    const { interactionId: id } = ana.slash(general, "tasks");
    await rig.until("the command", () => box.events.length === 1);
    const only = { account: ana.id, press: { id } };
    await rig.listener.whisper?.(rig.direct, only, { plain: "first" });
    tell(discord, "INTERACTION_CREATE", frames[0]);
    ana.sends(general, "later", { mention: true });
    await rig.until("what came later", () => box.texts().includes("later"));
    await rig.listener.whisper?.(rig.direct, only, { plain: "second" });
    assert.deepEqual(
      fake.ephemerals(ana).map(({ text }) => text),
      ["first", "second"],
    );
    assert.equal(fake.calls.filter(({ route }) => route === "respond").length, 1);
  }, fast));

it("shows two answers that are given at once as two", () =>
  withDiscord(async ({ fake, rig, ana, general }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    await rig.listener.setMenu?.(menu);
    const { interactionId: id } = ana.slash(general, "tasks");
    await rig.until("the command", () => box.events.length === 1);
    const only = { account: ana.id, press: { id } };
    await Promise.all([
      rig.listener.whisper?.(rig.direct, only, { plain: "one" }),
      rig.listener.whisper?.(rig.direct, only, { plain: "two" }),
      rig.listener.answerPress?.({ id }),
    ]);
    assert.deepEqual(
      fake
        .ephemerals(ana)
        .map(({ text }) => text)
        .sort(),
      ["one", "two"],
    );
  }, fast));

it("whispers to nobody but the one who asked", () =>
  withDiscord(async ({ fake, rig, ana, ben, general }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    await rig.listener.setMenu?.(menu);
    const { interactionId: id } = ana.slash(general, "tasks");
    await rig.until("the command", () => box.events.length === 1);
    const only = { account: ben.id, press: { id } };
    const error = await failure(rig.listener.whisper?.(rig.direct, only, { plain: "Ben's" }));
    assert.equal(error.kind, "gone");
    assert.ok(!fake.ephemerals(ana).some(({ text }) => text.includes("Ben")));
  }, fast));

it("keeps what is read in the order in which it was told, commands and messages alike", () =>
  withDiscord(async ({ fake, rig, ana, dm }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    await rig.listener.setMenu?.(menu);
    const stall = fake.faults.stallAt("respond");
    ana.slash(dm, "stop");
    ana.sends(dm, "then this");
    await stall.arrived;
    stall.release();
    await rig.until("both", () => box.events.length === 2);
    assert.deepEqual(box.texts(), ["/stop", "then this"]);
  }, fast));

it("never costs seconds, whatever one message holds", () =>
  withDiscord(async ({ rig, ana, dm, general }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    const size = 200_000;
    const bits = [
      "<@",
      "<@100> ",
      "*",
      "`",
      "||",
      "<t:1",
      "</a:",
      "<:a:",
      " ",
      "\n",
      "<#1>",
      "[](",
      ",:",
    ];
    const started = performance.now();
    for (const bit of bits) {
      ana.sends(dm, `x${bit.repeat(size / bit.length)}x`);
      ana.sends(general, bit.repeat(size / bit.length), { mention: true });
    }
    await rig.until("all", () => box.events.length >= 2 * bits.length - 1);
    assert.ok(performance.now() - started < 5000, `${performance.now() - started} ms`);
  }, fast));
