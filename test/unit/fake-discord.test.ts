// The fake Discord keeps the rules of the real REST API, seen through plain fetch.
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { type DiscordServerOptions, startDiscordServer } from "../fakes/discord-server.ts";
import type { Json } from "../fakes/discord-types.ts";

interface Answer {
  status: number;
  body: Json;
  headers: Headers;
}

async function open(t: TestContext, options: DiscordServerOptions = {}) {
  const fake = await startDiscordServer(options);
  t.after(() => fake.close());
  const [ana, ben] = [fake.user({ name: "Ana" }), fake.user({ name: "Ben" })];
  const guild = fake.guild({ title: "Work", members: [ana, ben] });
  const channel = fake.textChannel(guild, "general");
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`${fake.url}/api/v10${path}`, {
      method,
      headers: { authorization: `Bot ${fake.token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === "" ? {} : (JSON.parse(text) as Json),
      headers: response.headers,
    };
  };
  const send = (body: Json, where = channel.id) =>
    call("POST", `/channels/${where}/messages`, body);
  return { fake, ana, ben, guild, channel, dm: fake.dm(ana), call, send };
}

function refusal({ status, body }: Answer): [number, unknown] {
  return [status, body.code];
}

function button(customId: string, label = "Go"): Json {
  return { type: 2, style: 1, label, custom_id: customId };
}

function rows(...buttons: Json[][]): Json[] {
  return buttons.map((components) => ({ type: 1, components }));
}

it("counts text in code points, and takes 2000 of them", async (t) => {
  const { send, fake, channel } = await open(t);
  assert.equal((await send({ content: "😀".repeat(2_000) })).status, 200);
  const { body, ...answer } = await send({ content: "😀".repeat(2_001) });
  assert.deepEqual(refusal({ body, ...answer }), [400, 50035]);
  assert.deepEqual(body.errors, {
    content: {
      _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: "Must be 2000 or fewer in length." }],
    },
  });
  assert.deepEqual(refusal(await send({ content: " \n " })), [400, 50006]);
  await send({ content: "  trimmed \n" });
  assert.equal(fake.messages(channel).at(-1)?.text, "trimmed");
});

it("takes five rows of five buttons, with ids and labels in their limits", async (t) => {
  const { send } = await open(t);
  const row = (at: number) => [1, 2, 3, 4, 5].map((one) => button(`${at}:${one}`));
  const five = [1, 2, 3, 4, 5].map(row);
  assert.equal((await send({ content: "x", components: rows(...five) })).status, 200);
  const wrong = [
    rows(...five, [button("6")]),
    rows([...row(1), button("6")]),
    rows([button("a".repeat(101))]),
    rows([button("a", "b".repeat(81))]),
    rows([button("a"), button("a")]),
  ];
  for (const components of wrong)
    assert.deepEqual(refusal(await send({ content: "x", components })), [400, 50035]);
});

it("gives the same message for the same nonce, for some minutes", async (t) => {
  let clock = 1_700_000_000_000;
  const { send, fake, channel } = await open(t, { now: () => clock });
  const same = { content: "once", nonce: "key-1", enforce_nonce: true };
  const [first, second] = [await send(same), await send(same)];
  assert.equal(first.body.id, second.body.id);
  assert.equal(fake.messages(channel).length, 1);
  assert.equal(fake.counters.repeated, 1);
  await send({ content: "not enforced", nonce: "key-1" });
  clock += 10 * 60_000;
  assert.notEqual((await send(same)).body.id, first.body.id);
  assert.equal(fake.messages(channel).length, 3);
  assert.deepEqual(refusal(await send({ content: "x", nonce: "a".repeat(26) })), [400, 50035]);
});

it("notifies whom the allowed mentions let it, and nobody by a name in code", async (t) => {
  const { send, fake, ana, channel } = await open(t);
  const content = `@everyone <@${ana.id}> <@&77> and \`@here\``;
  await send({ content });
  await send({ content, allowed_mentions: { parse: [] } });
  await send({ content, allowed_mentions: { parse: ["roles"], users: [ana.id] } });
  await send({ content: `\`<@${ana.id}> @here\`` });
  const nobody = { everyone: false, users: [], roles: [] };
  assert.deepEqual(
    fake.messages(channel).map(({ pings }) => pings),
    [
      { everyone: true, users: [ana.id], roles: ["77"] },
      nobody,
      { everyone: false, users: [ana.id], roles: ["77"] },
      nobody,
    ],
  );
  const both = { parse: ["users"], users: [ana.id] };
  assert.deepEqual(refusal(await send({ content, allowed_mentions: both })), [400, 50035]);
});

it("answers a message that is there, and sends without it when told so", async (t) => {
  const { send, fake, ana, channel } = await open(t);
  const { messageId } = ana.sends(channel, "question");
  const reference = (id: string, strict?: boolean) => ({
    content: "answer",
    message_reference: { message_id: id, ...(strict === false && { fail_if_not_exists: false }) },
  });
  assert.equal((await send(reference(messageId))).body.type, 19);
  assert.deepEqual(refusal(await send(reference("1"))), [400, 50035]);
  assert.equal((await send(reference("1", false))).body.message_reference, undefined);
  assert.deepEqual(
    fake.messages(channel).map(({ replyTo }) => replyTo),
    [undefined, messageId, undefined],
  );
});

it("reads back what came after a message, newest first and a hundred at most", async (t) => {
  const { fake, ana, channel, call } = await open(t);
  const ids = Array.from({ length: 120 }, (_, at) => ana.sends(channel, `${at}`).messageId);
  const read = async (query: string) => {
    const { body } = await call("GET", `/channels/${channel.id}/messages?${query}`);
    return (body as unknown as Json[]).map(({ content }) => content);
  };
  assert.deepEqual(await read(`after=${ids[9]}&limit=3`), ["12", "11", "10"]);
  assert.equal((await read(`after=${ids[9]}&limit=100`)).length, 100);
  assert.deepEqual(await read("limit=2"), ["119", "118"]);
  const tooMany = await call("GET", `/channels/${channel.id}/messages?limit=101`);
  assert.deepEqual(refusal(tooMany), [400, 50035]);
  fake.forbid(channel, "ReadMessageHistory");
  assert.deepEqual(await read("limit=2"), []);
});

it("edits and deletes only what the bot may", async (t) => {
  const { fake, ana, guild, channel, dm, call, send } = await open(t);
  const foreign = ana.sends(channel, "mine").messageId;
  const own = String((await send({ content: "ours" })).body.id);
  const at = (id: string, where = channel.id) => `/channels/${where}/messages/${id}`;
  assert.equal((await call("PATCH", at(own), { content: "new", flags: 4 })).status, 200);
  const seen = fake.messages(channel).at(-1);
  assert.deepEqual([seen?.text, seen?.edits, seen?.embedsSuppressed], ["new", 1, true]);
  assert.deepEqual(refusal(await call("PATCH", at(foreign), { content: "x" })), [403, 50005]);
  assert.deepEqual(refusal(await call("DELETE", at(foreign))), [403, 50013]);
  fake.permit(guild, "ManageMessages");
  assert.equal((await call("DELETE", at(foreign))).status, 204);
  const direct = ana.sends(dm, "mine").messageId;
  assert.deepEqual(refusal(await call("DELETE", at(direct, dm.id))), [403, 50003]);
  assert.deepEqual(refusal(await call("DELETE", at("1"))), [404, 10008]);
  assert.deepEqual(refusal(await send({ content: "x" }, "1")), [404, 10003]);
});

it("opens direct chats with anybody, and sends only to those whom it may", async (t) => {
  const { fake, ana, ben, call, send } = await open(t);
  const openDm = async (id: string) => call("POST", "/users/@me/channels", { recipient_id: id });
  const stranger = fake.user({ name: "Stranger" });
  const far = await openDm(stranger.id);
  assert.deepEqual(refusal(await send({ content: "hi" }, String(far.body.id))), [403, 50278]);
  const near = await openDm(ben.id);
  assert.equal((await send({ content: "hi" }, String(near.body.id))).status, 200);
  ana.takesDirect(false);
  const closed = await openDm(ana.id);
  assert.deepEqual(refusal(await send({ content: "hi" }, String(closed.body.id))), [403, 50007]);
  assert.deepEqual(refusal(await openDm("1")), [400, 50033]);
});

it("takes ten megabytes, and refuses more", async (t) => {
  const { fake, channel } = await open(t);
  const upload = async (size: number) => {
    const form = new FormData();
    const attachments = [{ id: "0", filename: "big.bin" }];
    form.set("payload_json", JSON.stringify({ content: "here", attachments }));
    form.set("files[0]", new Blob([new Uint8Array(size)]), "x");
    const headers = { authorization: `Bot ${fake.token}` };
    const url = `${fake.url}/api/v10/channels/${channel.id}/messages`;
    const response = await fetch(url, { method: "POST", headers, body: form });
    return [response.status, ((await response.json()) as Json).code];
  };
  const limit = 10 * 1024 * 1024;
  assert.deepEqual(await upload(limit), [200, undefined]);
  assert.deepEqual(await upload(limit + 1), [413, 40005]);
  const files = fake.messages(channel).flatMap((message) => message.files);
  assert.deepEqual(
    files.map(({ name, size }) => [name, size]),
    [["big.bin", limit]],
  );
});

it("says who added the bot to those who may know, and hides guilds it is not in", async (t) => {
  const { fake, ben, guild, call } = await open(t);
  const log = () => call("GET", `/guilds/${guild.id}/audit-logs?action_type=28`);
  assert.deepEqual(refusal(await log()), [403, 50013]);
  fake.permit(guild, "ViewAuditLog");
  fake.membership(guild, false, ben);
  assert.deepEqual(refusal(await log()), [403, 50001]);
  fake.membership(guild, true, ben);
  const [newest] = (await log()).body.audit_log_entries as Json[];
  assert.deepEqual([newest?.user_id, newest?.target_id], [ben.id, fake.me.id]);
  assert.deepEqual(refusal(await call("GET", "/guilds/1")), [404, 10004]);
});

it("answers 401 to a wrong or revoked token, and 404 where nothing is", async (t) => {
  const { fake, call } = await open(t);
  const wrong = await fetch(`${fake.url}/api/v10/users/@me`, {
    headers: { authorization: "Bot x" },
  });
  assert.equal(wrong.status, 401);
  assert.deepEqual(refusal(await call("GET", "/nowhere")), [404, 0]);
  assert.equal((await call("GET", "/users/@me")).body.id, fake.me.id);
  fake.revokeToken();
  assert.equal((await call("GET", "/users/@me")).status, 401);
});

it("limits calls by channel and in all, and tells for how long", async (t) => {
  const clock = 1_700_000_000_000;
  const { fake, send, call, dm } = await open(t, { limits: true, now: () => clock });
  const first = await send({ content: "1" });
  assert.equal(first.headers.get("x-ratelimit-remaining"), "4");
  for (const text of ["2", "3", "4", "5"]) await send({ content: text });
  const refused = await send({ content: "6" });
  assert.deepEqual(
    [refused.status, refused.body.retry_after, refused.body.global],
    [429, 5, false],
  );
  assert.equal(refused.headers.get("x-ratelimit-scope"), "user");
  assert.equal(refused.headers.get("retry-after"), "5");
  assert.equal((await send({ content: "elsewhere" }, dm.id)).status, 200);
  const many = await Promise.all(Array.from({ length: 50 }, () => call("GET", "/users/@me")));
  const global = many.filter(({ status }) => status === 429);
  assert.ok(global.length > 0 && global.every(({ body }) => body.global === true));
  assert.equal(fake.counters.tooMany, global.length + 1);
});

it("drops, delays, refuses and holds the calls that a test names", async (t) => {
  const { fake, channel, send } = await open(t);
  const sent = () => fake.messages(channel).map(({ text }) => text);
  fake.faults.drop("createMessage");
  await assert.rejects(send({ content: "stored" }));
  fake.faults.fail("createMessage", { status: 503 });
  assert.equal((await send({ content: "lost" })).status, 503);
  fake.faults.limit("createMessage", { retryAfter: 0.5, scope: "shared" });
  const limited = await send({ content: "lost" });
  assert.deepEqual([limited.status, limited.body.retry_after], [429, 0.5]);
  const about = { status: 403, code: 50013, message: "Missing Permissions" };
  fake.faults.refuse("*", { ...about, match: ({ content }) => content === "no" });
  assert.equal((await send({ content: "yes" })).status, 200);
  assert.deepEqual(refusal(await send({ content: "no" })), [403, 50013]);
  const held = fake.faults.stallAt("createMessage", { when: "stored" });
  const pending = send({ content: "held" });
  assert.equal((await held.arrived).params.content, "held");
  assert.deepEqual(sent(), ["stored", "yes", "held"]);
  held.release();
  assert.equal((await pending).status, 200);
});
