// What happens to chats, and to us in them: added, removed, moved.

import { audit } from "../access/audit.ts";
import { may } from "../access/authorise.ts";
import { takeOneOf } from "../access/hints.ts";
import { escapeInline } from "../approvals/card.ts";
import { code } from "../approvals/effect.ts";
import type { Deliver } from "../bus/deliver.ts";
import { typed } from "../core/command-text.ts";
import type { ChatChange } from "../core/events.ts";
import type { Address, Caller, Markdown } from "../core/words.ts";
import { moveCards, pendingQuestionsOnlyIn, pendingQuestionsShownIn } from "../store/cards.ts";
import { isSharedChat, moveChat, nameChat, openSince } from "../store/chats.ts";
import { moveConversations } from "../store/conversations.ts";
import { finishEntry } from "../store/inbox.ts";
import { moveOutbox } from "../store/outbox.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Op } from "../store/query.ts";
import type { Moves, TurnPorts } from "./ports.ts";
import { respond } from "./respond.ts";
import { closeChat, type Ended, leave } from "./share.ts";
import { closed } from "./stop.ts";

interface Changed {
  readonly id: number;
  readonly listener: string;
  readonly caller: Caller;
  readonly event: ChatChange;
  /** Of a chat that has moved: what goes out there. Absent after a restart, which sends it anyway. */
  readonly moved?: readonly OutboxRow[];
}

export async function onChat(ports: TurnPorts, moves: Moves, it: Changed): Promise<void> {
  const { id, listener, event, moved = [] } = it;
  const { chat, change } = event;
  if (change === "added" && chat.kind === "group") return onAdded(ports, moves, it);
  if (change === "migrated") ports.deliver.deliver(moved);
  if (change === "blocked" || change === "removed")
    await expireThere(ports, { listener, chat: chat.id });
  await ports.store.run(() => finishEntry(id, "ok"));
}

async function onAdded(ports: TurnPorts, moves: Moves, it: Changed): Promise<void> {
  const { id, listener, caller, event } = it;
  const at = ports.clock.now();
  const byOwner = may(caller, "enable");
  const { open, others, shared } = await ports.store.run(function* () {
    yield* nameChat({ ...event, listener, chat: event.chat.id, at });
    yield* finishEntry(id, "ok");
    const since = yield* openSince(listener, event.chat.id);
    if (since !== undefined && Math.abs(at - since) < justNow) return { open: "just now" as const };
    const open = since === undefined ? ("no" as const) : ("yes" as const);
    if (byOwner) return { open, shared: yield* isSharedChat(listener, event.chat.id) };
    return { open, others: yield* addedByOther(ports, it, open === "yes") };
  });
  if (others?.ended) leave(ports, others.ended, (effect) => moves.stopped(effect, closed));
  if (others?.text) await ports.alarm.tell(others.text);
  if (!byOwner || open === "just now") return;
  await tellWhoAdded(ports, it, open === "no" ? undefined : shared ? "open, and shared," : "open");
}

async function tellWhoAdded(
  ports: TurnPorts,
  { listener, event }: Changed,
  still: string | undefined,
): Promise<void> {
  const { sender } = event;
  const direct = await ports
    .listener(listener)
    ?.openDirect?.(sender.account)
    .catch(() => undefined);
  if (!direct) return;
  const text = still
    ? `I am in ${named(event)} again. It is ${still} as before: I answer there when I am addressed, until an owner sends ${typed("disable")} in it.`
    : `I am in ${named(event)} now, and silent there until an owner sends me ${typed("enable")} in it.`;
  const chat = { id: direct.chat, kind: "direct" as const };
  const message = { chat: direct.chat, id: "" };
  await respond(ports, { listener, event: { chat, message, sender }, text });
}

/** A flood of groups must not flood the owners: the rest is in the audit rows. */
const toldInADay = 3;
/** Some platforms tell that we are in a chat when it has got a new id. */
const justNow = 60_000;

/** Silence there, whatever was before; gives what owners are to be told. */
function* addedByOther(
  ports: TurnPorts,
  it: Changed,
  open: boolean,
): Op<{ readonly ended?: Ended; readonly text?: Markdown }> {
  const { listener, caller, event } = it;
  const at = ports.clock.now();
  const chat = event.chat.id;
  const ended = open ? { ended: yield* closeChat(ports, listener, chat) } : {};
  yield* audit({
    at,
    who: caller.id,
    name: caller.pairing === null ? "" : caller.name,
    place: `${listener} ${chat}`,
    action: "chat",
    target: chat,
    outcome: "silent",
    why: "added by somebody who is no owner",
  });
  // Only owners open one: that it is closed can be told no more often than they did.
  if (!open && !(yield* takeOneOf(toldInADay, `added ${listener}`, at))) return ended;
  const before = open ? " It was open to me before, and is not any more." : "";
  const text = `⚠️ ${whoOf(it)} added me to ${named(event)}.${before} I am silent there until an owner sends me ${typed("enable")} in it. If I have no business there, remove me.`;
  return { ...ended, text };
}

function whoOf({ listener, caller, event }: Changed): Markdown {
  const { account, name } = event.sender;
  if (!account) return `Somebody (${code(listener)} does not say who)`;
  const shown = (caller.pairing === null ? name : caller.name).slice(0, 100);
  return `${escapeInline(shown) || "Somebody"} (account ${code(account)} on ${code(listener)})`;
}

function named({ title, chat }: ChatChange): Markdown {
  return `"${escapeInline((title ?? chat.id).slice(0, 200))}"`;
}

/** Nobody is left there to answer: denied now rather than in an hour. */
export async function expireThere(
  { store, approvals }: Pick<TurnPorts, "store" | "approvals">,
  { listener, chat }: Address,
): Promise<void> {
  const open = await store.run(() => pendingQuestionsOnlyIn(listener, chat));
  for (const id of open) await approvals.expire(id, "unreachable");
}

interface Move {
  readonly from: string;
  readonly to: string;
  readonly title?: string | undefined;
}

/** The chat has a new id: what is enabled, said and still to be sent moves along. */
export async function migrate(
  ports: Pick<TurnPorts, "store" | "clock"> & { deliver: Pick<Deliver, "deliver"> },
  listener: string,
  it: Move,
): Promise<void> {
  ports.deliver.deliver(await ports.store.run(() => move(ports, listener, it)));
}

/** For the transaction that accepts the news: what people write there may come together with it. */
export function* move(
  { clock }: Pick<TurnPorts, "clock">,
  listener: string,
  { from, to, title }: Move,
): Op<OutboxRow[]> {
  const at = clock.now();
  yield* moveChat({ listener, from, to, at });
  yield* nameChat({ listener, chat: to, title, at });
  yield* moveConversations(listener, from, to);
  const open = yield* pendingQuestionsShownIn(listener, from);
  yield* moveCards(listener, from, to);
  return yield* moveOutbox(listener, { from, to }, open);
}
