// What the Discord listener sends and fetches: nobody is pinged, nothing comes twice, limits are kept, and no token leaks.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { asked, failure, withDiscord } from "./discord-rig.ts";
import { inbox } from "./rig.ts";

it("pings nobody and shows no preview, whatever the text and whoever is answered", () =>
  withDiscord(async ({ fake, rig, ana, guild, general }) => {
    const to = { ...rig.direct, chat: general.id };
    const { messageId } = ana.sends(general, "hi");
    const body = `@everyone @here <@&${guild.id}> <@${ana.id}> https://example.org`;
    const replyTo = { chat: general.id, id: messageId };
    const ref = await rig.listener.send(to, { plain: body, body, replyTo }, "k");
    const none = { everyone: false, users: [], roles: [] };
    const seen = () => fake.messages(general).find(({ id }) => id === ref.id);
    assert.deepEqual(
      [seen()?.pings, seen()?.embedsSuppressed, seen()?.replyTo],
      [none, true, messageId],
    );
    await rig.listener.edit?.(ref, { plain: body, body });
    assert.deepEqual([seen()?.pings, seen()?.embedsSuppressed], [none, true]);
    const call = fake.calls.find(({ route }) => route === "editMessage");
    assert.deepEqual(call?.params.allowed_mentions, { parse: [], replied_user: false });
    const far = { chat: "1", id: "2" };
    await rig.listener.send(to, { plain: "to another room", replyTo: far }, "k2");
    await rig.listener.send(
      to,
      { plain: "to what is gone", replyTo: { ...replyTo, id: "3" } },
      "k3",
    );
  }));

it("is one message, however often the same part is sent again", () =>
  withDiscord(async ({ fake, rig, dm }) => {
    fake.faults.drop("createMessage");
    const part = { plain: "once" };
    assert.equal((await failure(rig.listener.send(rig.direct, part, "same"))).kind, "unknown");
    const ref = await rig.listener.send(rig.direct, part, "same");
    assert.deepEqual(
      fake.messages(dm).map(({ id }) => id),
      [ref.id],
    );
    assert.ok(String(fake.messages(dm)[0]?.nonce).length <= 25);
    await rig.listener.send(rig.direct, part, "other");
    assert.equal(fake.messages(dm).length, 2);
  }));

it("is one message in each room, though two rooms get the same part under the same key", () =>
  withDiscord(async ({ fake, rig, dm, general }) => {
    const one = await rig.listener.send(rig.direct, { plain: "same" }, "k");
    const to = { ...rig.direct, chat: general.id };
    const other = await rig.listener.send(to, { plain: "same" }, "k");
    assert.notEqual(one.id, other.id);
    assert.deepEqual([fake.messages(dm).length, fake.messages(general).length], [1, 2]);
  }));

it("pings nobody and unfolds nothing on any way out, files and answers included", (t) =>
  withDiscord(async (discord) => {
    const { fake, rig, general } = discord;
    const only = await asked(discord);
    const folder = mkdtempSync(join(tmpdir(), "discord-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "f");
    writeFileSync(path, "x");
    const file = { path, name: "../f\n.txt", mime: "text/plain", size: 1 };
    const body = "@everyone https://example.org";
    const to = { ...rig.direct, chat: general.id };
    await rig.listener.whisper?.(to, only, { plain: body, body, file });
    await rig.listener.whisper?.(to, only, { plain: body, body, file });
    await rig.listener.answerPress?.(only.press, body);
    const ref = await rig.listener.send(to, { plain: body, body, file }, "k");
    await rig.listener.edit?.(ref, { plain: body, body });
    const calls = fake.calls.filter(({ params }) => params.content !== undefined);
    assert.equal(calls.length, 5);
    for (const { route, params } of calls) {
      assert.deepEqual(params.allowed_mentions, { parse: [], replied_user: false }, route);
      assert.equal(Number(params.flags) & 4, 4, route);
    }
    for (const gone of [join(folder, "none"), folder]) {
      const part = { plain: "", file: { ...file, path: gone } };
      assert.equal((await failure(rig.listener.send(to, part, gone))).kind, "rejected");
    }
    for (const [fault, kind] of [
      ["drop", "unknown"],
      ["fail", "unknown"],
    ] as const) {
      fake.faults[fault]("createMessage");
      const error = await failure(rig.listener.send(to, { plain: "", file }, fault));
      assert.equal(error.kind, kind);
    }
    const { length } = fake.messages(general);
    await rig.listener.send(to, { plain: "", file }, "drop");
    assert.equal(fake.messages(general).length, length);
  }));

it("says what it is to say now when it is sent again and the first one was another", () =>
  withDiscord(async ({ fake, rig, dm }) => {
    const seen = () =>
      fake.messages(dm).map(({ text, buttons }) => [text, buttons.flat().map((one) => one.text)]);
    const buttons = [{ label: "Allow", data: "a" }];
    fake.faults.drop("createMessage", { times: 2 });
    await failure(rig.listener.send(rig.direct, { plain: "grows" }, "k1"));
    await failure(rig.listener.send(rig.direct, { plain: "asks", buttons }, "k2"));
    const ref = await rig.listener.send(rig.direct, { plain: "grows, and has" }, "k1");
    await rig.listener.send(rig.direct, { plain: "asks" }, "k2");
    assert.deepEqual(seen(), [
      ["grows, and has", []],
      ["asks", []],
    ]);
    assert.equal(ref.id, fake.messages(dm)[0]?.id);
    const edits = () => fake.calls.filter(({ route }) => route === "editMessage").length;
    assert.equal(edits(), 2);
    await rig.listener.send(rig.direct, { plain: "asks" }, "k2");
    await rig.listener.send(rig.direct, { plain: " as it was \n", buttons }, "k3");
    assert.equal(edits(), 2);
  }));

it("says how long Discord wants to be left alone, and asks nothing meanwhile", () =>
  withDiscord(async ({ fake, rig, general }) => {
    for (const scope of ["user", "shared"] as const) {
      fake.faults.limit("createMessage", { retryAfter: 3, scope });
      const error = await failure(rig.listener.send(rig.direct, { plain: "x" }, scope));
      assert.equal(error.kind, "rate-limited");
      assert.ok((error.detail.retryAfter ?? 0) >= 3000);
    }
    fake.faults.limit("createMessage", { retryAfter: 3, scope: "global" });
    const group = { ...rig.direct, chat: general.id };
    assert.equal(
      (await failure(rig.listener.send(group, { plain: "x" }, "g"))).kind,
      "rate-limited",
    );
    const { length } = fake.calls;
    for (let n = 0; n < 20; n += 1) {
      const error = await failure(rig.listener.send(rig.direct, { plain: "x" }, `h${n}`));
      assert.equal(error.kind, "rate-limited");
      assert.ok((error.detail.retryAfter ?? 0) > 1000);
    }
    assert.equal(fake.calls.length, length);
  }));

it("keeps to the limits that Discord tells: what is too much fails here and not there", () =>
  withDiscord(
    async ({ fake, rig }) => {
      const sends = Array.from({ length: 8 }, (_, n) =>
        rig.listener.send(rig.direct, { plain: `${n}` }, `k${n}`).catch((error) => error.kind),
      );
      const results = await Promise.all(sends);
      assert.deepEqual(results.slice(5), ["rate-limited", "rate-limited", "rate-limited"]);
      assert.deepEqual([fake.counters.tooMany, fake.counters.violations], [0, 0]);
      const pace = rig.listener.pace?.(rig.direct);
      assert.ok(pace && pace.chat.calls <= 5 && pace.chat.per >= 5000 && pace.all.calls < 50);
    },
    { limits: true },
  ));

it("says which kind of failure it was, with what to do", () =>
  withDiscord(async ({ fake, rig, ana, general, guild, thread }) => {
    const send = (chat: string, inside?: string) => {
      const to = { ...rig.direct, chat, ...(inside ? { thread: inside } : {}) };
      return failure(rig.listener.send(to, { plain: "x" }, chat));
    };
    const forum = fake.forum(guild, "ideas");
    assert.equal((await send(forum.id)).kind, "gone");
    assert.equal((await send("../users/@me")).kind, "gone");
    assert.equal((await send("12345")).kind, "gone");
    fake.forbid(general, "SendMessages");
    const refused = await send(general.id);
    assert.deepEqual([refused.kind, /Send Messages/.test(refused.message)], ["gone", true]);
    fake.changeChannel(thread, { locked: true });
    assert.equal((await send(general.id, thread.id)).kind, "gone");
    const to = await rig.listener.openDirect?.(ana.id);
    assert.equal(to?.chat, rig.direct.chat);
    ana.takesDirect(false);
    assert.equal((await send(to?.chat ?? "")).kind, "gone");
    fake.faults.fail("createMessage");
    assert.equal((await send(thread.id)).kind, "unknown");
    const many = Array.from({ length: 26 }, (_, n) => ({ label: "b", data: `${n}` }));
    const part = { plain: "x", buttons: many };
    assert.equal((await failure(rig.listener.send(rig.direct, part, "b"))).kind, "rejected");
    assert.equal(
      (await failure(rig.listener.send(rig.direct, { plain: " " }, "e"))).kind,
      "rejected",
    );
  }));

it("fetches a file without its token, from nowhere but Discord, and no more than it takes", async (t) => {
  const tokens: string[] = [];
  const server = createServer((request, response) => {
    tokens.push(`${request.headers.authorization}`);
    response.end("content");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  await withDiscord(async ({ rig, ana, dm }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    const attach = (url: string) => ({
      raw: { attachments: [{ id: "7", filename: "f", size: 1, url }] },
    });
    ana.sends(dm, "here", attach(`http://127.0.0.1:${port}/f`));
    const elsewhere = [
      ...["https://evil.example/f", "http://cdn.discordapp.com/f", "file:///etc/passwd", "x"],
      ...["https://cdn.discordapp.com@10.0.0.1/f", "https://cdn.discordapp.com.evil.example/f"],
      ...["https://cdn.discordapp.com:8443/f", "https://xcdn.discordapp.com/f", "//x", ""],
    ];
    for (const url of elsewhere) ana.sends(dm, "there", attach(url));
    ana.sends(dm, "", { files: [{ name: "big", size: 11 * 1024 * 1024 }] });
    await rig.until("all", () => box.events.length === 12);
    const files = box.messages().flatMap((message) => message.files);
    const fetchOf = async (file = files[0]) => {
      const chunks: Uint8Array[] = [];
      const into = new WritableStream<Uint8Array>({ write: (chunk) => void chunks.push(chunk) });
      await rig.listener.fetchFile?.(file ?? { id: "", name: "", mime: "" }, into);
      return Buffer.concat(chunks).toString();
    };
    assert.equal(await fetchOf(), "content");
    assert.deepEqual(tokens, ["undefined"]);
    for (const file of files.slice(1, 11))
      await assert.rejects(fetchOf(file), /not on its own servers/);
    await assert.rejects(fetchOf(files[11]), /larger than 10 MB/);
    await assert.rejects(fetchOf({ id: "../1", name: "", mime: "" }), /no file of Discord/);
  });
});

it("keeps its token and those of interactions out of logs, errors and health, whatever fails", () =>
  withDiscord(async (discord) => {
    const { fake, rig, log } = discord;
    const only = await asked(discord);
    const shown: unknown[] = [];
    const keep = (work: Promise<unknown> | undefined) => work?.catch((error) => shown.push(error));
    for (const fault of ["drop", "fail"] as const) {
      for (const route of ["createMessage", "editFollowUp", "getMessage", "putCommands"])
        fake.faults[fault](route);
      await keep(rig.listener.send(rig.direct, { plain: "x" }, fault));
      await keep(rig.listener.whisper?.(rig.direct, only, { plain: "x" }));
    }
    fake.gateway.drop();
    await fake.close();
    await keep(rig.listener.send(rig.direct, { plain: "x" }, "2"));
    await keep(rig.listener.whisper?.(rig.direct, only, { plain: "x" }));
    await keep(
      rig.listener.fetchFile?.({ id: "1/2/3", name: "f", mime: "" }, new WritableStream()),
    );
    await keep(rig.listener.setMenu?.([]));
    await keep(rig.listener.openDirect?.("1"));
    await rig.until("trouble", () => rig.listener.health().lastError !== undefined);
    assert.equal(shown.length, 9);
    const texts = [...shown, rig.listener.health()].map((one) =>
      one instanceof Error ? `${one.stack} ${JSON.stringify(one)}` : JSON.stringify(one),
    );
    const secrets = [fake.token, ...fake.token.split("."), "fake-interaction"];
    for (const text of [...texts, ...log])
      for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} in ${text}`);
  }));
