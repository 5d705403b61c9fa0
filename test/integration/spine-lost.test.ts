// What cannot be delivered: an owner hears of it where they can, seldom, and never in a circle; a question that nobody sees is denied.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { SendError } from "../../src/core/channel.ts";
import { listAudit } from "../../src/store/audit.ts";
import { createDesk, type Desk } from "../fakes/desk.ts";
import { createLetters, joinOn, type Letters } from "../fakes/letters.ts";
import { type Spine, startSpine } from "../fakes/spine.ts";

interface Rig {
  readonly desk: Desk;
  readonly letters: Letters;
  readonly spine: Spine;
}

/** Olga owns it, on both; Ana writes letters. */
async function open(t: TestContext): Promise<Rig> {
  const desk = createDesk("desk");
  const letters = createLetters();
  const spine = await startSpine(t, { desk, more: [letters] });
  await spine.join("9", "olga", "owner");
  await joinOn(spine.store, letters, { account: "8", name: "olga" });
  await joinOn(spine.store, letters, { account: "1", name: "ana", role: "authenticated" });
  return { desk, letters, spine };
}

function refuse(what: (text: string, chat: string) => boolean, letters: Letters): void {
  letters.onSend(({ to, part }) => {
    if (what(part.plain, to.chat)) throw new SendError("rejected", "550 5.1.1 *unknown*\nuser");
  });
}

async function failures({ store }: Spine, count: number) {
  for (;;) {
    const rows = await store.run(() => listAudit(500, { outcome: "failed" }));
    if (rows.length >= count) return rows;
    await new Promise((go) => setTimeout(go, 5));
  }
}

function told(desk: Pick<Desk, "see">, chat: string): string[] {
  return desk.see(chat).filter((text) => text.includes("could not be delivered"));
}

it("tells owners once in an hour for each chat, with the reason, and keeps the rest for the audit", async (t) => {
  const { desk, letters, spine } = await open(t);
  refuse((_, chat) => chat === "1", letters);
  for (const n of [1, 2, 3]) await letters.write("1", `echo ${n}`, { thread: `t${n}` });
  await failures(spine, 3);
  const { text } = await desk.until(/could not be delivered/, "9");
  await letters.until(/could not be delivered/, "8");
  assert.equal(
    text,
    "⚠️ An answer for **ana** on `post` (`1`) could not be delivered: 550 5.1.1 \\*unknown\\*⟨U+000A⟩user. `sallyport audit list` shows what else is lost there within the hour.",
  );
  await desk.say("9", "/whoami");
  await desk.until(/You are/, "9");
  assert.deepEqual([told(desk, "9").length, told(letters, "8").length], [1, 1]);
});

it("tells nobody about what tells of trouble, and nothing to the chat that fails", async (t) => {
  const { desk, letters, spine } = await open(t);
  refuse(() => true, letters);
  desk.blocked.add("9");
  await letters.write("8", "echo mine");
  // Olga's own answer, and what her other chat was told of it.
  const rows = await failures(spine, 2);
  assert.deepEqual(rows.map(({ place }) => place).sort(), ["desk 9", "post 8"]);
  await letters.write("1", "echo ana's");
  // Ana's answer, and what both of Olga's chats were told of it.
  await failures(spine, 5);
  await spine.stop();
  desk.blocked.delete("9");
  const again = await startSpine(t, { desk, more: [letters], folder: spine.folder });
  await desk.say("9", "/whoami");
  await desk.until(/You are/, "9");
  assert.equal((await failures(again, 5)).length, 5);
});

it("tells of no stranger who blocked it", async (t) => {
  const desk = createDesk("desk");
  const spine = await startSpine(t, { desk });
  await spine.join("9", "olga", "owner");
  desk.blocked.add("66");
  await desk.say("66", "hello");
  await failures(spine, 1);
  await desk.say("9", "/whoami");
  await desk.until(/You are/, "9");
  assert.deepEqual(told(desk, "9"), []);
});

it("denies at once what was asked in a message that nobody got", async (t) => {
  const { desk, letters, spine } = await open(t);
  refuse((text) => text.includes("Question"), letters);
  const path = join(spine.workspace, "n.txt");
  await letters.write("1", `do ${path}`);
  await letters.until(/answer: no/, "1");
  assert.equal(existsSync(path), false);
  await desk.until(/A question for \*\*ana\*\*/, "9");
});
