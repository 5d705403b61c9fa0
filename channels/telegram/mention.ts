// Whether a group message is meant for us, and its text without our name. Offsets count UTF-16 units, as strings here do.
import type { Message, MessageEntity } from "grammy/types";

export interface Me {
  readonly id: number;
  readonly username: string;
}

interface Addressing {
  readonly text: string;
  readonly addressed: boolean;
}

export function addressing(message: Message, me: Me): Addressing {
  const text = message.text ?? message.caption ?? "";
  const entities = message.entities ?? message.caption_entities ?? [];
  const names = entities.filter((entity) => isOurs(text, entity, me));
  const first = commandAtStart(text, entities);
  const other = first?.name !== undefined && !isName(first.name, me);
  const addressed = !other && (names.length > 0 || isReplyToUs(message, me));
  return { text: withoutName(text, names), addressed };
}

/** A mention of us, or a command with our name. */
function isOurs(text: string, entity: MessageEntity, me: Me): boolean {
  if (entity.type === "text_mention") return entity.user.id === me.id;
  const shown = text.slice(entity.offset, entity.offset + entity.length);
  if (entity.type === "mention") return isName(shown.slice(1), me);
  return entity.type === "bot_command" && isName(shown.split("@")[1] ?? "", me);
}

function isName(name: string, { username }: Me): boolean {
  return username !== "" && name.toLowerCase() === username.toLowerCase();
}

function commandAtStart(text: string, entities: readonly MessageEntity[]) {
  const entity = entities.find(({ type, offset }) => type === "bot_command" && offset === 0);
  return entity && { name: text.slice(0, entity.length).split("@")[1] };
}

/** The opening of a topic is "replied to" by every message in it: that is no reply. */
export function isReply({ reply_to_message: replied }: Message): boolean {
  return replied !== undefined && replied.forum_topic_created === undefined;
}

function isReplyToUs(message: Message, me: Me): boolean {
  return isReply(message) && message.reply_to_message?.from?.id === me.id;
}

/** Our name goes from the start and the end, and off the command; elsewhere it is part of what is said. */
function withoutName(text: string, names: readonly MessageEntity[]): string {
  let shown = text;
  for (const { type, offset, length } of [...names].sort((a, b) => b.offset - a.offset)) {
    const end = offset + length;
    if (type === "bot_command") {
      const bare = text.slice(offset, end).split("@")[0] ?? "";
      shown = shown.slice(0, offset) + bare + shown.slice(end);
    } else if (shown.slice(end).trim() === "") {
      shown = shown.slice(0, offset).trimEnd();
    } else if (text.slice(0, offset).trim() === "") {
      shown = shown.slice(end).replace(/^[\s,:]+/, "");
    }
  }
  return shown;
}
