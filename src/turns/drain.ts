// A drain: what runs may end, for a while; what does not is parked for the next gateway.
import { setTimeout as sleep } from "node:timers/promises";
import type { Expired } from "../approvals/approvals.ts";
import { giveRunBack } from "../store/turns.ts";
import type { TurnPorts } from "./ports.ts";
import type { Receiver } from "./receive.ts";
import { parked } from "./stop.ts";

/** For agents that do not end at once when they are told to. */
const partingMs = 1500;

/** Open questions are not waited for: people take their time. */
export async function drain(ports: TurnPorts, receiver: Receiver, patience: number): Promise<void> {
  const { lanes, clock } = ports;
  lanes.close();
  const deadline = clock.now() + patience;
  while (isBusy(ports, receiver) && clock.now() < deadline) await sleep(50);
  const cut = [...receiver.running.keys()];
  // First the questions: their cards say why nobody waits for the answer any more.
  const expired = await ports.store.run(function* () {
    const all: Expired[] = [];
    for (const turn of cut) all.push(yield* ports.approvals.expireTurn(turn, "restart"));
    return all;
  });
  for (const turn of cut) receiver.running.get(turn)?.abort(parked);
  for (const one of expired) ports.approvals.afterExpiry(one);
  const parted = lanes.idle().then(() => true);
  if (await Promise.race([parted, sleep(partingMs, false, { ref: false })]))
    await giveBackWaiting(ports, receiver);
}

/** Somebody works who does not wait for a person. Turns that wait for a place are not at work. */
function isBusy({ lanes, approvals }: TurnPorts, { running }: Receiver): boolean {
  const asking = [...running.keys()].filter((turn) => approvals.isAsked(turn));
  return lanes.running > asking.length;
}

/** What had a run but never a place to begin has not been cut off. */
async function giveBackWaiting({ store }: TurnPorts, { running }: Receiver): Promise<void> {
  await store.run(function* () {
    for (const turn of running.keys()) yield* giveRunBack(turn);
  });
}
