// /share and /unshare: an owner makes all who are paired in a group continue one conversation, in a sandbox of its own.

import { join } from "node:path";
import { audit } from "../access/audit.ts";
import { may } from "../access/authorise.ts";
import { typed } from "../core/command-text.ts";
import type { ConversationId, ListenerId } from "../core/words.ts";
import { isEnabled, isSharedChat, nameChat, setEnabled, setShared } from "../store/chats.ts";
import {
  conversationsIn,
  findListed,
  isShared,
  type Listed,
  setConversationAside,
  sharedAndIdle,
} from "../store/conversations.ts";
import { countOpen } from "../store/inbox.ts";
import type { Op } from "../store/query.ts";
import type { Asked } from "./lists.ts";
import { openly, type Reply } from "./openly.ts";
import { sharedHomes, sharedKey } from "./places.ts";
import type { TurnPorts } from "./ports.ts";
import { type StopEffect, stopAllIn } from "./stop.ts";

/** Opens the chat as well: what is shared has to be heard. */
export async function share(ports: TurnPorts, asked: Asked): Promise<Reply> {
  const refused = refusal(asked);
  if (refused) return refused;
  const { listener, event } = asked;
  const chat = { listener, chat: event.chat.id };
  const at = ports.clock.now();
  const already = await ports.store.run(function* () {
    return (yield* isEnabled(listener, chat.chat)) && (yield* isSharedChat(listener, chat.chat));
  });
  if (already)
    return `This chat is shared already: everybody in it who is paired continues one conversation. ${typed("unshare")} ends that.`;
  // Not without being told: whoever writes here must know who else goes on with it.
  return openly(
    `From now on everybody here who is paired continues one conversation with me (in threads, one in each), in a sandbox of its own; each line is passed on with its author's name. I answer when I am addressed. What each of you said to me here before stays your own. ${typed("unshare")} ends it.`,
    function* () {
      yield* setEnabled({ ...chat, enabled: true, at });
      yield* nameChat({ ...chat, title: event.title, at });
      yield* setShared({ ...chat, shared: true, at });
      yield* note(asked, at, "shared");
    },
  );
}

/** `end`: what runs is told, once it is committed. */
export async function unshare(
  ports: TurnPorts,
  asked: Asked,
  end: (effect: StopEffect) => void,
): Promise<Reply> {
  const refused = refusal(asked);
  if (refused) return refused;
  const { listener, event } = asked;
  const at = ports.clock.now();
  const ended = await ports.store.run(function* () {
    if (!(yield* isSharedChat(listener, event.chat.id))) return undefined;
    yield* note(asked, at, "unshared");
    return yield* endSharing(ports, listener, event.chat.id);
  });
  if (!ended) return "Nothing is shared here: each of you has a conversation of your own with me.";
  leave(ports, ended, end);
  return openly(
    `Nothing is shared here any more: each of you has a conversation of your own with me again, and nobody's goes on from what was shared.${lostText(ended, "send")}`,
  );
}

export interface Ended {
  /** What was shared. */
  readonly conversations: readonly ConversationId[];
  readonly effect: StopEffect;
}

/** Hand it to `leave` once it is committed. */
function* endSharing(ports: TurnPorts, listener: ListenerId, chat: string): Op<Ended> {
  const shared = yield* setSharedAside(ports, listener, chat);
  return {
    conversations: shared.map(({ id }) => id),
    effect: yield* stopAllIn(ports.approvals, shared),
  };
}

/** Silence there: nothing is shared, runs or waits in it any more, for anybody. Hand it to `leave` once it is committed. */
export function* closeChat(ports: TurnPorts, listener: ListenerId, chat: string): Op<Ended> {
  yield* setEnabled({ listener, chat, enabled: false, at: ports.clock.now() });
  const shared = yield* setSharedAside(ports, listener, chat);
  return {
    conversations: shared.map(({ id }) => id),
    effect: yield* stopAllIn(ports.approvals, yield* conversationsIn(listener, chat)),
  };
}

function* setSharedAside(
  { clock }: Pick<TurnPorts, "clock">,
  listener: ListenerId,
  chat: string,
): Op<Listed[]> {
  yield* setShared({ listener, chat, shared: false, at: clock.now() });
  const shared = (yield* conversationsIn(listener, chat)).filter(isShared);
  for (const one of shared) if (one.current) yield* setConversationAside(one);
  return shared;
}

/** What ran there ends, and what it knew goes: not waited for, as whoever said it may have more to say meanwhile. */
export function leave(
  ports: TurnPorts,
  { conversations, effect }: Ended,
  end: (effect: StopEffect) => void,
): void {
  end(effect);
  const why = "The conversation is not shared any more, so its sandbox was closed.";
  Promise.all(conversations.map((id) => ports.agent.end(sharedKey(id), why)))
    .then(() => forgetHomes(ports))
    .catch((error) => ports.log.error({ error }, "What was shared could not be removed yet"));
}

/** `send`: what was dropped can be said again there. */
export function lostText({ effect }: Ended, then?: "send"): string {
  const { turns, waiting } = effect;
  const stopped = turns.length > 0 ? " What I was doing is stopped." : "";
  if (waiting === 0) return stopped;
  const [dropped, it] =
    waiting === 1
      ? [" One message that waited was dropped", "it"]
      : [` ${waiting} messages that waited were dropped`, "them"];
  return `${stopped}${dropped}${then ? `: send ${it} again` : ""}.`;
}

/** What nobody wrote in for so long begins anew: each thread that is shared has a home, and homes are not to pile up. */
export async function forgetIdle(ports: HomePorts, before: number): Promise<void> {
  await ports.store.run(function* () {
    for (const one of yield* sharedAndIdle(before))
      if ((yield* countOpen(one.id)) === 0) yield* setConversationAside(one);
  });
  await forgetHomes(ports);
}

type HomePorts = Pick<TurnPorts, "store" | "log" | "homes" | "removeHome">;

/** Homes of conversations that nobody shares any more, also of those that a dead gateway left. */
export async function forgetHomes({ store, log, ...ports }: HomePorts): Promise<void> {
  for (const id of await sharedHomes(ports.homes)) {
    const found = await store.run(() => findListed(id));
    if (found && isShared(found) && found.current) continue;
    if (!(await ports.removeHome(join(ports.homes, sharedKey(id)))))
      log.warn({ conversation: id }, "A home that was shared could not be removed whole");
  }
}

function refusal({ caller, event }: Asked): string | undefined {
  if (event.chat.kind === "direct") return "That is for groups: send it to me there.";
  return may(caller, "enable")
    ? undefined
    : "Only an owner can make people share a conversation, or end that.";
}

function* note({ caller, listener, event }: Asked, at: number, outcome: string): Op<void> {
  const place = `${listener} ${event.chat.id}`;
  const row = { at, who: caller.id, name: caller.name, place, target: event.chat.id, why: "" };
  yield* audit({ ...row, action: "chat", outcome });
}
