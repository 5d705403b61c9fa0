// Attacks on who is heard by mail: rights that are gone over a restart, codes tried by strangers, loops that find a way round.
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { changeRole, unlink } from "../../src/access/pairings.ts";
import { systemClock } from "../../src/core/clock.ts";
import { endBefore } from "../../src/gateway/uncovered.ts";
import { addPart } from "../../src/store/outbox.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { listTasks } from "../../src/store/tasks.ts";
import { createDesk } from "../fakes/desk.ts";
import { createLetters, type LettersOptions } from "../fakes/letters.ts";
import { audits, reason } from "../fakes/mail-desk.ts";
import { type SpineOptions, startSpine } from "../fakes/spine.ts";

const ana = "ana@example.org";

/** Letters from an address that is proved. */
function createPost(options: LettersOptions = {}) {
  const letters = createLetters({ id: "email", ...options });
  const mail = (address: string, text: string, thread = "t1") => {
    const sender = { account: address, name: address, proof: { address, reason } };
    return letters.write(address, text, { thread, sender });
  };
  return {
    ...letters,
    channel: { ...letters.channel, name: "email", answersPerHour: 10 },
    mail,
    async answered(address: string, text: string, thread?: string) {
      const before = letters.to(address).length;
      await mail(address, text, thread);
      return (await letters.after(address, before)).part.plain;
    },
  };
}

async function open(t: TestContext, options: SpineOptions & { post?: LettersOptions } = {}) {
  const post = createPost(options.post);
  const chats = createDesk("desk");
  const settings = { allowEmail: ["example.org"], ...options.settings };
  const spine = await startSpine(t, { ...options, desk: chats, more: [post], settings });
  await spine.join("9", "olga", "owner");
  return { ...spine, post, chats };
}

/** What an operator does while no gateway runs, and what gateway.ts does before it opens the spine. */
async function meanwhile(
  { folder, gateway }: Awaited<ReturnType<typeof open>>,
  change: (store: Store) => Promise<unknown>,
) {
  const store = openSqlite(join(folder, "server.db"));
  await change(store);
  const parts = { store, clock: systemClock, entries: ["example.org"] };
  await endBefore(parts, gateway.ports.approvals);
  await store.close();
}

it("takes up nothing of an account that was unlinked while no gateway ran", async (t) => {
  const first = await open(t, { settings: { concurrent: 1 } });
  const { chats, folder } = first;
  await first.join("2", "bob", "authenticated");
  await chats.say("2", `stall ${join(first.workspace, "gate")}\necho bob goes on`);
  await chats.say("2", "bob waits");
  await first.stop();
  await meanwhile(first, (store) => store.run(() => unlink("bob", ["desk"])));
  writeFileSync(join(first.workspace, "gate"), "");
  const next = await startSpine(t, { desk: chats, folder });
  await chats.say("9", "olga's");
  await chats.until(/olga's/, "9");
  await delay(300);
  assert.equal(
    chats.see("2").some((text) => /goes on|bob waits/.test(text)),
    false,
  );
  const tasks = await next.store.run(() => listTasks(5));
  assert.equal(tasks.find(({ title }) => title.startsWith("stall"))?.state, "canceled");
});

it("runs again after a restart with the rights of now", async (t) => {
  const first = await open(t);
  const always = JSON.stringify([{ optionId: "always", name: "Always", kind: "allow_always" }]);
  await first.chats.say("9", `dowith ${always} ${join(first.workspace, "n.txt")}`);
  await first.chats.until(/Create n\.txt/, "9");
  await first.stop();
  await meanwhile(first, (store) => store.run(() => changeRole("olga", "authenticated")));
  await startSpine(t, { desk: first.chats, folder: first.folder });
  await first.chats.until(/Not run: nobody who may allow it could be reached/, "9");
});

it("does not count files that were too large for an answer as answers", async (t) => {
  const { post } = await open(t, { post: { file: 1000 } });
  const files = Array.from({ length: 10 }, (_, n) => `file 1001 f${n}.bin`);
  assert.match(await post.answered(ana, ["echo here", ...files].join("\n")), /here/);
  assert.match(await post.answered(ana, "echo again"), /again/);
});

it("takes a decision by the right word, and a stop, after ten answers within an hour, and nothing else", async (t) => {
  const { post, workspace, chats } = await open(t);
  const path = join(workspace, "n.txt");
  await post.answered(ana, `do ${path}`);
  const [, number, word] = /Question (\d+), word (\w{4})/.exec(post.see(ana).at(-1) ?? "") ?? [];
  for (let n = 0; n < 10; n += 1) await post.answered(ana, "/status");
  const before = post.to(ana).length;
  await post.mail(ana, "/status");
  await post.mail(ana, `allow ${number} AAAA`);
  await post.mail(ana, `allow ${number}`);
  await chats.until(/looks like a loop/, "9");
  assert.equal(post.to(ana).length, before);
  await post.mail(ana, `allow ${number} ${word}`);
  await post.after(ana, before);
  assert.equal(existsSync(path), true);
  await post.mail(ana, `allow ${number} ${word}`);
  await post.mail(ana, "/stop");
  await delay(200);
  assert.equal(post.to(ana).length, before + 1);
});

it("breaks a loop in which each mail begins a thread of its own", async (t) => {
  const { post, store, chats } = await open(t);
  for (let n = 0; n < 60; n += 1) await post.answered(ana, `round ${n}`, `thread ${n}`);
  await post.mail(ana, "round 60", "thread 60");
  await chats.until(/looks like a loop/, "9");
  assert.equal(post.to(ana).length, 60);
  const [row] = await audits(store);
  assert.equal(row?.why, "loop: 60 answers to this address within an hour");
  await post.answered("bob@example.org", "hello");
});

it("tells owners of loops once for each address, and of ten addresses in an hour", async (t) => {
  const { post, chats, store } = await open(t);
  await post.answered(ana, "hello", "t1");
  const spam = async (account: string, threads: number) => {
    for (let thread = 0; thread < threads; thread += 1) {
      await store.run(function* () {
        const to = { listener: "email", chat: account, thread: `t${thread}` };
        const part = { kind: "notice", state: "pending", plain: "x", to, at: Date.now() } as const;
        for (let n = 0; n < 10; n += 1) yield* addPart(part);
      });
      await post.mail(account, "once more", `t${thread}`);
    }
  };
  await spam(ana, 3);
  for (let n = 0; n < 20; n += 1) await spam(`p${n}@example.org`, 1);
  await chats.until(/p8@example/, "9");
  await delay(200);
  assert.equal(chats.see("9").filter((text) => /looks like a loop/.test(text)).length, 10);
});

it("tells a stranger once a day that a code does not count, and nothing about who exists", async (t) => {
  const { store, post } = await open(t);
  const eve = "eve@evil.test";
  for (const code of ["K7Q2-9XF4", "K7Q2-9XF5", "K7Q2-9XF6"]) await post.mail(eve, `join ${code}`);
  await post.until(/does not count/, eve);
  await delay(200);
  assert.equal(post.to(eve).length, 1);
  assert.equal((await audits(store, "code")).length, 4);
  // Whoever is known is answered each time.
  await post.answered(ana, "hello");
  await post.answered(ana, "join K7Q2-9XF4");
  await post.answered(ana, "join K7Q2-9XF5");
});
