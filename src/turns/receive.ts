// What happens to each event after the commit: prompts enter their lane, everything else is handled at once, in order per sender.
import { identify } from "../access/identify.ts";
import type { Accepted } from "../bus/accept.ts";
import type { TurnId } from "../core/words.ts";
import type { After } from "./after.ts";
import { onAnswer } from "./answers.ts";
import { closePress } from "./aside.ts";
import { onChat } from "./chat-change.ts";
import { albumWait, claimNext, type Work } from "./claim.ts";
import { runCommand } from "./commands.ts";
import { showHome } from "./home.ts";
import { onCode, onPress } from "./incoming.ts";
import type { TurnPorts, Wake } from "./ports.ts";
import { respond } from "./respond.ts";
import { asked, type StopEffect, type StopReason } from "./stop.ts";
import { runTurn } from "./turn.ts";

export interface Receiver {
  /** After the commit, in order. */
  handle(accepted: readonly Accepted<After>[]): void;
  /** Work that recovery found. */
  run(work: Work): void;
  /** Looks for what waits in a lane. */
  readonly wake: Wake;
  /** The effect of a stop that is committed: turns are cancelled, cards change. */
  stopped(effect: StopEffect, why?: StopReason): void;
  readonly running: ReadonlyMap<TurnId, AbortController>;
}

export function createReceiver(ports: TurnPorts): Receiver {
  const running = new Map<TurnId, AbortController>();
  const tails = new Map<string, Promise<void>>();

  const work = async (it: Work) => {
    const stop = running.get(it.turn.id) ?? new AbortController();
    running.set(it.turn.id, stop);
    try {
      await runTurn(ports, it, stop);
    } finally {
      running.delete(it.turn.id);
    }
  };
  const run = (it: Work) => {
    running.set(it.turn.id, new AbortController());
    ports.lanes.enter(it.conversation.id, () => work(it));
  };
  const wake = createWake(ports, work);
  const stopped = ({ turns, expired }: StopEffect, why?: StopReason) => {
    for (const turn of turns) running.get(turn)?.abort(why);
    for (const one of expired) ports.approvals.afterExpiry(one);
  };
  /** In order per sender, so that two commands of one person never overtake each other. */
  const inOrder = (key: string, job: (waited: boolean) => Promise<void>) => {
    const before = tails.get(key);
    const mine = (before ?? Promise.resolve())
      .then(() => job(before !== undefined))
      .catch((error) => ports.log.error({ error }, "An event could not be handled"))
      .then(() => {
        if (tails.get(key) === mine) tails.delete(key);
      });
    tails.set(key, mine);
  };
  const receiver: Receiver = {
    run,
    wake,
    stopped,
    running,
    handle(accepted) {
      for (const { after } of accepted)
        if (after.do === "run") running.set(after.work.turn.id, new AbortController());
      for (const { after } of accepted)
        if (after.do === "command" && after.stop) stopped(after.stop, asked);
      for (const one of accepted) dispatch(one);
    },
  };
  const dispatch = (one: Accepted<After>) => {
    const { after, id, listener } = one;
    if (after.do === "nothing") {
      closePress(ports, listener, after.press);
      return;
    }
    if (after.do === "run") {
      for (const { press } of after.work.prompts) closePress(ports, listener, press);
      ports.lanes.enter(after.work.conversation.id, () => work(after.work));
      return;
    }
    if (after.do === "wait") return wait(ports, { after, listener, wake });
    inOrder(`${listener}\n${after.event.sender.account}`, async (waited) => {
      const now = waited ? await asTheyStand(ports, listener, after) : after;
      await handleNow(ports, receiver, { id, listener, after: now });
    });
  };
  return receiver;
}

/** Works until nothing waits in the lane any more: whoever wakes it need not know how much does. */
function createWake(ports: TurnPorts, work: (it: Work) => Promise<void>): Wake {
  /** Lanes that will be looked at anyway. */
  const woken = new Set<string>();
  const look = async (conversation: string) => {
    woken.delete(conversation);
    const ids = { task: ports.token(), turn: ports.token() };
    const next = await ports.store.run(() => claimNext(ports, conversation, ids));
    if (next === "arriving") setTimeout(wake, albumWait + 50, conversation).unref();
    else if (next) await work(next).finally(() => wake(conversation));
  };
  const wake = (conversation: string) => {
    if (woken.has(conversation)) return;
    woken.add(conversation);
    ports.lanes.enter(conversation, () => look(conversation));
  };
  return wake;
}

function wait(
  ports: TurnPorts,
  it: { after: Extract<After, { do: "wait" }>; listener: string; wake: (id: string) => unknown },
): void {
  const { after, listener, wake } = it;
  wake(after.conversation);
  const place = ports.lanes.waiting();
  const { event, crowded, told } = after;
  const quiet = ports.channel(listener)?.oneMessage;
  const text = told ?? (!crowded || place === 0 || quiet ? "" : placeText(place));
  if (text === "") {
    closePress(ports, listener, event.press);
    return;
  }
  respond(ports, { listener, event, text, aside: true }).catch((error) =>
    ports.log.error({ error }, "Could not tell whom it waits for"),
  );
}

function placeText(place: number): string {
  return place === 1
    ? "All hands are busy. You are next."
    : `All hands are busy. You are number ${place} in the queue.`;
}

/** Behind what they did before, their rights may have changed. */
async function asTheyStand(
  { store }: TurnPorts,
  listener: string,
  after: Extract<After, { event: unknown }>,
): Promise<After> {
  if (after.do !== "command" && after.do !== "answer") return after;
  const caller = await store.run(() => identify({ listener, ...after.event.sender }));
  return { ...after, caller };
}

async function handleNow(
  ports: TurnPorts,
  receiver: Receiver,
  { id, listener, after }: Accepted<After>,
): Promise<void> {
  switch (after.do) {
    case "say":
      return respond(ports, { id, listener, event: after.event, text: after.text, aside: true });
    case "command":
      return runCommand(ports, receiver, { id, listener, ...after });
    case "answer":
      return onAnswer(ports, { id, listener, ...after });
    case "code":
      return onCode(ports, { id, listener, ...after });
    case "press":
      return onPress(ports, receiver.wake, { id, listener, ...after });
    case "home":
      return showHome(ports, { listener, ...after });
    case "chat":
      return onChat(ports, receiver, { id, listener, ...after });
  }
}
