// Interactions of the fake Discord: three seconds for the first answer, fifteen minutes for all others.
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { startDiscordServer } from "../fakes/discord-server.ts";
import type { Json } from "../fakes/discord-types.ts";

const EPHEMERAL = 64;

async function open(t: TestContext) {
  const time = { now: 1_700_000_000_000 };
  const fake = await startDiscordServer({ now: () => time.now });
  t.after(() => fake.close());
  const [ana, ben] = [fake.user({ name: "Ana" }), fake.user({ name: "Ben" })];
  const guild = fake.guild({ title: "Work", members: [ana, ben] });
  const channel = fake.textChannel(guild, "general");
  /** Without the bot's token, which these addresses do not need. */
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${fake.url}/api/v10${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = text === "" ? {} : (JSON.parse(text) as Json);
    return { status: response.status, type: response.headers.get("content-type"), body: answer };
  };
  const authorization = `Bot ${fake.token}`;
  const headers = { authorization, "content-type": "application/json" };
  const components = [
    { type: 1, components: [{ type: 2, style: 1, label: "Go", custom_id: "go" }] },
  ];
  await fetch(`${fake.url}/api/v10/channels/${channel.id}/messages`, {
    ...{ method: "POST", headers, body: JSON.stringify({ content: "card", components }) },
  });
  const cardId = fake.messages(channel)[0]?.id ?? "";
  const token = (id: string) => fake.world.interactions.get(id)?.token ?? "";
  const answer = (id: string, body: Json) =>
    call("POST", `/interactions/${id}/${token(id)}/callback?with_response=false`, body);
  const webhook = (id: string) => `/webhooks/${fake.me.id}/${token(id)}`;
  return { fake, time, ana, ben, channel, cardId, call, answer, webhook };
}

it("takes the first answer within three seconds, once, and without a word back", async (t) => {
  const { fake, time, ana, channel, cardId, answer } = await open(t);
  const { interactionId } = ana.presses(cardId, "Go");
  const { status, type } = await answer(interactionId, { type: 6 });
  assert.deepEqual([status, type], [204, null]);
  const again = await answer(interactionId, { type: 6 });
  assert.deepEqual([again.status, again.body.code], [400, 40060]);
  const second = ana.presses(cardId, "Go").interactionId;
  time.now += 3_001;
  const late = await answer(second, { type: 6 });
  assert.deepEqual([late.status, late.body.code], [404, 10062]);
  assert.equal(fake.interaction(second).failed, true);
  assert.match(fake.transcript(channel), /only Ana: This interaction failed/);
  const third = ana.presses(cardId, "Go", { late: true }).interactionId;
  assert.equal((await answer(third, { type: 6 })).body.code, 10062);
});

it("lets follow-ups come for fifteen minutes, but not before the first answer", async (t) => {
  const { fake, time, ana, cardId, call, answer, webhook } = await open(t);
  const { interactionId } = ana.presses(cardId, "Go");
  const follow = () => call("POST", webhook(interactionId), { content: "more", flags: EPHEMERAL });
  assert.equal((await follow()).body.code, 10015);
  await answer(interactionId, { type: 6 });
  const { body } = await follow();
  assert.deepEqual(fake.ephemerals(ana).at(-1)?.text, "more");
  const address = `${webhook(interactionId)}/messages/${String(body.id)}`;
  await call("PATCH", address, { content: "other" });
  assert.deepEqual(fake.ephemerals(ana).at(-1)?.text, "other");
  assert.equal((await call("DELETE", address)).status, 204);
  assert.deepEqual(fake.ephemerals(ana), []);
  time.now += 15 * 60_000 + 1;
  const late = await follow();
  assert.deepEqual([late.status, late.body.code], [401, 50027]);
});

it("puts the first message after a private 'thinking' in its place, as private", async (t) => {
  const { fake, ana, ben, channel, cardId, call, answer, webhook } = await open(t);
  const { interactionId } = ben.presses(cardId, "Go");
  await answer(interactionId, { type: 5, data: { flags: EPHEMERAL } });
  const thinking = fake.ephemerals(ben)[0];
  assert.deepEqual([thinking?.thinking, thinking?.text], [true, ""]);
  await call("POST", webhook(interactionId), { content: "the answer" });
  const [shown, ...more] = fake.ephemerals(ben);
  assert.deepEqual([shown?.id, shown?.text, more.length], [thinking?.id, "the answer", 0]);
  assert.deepEqual(fake.ephemerals(ana), []);
  assert.equal((await call("DELETE", `${webhook(interactionId)}/messages/@original`)).status, 204);
  assert.equal(fake.messages(channel).length, 1);
});

it("changes the pressed message by the answer itself, and never for a command", async (t) => {
  const { fake, ana, channel, cardId, call, answer } = await open(t);
  const { interactionId } = ana.presses(cardId, "Go");
  await answer(interactionId, { type: 7, data: { content: "gone", components: [] } });
  const card = fake.messages(channel)[0];
  assert.deepEqual([card?.text, card?.buttons], ["gone", []]);
  fake.world.commands.set("", [{ id: "1", name: "go", description: "Goes" }]);
  const command = ana.slash(channel, "go").interactionId;
  assert.equal((await answer(command, { type: 7, data: { content: "x" } })).body.code, 50035);
  const forged = await call("POST", `/interactions/${command}/other/callback`, { type: 4 });
  assert.deepEqual([forged.status, forged.body.code], [404, 10062]);
});

it("lets nobody press what only somebody else sees, nor from where they are not", async (t) => {
  const { fake, ana, ben, channel, cardId, call, answer, webhook } = await open(t);
  const { interactionId } = ana.presses(cardId, "Go");
  await answer(interactionId, { type: 6 });
  const components = [
    { type: 1, components: [{ type: 2, style: 1, label: "Mine", custom_id: "mine" }] },
  ];
  await call("POST", webhook(interactionId), { content: "x", flags: EPHEMERAL, components });
  const { id = "" } = fake.ephemerals(ana)[0] ?? {};
  assert.throws(() => ben.presses(id, "Mine"), /does not see/);
  ana.presses(id, "Mine");
  const outsider = fake.user({ name: "Out" });
  assert.throws(() => outsider.presses(cardId, "Go"), /is not in channel/);
  assert.throws(() => outsider.sends(channel, "hi"), /is not in channel/);
});
