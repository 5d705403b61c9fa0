// Presses in a group: who may, as they stand at the press, and only on the card itself.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import type { ButtonPress } from "../../src/core/events.ts";
import { unlinkAccount } from "../../src/store/accounts.ts";
import { listAudit } from "../../src/store/audit.ts";
import { findPairing, setRole } from "../../src/store/pairings.ts";
import { pressOf, type Shown } from "../fakes/desk.ts";
import { type Spine, startSpine } from "../fakes/spine.ts";

const group = { id: "-7", kind: "group" } as const;

interface Scene extends Spine {
  readonly path: string;
  card(): Shown | undefined;
  /** What the presser was told, privately. */
  press(account: string, id: string, more?: Partial<ButtonPress>): Promise<string>;
  be(name: string, role: "owner" | "authenticated"): Promise<void>;
}

/** Ana asked in the group; Ben is paired, Olga an owner. */
async function scene(t: TestContext): Promise<Scene> {
  const spine = await startSpine(t);
  const { desk, store, workspace } = spine;
  await spine.join("1", "olga", "owner");
  await spine.join("2", "ana", "authenticated");
  await spine.join("3", "ben", "authenticated");
  await desk.say("1", "/enable", { chat: group });
  await desk.until(/I answer here/, "-7");
  const path = join(workspace, "n.txt");
  await desk.say("2", `do ${path}`, { chat: group });
  const shown = await desk.until(/Create n\.txt/, "-7");
  const data = shown.buttons[0]?.data ?? "";
  return {
    ...spine,
    path,
    card: () => desk.messages("-7").find(({ ref }) => ref.id === shown.ref.id),
    async press(account, id, more = {}) {
      const on = { data, message: shown.ref, chat: group, ...more };
      await desk.send([pressOf(account, id, on)]);
      await desk.untilAnswered(`${id} notice`);
      return desk.notices.at(-1) ?? "";
    },
    async be(name, role) {
      await store.run(function* () {
        const pairing = yield* findPairing(name);
        if (pairing) yield* setRole(pairing.id, role);
      });
    },
  };
}

function refusedAndOpen({ card, path, desk }: Scene): void {
  assert.equal(existsSync(path), false);
  assert.equal(card()?.buttons.length, 3);
  assert.equal(desk.see("-7").length, 2);
}

const notTheirs = /Only the person who asked, or an owner/;
const notHere = /not for here/;

it("takes a press by who they are at the press: promoted, demoted", async (t) => {
  const it = await scene(t);
  assert.match(await it.press("3", "p1"), notTheirs);
  await it.be("olga", "authenticated");
  assert.match(await it.press("1", "p2"), notTheirs);
  refusedAndOpen(it);
  await it.be("ben", "owner");
  assert.match(await it.press("3", "p3"), /Allowed/);
  await it.desk.until(/✅ Allow once · ben/, "-7");
});

it("takes a press by who they are when it is looked at, though it waited behind another of theirs", async (t) => {
  const it = await scene(t);
  const { answerPress } = it.desk.listener;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  it.desk.listener.answerPress = async (press, notice) => {
    if (press.id === "slow") await held;
    await answerPress?.(press, notice);
  };
  const slow = it.press("1", "slow", { data: "made-up" });
  const second = it.press("1", "p2");
  await it.be("olga", "authenticated");
  release();
  assert.match(await slow, notHere);
  assert.match(await second, notTheirs);
  refusedAndOpen(it);
});

it("takes no press of an account that is unlinked by then, or linked to somebody else", async (t) => {
  const it = await scene(t);
  await it.store.run(() => unlinkAccount("desk", "2"));
  assert.match(await it.press("2", "p1"), notTheirs);
  await it.join("2", "ben");
  assert.match(await it.press("2", "p2"), notTheirs);
  refusedAndOpen(it);
  await it.join("22", "ana");
  assert.match(await it.press("22", "p3"), /Allowed/);
  await it.desk.until(/✅ Allow once · ana/, "-7");
});

it("refuses a press by somebody it does not know, alone, and the card stays", async (t) => {
  const it = await scene(t);
  assert.match(await it.press("9", "p1"), notTheirs);
  assert.match(await it.press("", "p2"), notTheirs);
  refusedAndOpen(it);
  assert.deepEqual([...it.desk.see("9"), ...it.desk.see("")], []);
  const rows = await it.store.run(() => listAudit(20, { outcome: "not-yours" }));
  assert.deepEqual(
    rows.map(({ who, place }) => `${who} ${place}`),
    ["a:desk: desk -7", "a:desk:9 desk -7"],
  );
});

it("refuses a card that was forwarded or replayed, even by its own people", async (t) => {
  const it = await scene(t);
  const elsewhere = { chat: "-8", id: "f1" };
  const own = { chat: "2", id: "f2" };
  const direct = { id: "2", kind: "direct" } as const;
  const otherGroup = { id: "-8", kind: "group" } as const;
  const shownAs = it.card()?.ref;
  assert.ok(shownAs);
  const tries: Partial<ButtonPress>[] = [
    { chat: otherGroup, message: elsewhere },
    { chat: direct, message: own },
    { chat: direct, message: shownAs },
    { chat: otherGroup, message: shownAs },
    { message: { chat: "-7", id: "another" } },
    { message: elsewhere },
    { data: "made-up" },
  ];
  for (const [n, one] of tries.entries()) {
    assert.match(await it.press("2", `a${n}`, one), notHere);
    assert.match(await it.press("1", `o${n}`, one), notHere);
  }
  refusedAndOpen(it);
  const rows = await it.store.run(() => listAudit(50, { action: "press", outcome: "refused" }));
  assert.equal(rows.length, tries.length * 2);
  assert.match(await it.press("2", "p1", { message: shownAs }), /Allowed/);
});

it("decides once, whoever presses next, and tells each of them alone", async (t) => {
  const it = await scene(t);
  assert.match(await it.press("2", "p1"), /Allowed/);
  await it.desk.until(/✅ Allow once · ana/, "-7");
  assert.match(await it.press("1", "p2"), /already decided/);
  assert.match(await it.press("3", "p3"), notTheirs);
  await it.desk.until(/answer: once/, "-7");
  assert.ok(it.desk.see("-7").every((text) => !/already decided|Only the person/.test(text)));
});
