// What open pages are told to fetch again, while somebody looks.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { type Changes, watchChanges } from "../../src/admin/views/watch.ts";
import type { Caller } from "../../src/core/words.ts";
import type { Store } from "../../src/store/store.ts";
import { type ViewsRig, viewsRig } from "../fakes/views-rig.ts";

/** Resolves once somebody was told something that matches. */
function recorder() {
  const told: { pairing: string; changes: Changes }[] = [];
  const waiting = new Set<() => void>();
  return {
    told,
    changed(pairing: string, changes: Changes) {
      told.push({ pairing, changes });
      for (const look of waiting) look();
    },
    until(is: (one: { pairing: string; changes: Changes }) => boolean): Promise<void> {
      return new Promise((resolve) => {
        const look = () => {
          if (!told.some(is)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      });
    },
  };
}

async function watched(t: TestContext) {
  const rig = await viewsRig(t);
  await rig.join("1", "ana", "authenticated");
  await rig.join("2", "bob", "authenticated");
  await rig.join("3", "olga", "owner");
  const [ana, bob, olga] = [
    await rig.caller("ana"),
    await rig.caller("bob"),
    await rig.caller("olga"),
  ];
  const open: Caller[] = [ana, bob, olga];
  const counted = { runs: 0 };
  const store: Store = {
    ...rig.store,
    run(op) {
      counted.runs += 1;
      return rig.store.run(op);
    },
  };
  const heard = recorder();
  const watch = watchChanges({
    store,
    log: rig.log,
    every: 20,
    open: () => open,
    changed: heard.changed,
  });
  t.after(watch.stop);
  return { rig, ana, bob, olga, open, heard, counted };
}

async function conversationOf(rig: ViewsRig, caller: Caller): Promise<string> {
  return (await rig.views.conversations(caller)).conversations[0]?.id ?? "";
}

it("tells those who may see it, of any channel: said, asked, decided, done", async (t) => {
  const { rig, ana, bob, olga, heard } = await watched(t);
  await rig.desk.say("1", `do ${join(rig.workspace, "n.txt")}`);
  await rig.desk.until(/Create n\.txt/);
  const id = await conversationOf(rig, ana);
  const about =
    (caller: Caller, what: Changes["what"][number]) =>
    (one: { pairing: string; changes: Changes }) =>
      one.pairing === caller.pairing &&
      one.changes.conversations.includes(id) &&
      one.changes.what.includes(what);
  await heard.until(about(ana, "approvals"));
  await heard.until(about(olga, "approvals"));
  heard.told.length = 0;
  await rig.desk.press("1", "Allow once");
  await heard.until(about(ana, "approvals"));
  await rig.desk.until(/answer: once/);
  await heard.until(about(ana, "tasks"));
  await heard.until(about(olga, "operator"));
  assert.deepEqual(
    heard.told.filter(({ pairing }) => pairing === bob.pairing),
    [],
  );
});

it("does nothing while nobody looks, and catches up when somebody does", async (t) => {
  const { rig, ana, open, heard, counted } = await watched(t);
  open.length = 0;
  await new Promise((resolve) => setTimeout(resolve, 50));
  const before = counted.runs;
  heard.told.length = 0;
  await rig.desk.say("1", "hello");
  await rig.desk.until(/hello/);
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(counted.runs, before);
  assert.deepEqual(heard.told, []);
  open.push(ana);
  const id = await conversationOf(rig, ana);
  await heard.until(({ changes }) => changes.conversations.includes(id));
});
