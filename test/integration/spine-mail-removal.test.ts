// An entry of access.allowEmail that is taken out ends at once whom it let in: running work, questions, what waits, also over a restart.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { knownPairings } from "../../src/access/pairings.ts";
import { systemClock } from "../../src/core/clock.ts";
import { endBefore, endNow } from "../../src/gateway/uncovered.ts";
import { pendingQuestions } from "../../src/store/questions.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { listTasks } from "../../src/store/tasks.ts";
import { createOperate } from "../../src/turns/operate.ts";
import { audits, createMailDesk } from "../fakes/mail-desk.ts";
import { type Spine, startSpine } from "../fakes/spine.ts";

const ana = "ana@example.org";
const bob = "bob@example.net";

/** As a change of the settings does. */
async function end({ store, gateway }: Spine, entries: readonly string[]): Promise<void> {
  const { endCaller } = createOperate(gateway.ports, gateway.receiver);
  await endNow({ store, clock: systemClock, entries }, { stopCaller: endCaller });
}

const names = async ({ store }: Spine) => (await store.run(knownPairings)).map(({ name }) => name);

async function ended({ store }: Spine, most: number) {
  for (;;) {
    const tasks = await store.run(() => listTasks(most));
    if (tasks.every(({ state }) => state !== "working" && state !== "input-required"))
      return tasks.map(({ title, state }) => `${title} ${state}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

it("stops a turn that waits for an answer, expires its question, and hears no more from there", async (t) => {
  const desk = createMailDesk();
  // The very list that the settings hold.
  const allowEmail = ["example.org", bob];
  const spine = await startSpine(t, { desk, settings: { allowEmail } });
  const path = join(spine.workspace, "n.txt");
  const gate = join(spine.workspace, "gate");
  await desk.mail(ana, `do ${path}`);
  await desk.until(/Create n\.txt/, ana);
  await desk.mail(ana, "and then this");
  await desk.mail(bob, `stall ${gate}\nbob goes on`);
  allowEmail.splice(0, 1);
  await end(spine, allowEmail);
  assert.deepEqual(await names(spine), [`email:${bob}`]);
  assert.deepEqual(await spine.store.run(pendingQuestions), []);
  const seen = desk.see(ana).length;
  await desk.mail(ana, "allow 1");
  await desk.mail(ana, "hello?");
  await desk.mail(bob, "/stop");
  await desk.until(/Stopped/, bob);
  const states = await ended(spine, 5);
  assert.deepEqual(states.sort(), [`do ${path} canceled`, `stall ${gate} canceled`]);
  assert.equal(existsSync(path), false);
  assert.equal(
    desk
      .see(ana)
      .slice(seen)
      .filter((text) => !/Stopped/.test(text)).length,
    0,
  );
  const [row] = await audits(spine.store, "pair.rm");
  assert.deepEqual(
    [row?.target, row?.why],
    [`email:${ana}`, "no entry of access.allowEmail covers it any more"],
  );
});

it("leaves alone whoever another entry still covers", async (t) => {
  const desk = createMailDesk();
  const spine = await startSpine(t, { desk, settings: { allowEmail: ["example.org"] } });
  const path = join(spine.workspace, "n.txt");
  await desk.mail(ana, `do ${path}`);
  await desk.until(/Create n\.txt/, ana);
  await end(spine, ["*.example.org", "ANA@example.org"]);
  assert.deepEqual(await names(spine), [`email:${ana}`]);
  assert.equal((await spine.store.run(pendingQuestions)).length, 1);
});

it("takes nothing up again after a restart of whom the changed settings let in no more", async (t) => {
  const desk = createMailDesk();
  const settings = { allowEmail: ["example.org", bob], concurrent: 1 };
  const first = await startSpine(t, { desk, settings });
  const gate = join(first.workspace, "gate");
  await desk.mail(ana, `stall ${gate}\nana goes on`);
  await desk.mail(ana, "ana waits");
  await desk.mail(bob, "bob waits");
  await first.stop();
  // What gateway.ts does before it opens the spine.
  const store = openSqlite(join(first.folder, "server.db"));
  const parts = { store, clock: systemClock, entries: [bob] };
  await endBefore(parts, first.gateway.ports.approvals);
  await store.close();
  const next = await startSpine(t, { desk, folder: first.folder, settings });
  await desk.until(/bob waits/, bob);
  assert.deepEqual(await names(next), [`email:${bob}`]);
  const states = await ended(next, 5);
  assert.deepEqual(states.sort(), ["bob waits completed", `stall ${gate} canceled`]);
  assert.equal(
    desk.see(ana).some((text) => /goes on|waits/.test(text)),
    false,
  );
});
