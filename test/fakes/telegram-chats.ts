// Chats of the fake platform: private chats, groups and forums, topics, and what happens to the bot in them.
import type { Platform } from "./telegram-people.ts";
import { ApiFailure, type FakeChat, type FakeMessage, type FakeUser } from "./telegram-types.ts";
import type { Membership, Room } from "./telegram-world.ts";

export interface GroupSpec {
  id?: number;
  title?: string;
  /** With topics. */
  forum?: boolean;
  /** A group of the old kind, which can still be migrated. */
  basic?: boolean;
  /** False: the bot has yet to be added. */
  joined?: boolean;
}

const FIRST_SUPERGROUP = -1_001_000_000_000;

export function addPrivateChat({ world }: Platform, user: FakeUser): FakeChat {
  const known = world.rooms.get(user.id);
  if (known) return known.chat;
  const { id, first_name, username } = user;
  return world.addRoom({ id, type: "private", first_name, ...(username && { username }) }).chat;
}

export function addGroup({ world }: Platform, spec: GroupSpec): FakeChat {
  const number = world.serial();
  const id = spec.id ?? (spec.basic ? -5_000 - number : FIRST_SUPERGROUP - number);
  const type = spec.basic ? "group" : "supergroup";
  const chat: FakeChat = { id, type, title: spec.title ?? "Group" };
  if (spec.forum) chat.is_forum = true;
  const room = world.addRoom(chat);
  if (spec.joined === false) {
    room.membership = "left";
    room.refusal = refusalOf(room, "left");
  }
  return room.chat;
}

/** A topic's id is the id of the service message that opened it. */
export function openTopic(
  { world, queue, changed }: Platform,
  room: Room,
  spec: {
    name: string;
    by: FakeUser;
  },
): number {
  if (!room.chat.is_forum) throw new Error("only a forum has topics");
  // The first id of a forum is taken by the message that made it one: General is never a thread id.
  if (room.lastMessageId === 0) world.nextMessageId(room);
  const id = world.nextMessageId(room);
  const message: FakeMessage = {
    message_id: id,
    date: world.seconds,
    chat: room.chat,
    from: spec.by,
    message_thread_id: id,
    is_topic_message: true,
    forum_topic_created: { name: spec.name, icon_color: 7322096 },
  };
  world.store(room, message);
  room.topics.set(id, message);
  queue.push({ message });
  changed();
  return id;
}

/**
 * The bot is added, promoted, removed; in a private chat `kicked` is a block and `member` its end.
 * Being added to a group is told twice: as a change of membership, and as a service message.
 */
export function setMembership(
  { world, queue, changed }: Platform,
  room: Room,
  { by, status }: { by: FakeUser; status: Membership },
): number | undefined {
  const before = room.membership;
  room.membership = status;
  room.refusal = isOut(status) ? refusalOf(room, status) : undefined;
  const updateId = queue.push({
    my_chat_member: {
      chat: room.chat,
      from: by,
      date: world.seconds,
      old_chat_member: { user: world.me, status: before },
      new_chat_member: { user: world.me, status, ...(status === "kicked" && { until_date: 0 }) },
    },
  });
  if (room.chat.type !== "private" && isOut(before) && !isOut(status)) {
    const message: FakeMessage = {
      ...{ message_id: world.nextMessageId(room), date: world.seconds, chat: room.chat, from: by },
      new_chat_members: [world.me],
    };
    world.store(room, message);
    queue.push({ message });
  }
  changed();
  return updateId;
}

function isOut(status: Membership): boolean {
  return status === "kicked" || status === "left";
}

function refusalOf(room: Room, status: Membership): ApiFailure {
  if (room.chat.type === "private")
    return new ApiFailure(403, "Forbidden: bot was blocked by the user");
  const kind = room.chat.type === "supergroup" ? "supergroup" : "group";
  const what = status === "kicked" ? "was kicked from" : "is not a member of";
  return new ApiFailure(403, `Forbidden: bot ${what} the ${kind} chat`);
}

/** A basic group becomes a supergroup with another id; the old id answers with the new one. */
export function migrate(
  { world, queue, changed }: Platform,
  room: Room,
  { by, tellBot }: { by: FakeUser; tellBot: boolean },
): FakeChat {
  const id = FIRST_SUPERGROUP - world.serial();
  const old = room.chat;
  const next = world.addRoom({ ...old, id, type: "supergroup" });
  room.refusal = new ApiFailure(400, "Bad Request: group chat was upgraded to a supergroup chat", {
    migrate_to_chat_id: id,
  });
  if (tellBot) {
    const notes = [
      { room, field: "migrate_to_chat_id", value: id },
      { room: next, field: "migrate_from_chat_id", value: old.id },
    ];
    for (const note of notes) {
      const message: FakeMessage = {
        message_id: world.nextMessageId(note.room),
        date: world.seconds,
        chat: note.room.chat,
        from: by,
        [note.field]: note.value,
      };
      world.store(note.room, message);
      queue.push({ message });
    }
  }
  changed();
  return next.chat;
}
