// How often owners are asked for hosts in one turn, how long their answer counts, and what is noted of what was refused.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import type { PermissionReply, TurnInlet } from "../../src/core/agent.ts";
import type { EgressReply } from "../../src/core/egress.ts";
import { noteRefusal } from "../../src/gateway/beside.ts";
import { askOwners } from "../../src/gateway/egress.ts";
import { listAudit } from "../../src/store/audit.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { memoryLog, temporaryFolder } from "../fakes/agent-rig.ts";
import { scope } from "../fakes/egress-rig.ts";

const patience = new AbortController().signal;

/** A turn in which owners say what `reply` says. */
function turnWith(reply: (signal: AbortSignal) => Promise<PermissionReply>) {
  const end = new AbortController();
  const asked: string[] = [];
  const inlet: TurnInlet = {
    conversation: 1 as unknown as TurnInlet["conversation"],
    over: end.signal,
    sendFile: () => undefined,
    askForm: async () => ({ action: "cancel" }),
    askOwner(call, _options, signal) {
      asked.push(call.url ?? "");
      return reply(signal);
    },
  };
  return { asked, end, inlet };
}

const silent = (signal: AbortSignal) =>
  new Promise<PermissionReply>((resolve) =>
    signal.addEventListener("abort", () => resolve("cancelled")),
  );

it("puts no more than twenty questions in a turn, though each is taken back at once", async () => {
  const turns = [turnWith(silent), turnWith(silent)];
  const [first, second] = turns;
  assert.ok(first && second);
  const atWork = [first.inlet];
  const onEgress = askOwners(() => atWork);
  const hurry = async (host: string): Promise<EgressReply> => {
    const gone = new AbortController();
    const reply = onEgress({ scope, host, port: 443 }, gone.signal);
    gone.abort();
    return reply;
  };
  for (let n = 0; n < 100; n += 1) assert.equal(await hurry(`h${n}.example`), "not-asked");
  assert.equal(first.asked.length, 20);
  atWork.push(second.inlet);
  for (let n = 0; n < 5; n += 1) await hurry("same.example");
  assert.deepEqual(second.asked, ["same.example", "same.example"]);
});

it("asks nobody while no turn is at work, and says so", async () => {
  const onEgress = askOwners(() => []);
  assert.equal(await onEgress({ scope, host: "a.example", port: 443 }, patience), "not-asked");
});

it("keeps a yes until the turn's end, and a no as well, and asks once for both of the web's ports", async () => {
  const replies: PermissionReply[] = [{ optionId: "allow" }, { optionId: "deny" }];
  const { asked, end, inlet } = turnWith(async () => replies.shift() ?? "cancelled");
  const onEgress = askOwners(() => [inlet]);
  for (const port of [443, 80]) {
    const yes = await onEgress({ scope, host: "a.example", port }, patience);
    assert.ok(typeof yes === "object");
    assert.equal(yes.until, end.signal);
  }
  for (let n = 0; n < 2; n += 1)
    assert.equal(await onEgress({ scope, host: "b.example", port: 22 }, patience), "denied");
  assert.deepEqual(asked, ["a.example", "b.example:22"]);
});

it("notes what is refused once a minute, and touches the store a few times at most for a flood", async (t) => {
  const real = openSqlite(join(temporaryFolder(t), "server.db"));
  t.after(() => real.close());
  const writes: Promise<unknown>[] = [];
  const store: Store = {
    ...real,
    runSoon(op) {
      const write = real.runSoon(op);
      writes.push(write);
      return write;
    },
  };
  const note = noteRefusal(store, memoryLog());
  const request = { scope, host: "a.example", port: 443 };
  for (let n = 0; n < 1000; n += 1) note(request, "wrong-token", "model");
  assert.equal(writes.length, 1);
  note(request, "not-allowed", "egress");
  note(request, "denied", "egress");
  assert.equal(writes.length, 3);
  for (let n = 0; n < 1000; n += 1) note({ ...request, host: `h${n}.example` }, "denied", "egress");
  assert.equal(writes.length, 20);
  note({ ...request, scope: { ...scope, key: "p-2" } }, "denied", "egress");
  assert.equal(writes.length, 21);
  await Promise.all(writes);
  const rows = await real.run(() => listAudit(100));
  assert.deepEqual(
    rows.map(({ action, why }) => `${action} ${why}`),
    ["egress denied", "egress not-allowed", "model wrong-token"],
  );
});
