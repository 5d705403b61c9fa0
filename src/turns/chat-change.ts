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
import { moveChat, nameChat, openSince, setEnabled } from "../store/chats.ts";
import { moveConversations } from "../store/conversations.ts";
import { finishEntry } from "../store/inbox.ts";
import { moveOutbox } from "../store/outbox.ts";
import type { Op } from "../store/query.ts";
import type { TurnPorts } from "./ports.ts";
import { respond } from "./respond.ts";

interface Changed {
  readonly id: number;
  readonly listener: string;
  readonly caller: Caller;
  readonly event: ChatChange;
}

export async function onChat(ports: TurnPorts, it: Changed): Promise<void> {
  const { id, listener, event } = it;
  const { chat, change, to, title } = event;
  if (change === "added" && chat.kind === "group") return onAdded(ports, it);
  if (change === "migrated" && to) await migrate(ports, listener, { from: chat.id, to, title });
  if (change === "blocked" || change === "removed")
    await expireThere(ports, { listener, chat: chat.id });
  await ports.store.run(() => finishEntry(id, "ok"));
}

async function onAdded(ports: TurnPorts, it: Changed): Promise<void> {
  const { id, listener, caller, event } = it;
  const byOwner = may(caller, "enable");
  const others = await ports.store.run(function* () {
    yield* nameChat({ ...event, listener, chat: event.chat.id, at: ports.clock.now() });
    yield* finishEntry(id, "ok");
    return byOwner ? undefined : yield* addedByOther(ports, it);
  });
  if (others) await ports.alarm.tell(others);
  if (byOwner) await tellWhoAdded(ports, it);
}

async function tellWhoAdded(ports: TurnPorts, { listener, event }: Changed): Promise<void> {
  const { sender } = event;
  const direct = await ports
    .listener(listener)
    ?.openDirect?.(sender.account)
    .catch(() => undefined);
  if (!direct) return;
  const text = `I am in ${named(event)} now, and silent there until an owner sends ${typed("enable")} in it, addressed to me.`;
  const chat = { id: direct.chat, kind: "direct" as const };
  const message = { chat: direct.chat, id: "" };
  await respond(ports, { listener, event: { chat, message, sender }, text });
}

/** A flood of groups must not flood the owners: the rest is in the audit rows. */
const toldInADay = 3;
/** Some platforms tell that we are in a chat when it has got a new id. */
const justNow = 60_000;

/** Silence there, whatever was before; gives what owners are to be told. */
function* addedByOther({ clock }: TurnPorts, it: Changed): Op<Markdown | undefined> {
  const { listener, caller, event } = it;
  const at = clock.now();
  const chat = event.chat.id;
  const open = yield* openSince(listener, chat);
  if (open !== undefined && Math.abs(at - open) < justNow) return undefined;
  if (open !== undefined) yield* setEnabled({ listener, chat, enabled: false, at });
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
  if (!(yield* takeOneOf(toldInADay, `added ${listener}`, at))) return undefined;
  const before = open === undefined ? "" : " It was open to me before, and is not any more.";
  return `⚠️ ${whoOf(it)} added me to ${named(event)}.${before} I am silent there until an owner sends ${typed("enable")} in it, addressed to me. If I have no business there, remove me.`;
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

/** The chat has a new id: what is enabled, said and still to be sent moves along. */
export async function migrate(
  ports: Pick<TurnPorts, "store" | "clock"> & { deliver: Pick<Deliver, "deliver"> },
  listener: string,
  { from, to, title }: { from: string; to: string; title?: string | undefined },
): Promise<void> {
  const at = ports.clock.now();
  const rows = await ports.store.run(function* () {
    yield* moveChat({ listener, from, to, at });
    yield* nameChat({ listener, chat: to, title, at });
    yield* moveConversations(listener, from, to);
    const open = yield* pendingQuestionsShownIn(listener, from);
    yield* moveCards(listener, from, to);
    return yield* moveOutbox(listener, { from, to }, open);
  });
  ports.deliver.deliver(rows);
}
