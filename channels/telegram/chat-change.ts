// What happens to a chat, or to us in it. The key is what happened, so that a renumbered update is still a duplicate.
import type { ChatMemberUpdated, Message } from "grammy/types";
import type { ChatChange } from "../../src/core/events.ts";

/** Null for what changes nothing for us: a promotion, other rights, a channel. */
export function memberChange(update: ChatMemberUpdated, bot: number): ChatChange | null {
  const { chat, from, date } = update;
  if (chat.type === "channel") return null;
  const direct = chat.type === "private";
  const before = isIn(update.old_chat_member);
  const after = isIn(update.new_chat_member);
  if (before === after) return null;
  const change = direct ? (after ? "unblocked" : "blocked") : after ? "added" : "removed";
  return {
    kind: "chat",
    key: `${bot}:chat:${chat.id}:${date}:${change}`,
    at: date * 1000,
    chat: { id: String(chat.id), kind: direct ? "direct" : "group" },
    sender: { account: String(from.id), name: from.first_name },
    change,
    ...(chat.title === undefined ? {} : { title: chat.title }),
  };
}

function isIn(member: ChatMemberUpdated["new_chat_member"]): boolean {
  if (member.status === "restricted") return member.is_member;
  return member.status !== "left" && member.status !== "kicked";
}

/** It is told twice, in the old chat and in the new one: both make the same event. */
export function migration(message: Message, bot: number): ChatChange | null {
  const { chat, from, migrate_to_chat_id, migrate_from_chat_id } = message;
  const old = migrate_to_chat_id === undefined ? migrate_from_chat_id : chat.id;
  const to = migrate_to_chat_id ?? (migrate_from_chat_id === undefined ? undefined : chat.id);
  if (old === undefined || to === undefined) return null;
  const account = String(from?.id ?? to);
  return {
    kind: "chat",
    key: `${bot}:chat:${old}:migrated:${to}`,
    at: message.date * 1000,
    chat: { id: String(old), kind: "group" },
    sender: { account, name: from?.first_name ?? "" },
    change: "migrated",
    to: String(to),
    ...(chat.title === undefined ? {} : { title: chat.title }),
  };
}
