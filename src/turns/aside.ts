// How one person of a group is told what is for them alone: in place where the platform can, else in their direct chat.
import { escapeInline } from "../approvals/card.ts";
import type { Channel, Listener, Only } from "../core/channel.ts";
import type { MessageRef, PressRef } from "../core/events.ts";
import type { Address, ListenerId, Markdown } from "../core/words.ts";
import { chatTitle } from "../store/chats.ts";
import { addressOf } from "./admission.ts";
import type { Answered } from "./after.ts";
import type { TurnPorts } from "./ports.ts";

export interface Spot {
  readonly to: Address;
  /** Shown to this account alone. */
  readonly only?: Only;
  /** Says what it is about, away from where that was said. */
  readonly opening?: Markdown;
}

/** Whether the sender can be told alone in the very place. */
export function canWhisper(
  listener: Listener | undefined,
  { press }: Pick<Answered, "press">,
): boolean {
  return (
    listener?.whisper !== undefined && (press !== undefined || !listener.whispersToPressesOnly)
  );
}

/** Undefined: they cannot be told alone at all, so that they are told nothing. */
export async function asideFor(
  { store, ...ports }: Pick<TurnPorts, "store" | "listener">,
  id: ListenerId,
  event: Answered,
): Promise<Spot | undefined> {
  const { chat, sender, press } = event;
  const here = addressOf(id, event);
  if (chat.kind === "direct") return { to: here };
  const listener = ports.listener(id);
  if (canWhisper(listener, event)) {
    const only = { account: sender.account, ...(press ? { press } : {}) };
    return { to: here, only };
  }
  const to = await listener?.openDirect?.(sender.account).catch(() => undefined);
  if (!to) return undefined;
  const title = await store.run(() => chatTitle(id, chat.id));
  return { to, opening: `*In ${title ? `"${escapeInline(title)}"` : "the group"}:*` };
}

/** What an answer shows as answered, in groups and where each answer says so: nothing where there is no message, as for a slash command. */
export function quoting(
  channel: Pick<Channel, "oneMessage"> | undefined,
  { kind }: { readonly kind: "direct" | "group" },
  message: MessageRef | undefined,
): { readonly replyTo?: MessageRef } {
  return (kind === "group" || channel?.oneMessage) && message?.id ? { replyTo: message } : {};
}

/** A slash command that is answered elsewhere, or not at all: the platform stops waiting. */
export function closePress(
  ports: Pick<TurnPorts, "listener" | "log">,
  id: ListenerId,
  press: PressRef | undefined,
): void {
  if (!press) return;
  const closed = ports.listener(id)?.answerPress?.(press);
  closed?.catch((error) => ports.log.debug({ listener: id, error }, "A command stays open"));
}
