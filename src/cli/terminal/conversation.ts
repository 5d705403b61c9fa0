// What a chat has seen so far, as a pure state: events in, the items to show out.
import type { Shown, TerminalEvent } from "./events.ts";

export type Item =
  | ({ readonly is: "message" } & Shown)
  | { readonly is: "said"; readonly id: string; readonly text: string }
  /** Of this program itself: dim. */
  | { readonly is: "note"; readonly text: string };

export interface Conversation {
  readonly items: readonly Item[];
  readonly typing: boolean;
}

export const emptyConversation: Conversation = { items: [], typing: false };

const itemsMost = 300;
/** A message that changes further up than this is shown again, below: up there nobody would see it. */
const redrawn = 8;

export function after(conversation: Conversation, event: TerminalEvent): Conversation {
  const { items } = conversation;
  switch (event.type) {
    case "posted":
    case "edited":
      return { typing: false, items: withMessage(items, event) };
    case "removed":
      return {
        ...conversation,
        items: items.filter((one) => one.is !== "message" || one.id !== event.id),
      };
    case "said":
      return items.some((one) => one.is === "said" && one.id === event.id)
        ? conversation
        : withItem(conversation, { is: "said", id: event.id, text: event.text });
    case "typing":
      return { ...conversation, typing: true };
    case "gap":
      return withItem(conversation, {
        is: "note",
        text: "(some messages of before are not shown)",
      });
    case "notice":
      return withItem(conversation, { is: "note", text: event.text });
  }
}

export function withItem(conversation: Conversation, item: Item): Conversation {
  return { ...conversation, items: [...conversation.items, item].slice(-itemsMost) };
}

function withMessage(items: readonly Item[], { id, text, buttons, file }: Shown): readonly Item[] {
  const message: Item = { is: "message", id, text, buttons, ...(file ? { file } : {}) };
  const index = items.findLastIndex((one) => one.is === "message" && one.id === id);
  return index < 0 || index < items.length - redrawn
    ? [...items, message].slice(-itemsMost)
    : items.with(index, message);
}

/** The newest message that can be answered with a key. */
export function openCard({ items }: Conversation): Shown | undefined {
  return items.findLast(
    (one): one is Item & { is: "message" } => one.is === "message" && one.buttons.length > 0,
  );
}
