// A drain: what runs may end, for a while; what does not is parked for the next gateway.
import { setTimeout as sleep } from "node:timers/promises";
import type { Expired } from "../approvals/approvals.ts";
import type { TurnPorts } from "./ports.ts";
import type { Receiver } from "./receive.ts";
import { parked } from "./stop.ts";

/** Open questions are not waited for: people take their time. */
export async function drain(ports: TurnPorts, receiver: Receiver, patience: number): Promise<void> {
  ports.lanes.close();
  const deadline = ports.clock.now() + patience;
  while (receiver.running.size > 0 && ports.clock.now() < deadline) {
    const busy = [...receiver.running.keys()].some((turn) => !ports.approvals.isAsked(turn));
    if (!busy) break;
    await sleep(50);
  }
  const cut = [...receiver.running.keys()];
  // First the questions: their cards say why nobody waits for the answer any more.
  const expired = await ports.store.run(function* () {
    const all: Expired[] = [];
    for (const turn of cut) all.push(yield* ports.approvals.expireTurn(turn, "restart"));
    return all;
  });
  for (const turn of cut) receiver.running.get(turn)?.abort(parked);
  for (const one of expired) ports.approvals.afterExpiry(one);
  await Promise.race([ports.lanes.idle(), sleep(3000, undefined, { ref: false })]);
}
