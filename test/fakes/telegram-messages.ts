// The API methods that post, change and remove messages, and answer presses.
import { readCaption, readMarkup, readReply, readText, readThread } from "./telegram-content.ts";
import { flagParam, intParam, jsonParam, textParam } from "./telegram-params.ts";
import { badRequest, type FakeMessage, type Params, type Upload } from "./telegram-types.ts";
import type { Room, StoredFile, StoredMessage, World } from "./telegram-world.ts";

export interface MethodCall {
  world: World;
  params: Params;
  uploads: Map<string, Upload>;
}

const DELETABLE_SECONDS = 48 * 3_600;

export function sendMessage({ world, params }: MethodCall): FakeMessage {
  const { text, entities } = readText(params);
  const preview = jsonParam(params, "link_preview_options");
  return post({ world, params }, () => ({
    text,
    ...(entities.length > 0 && { entities }),
    ...(preview !== undefined && { link_preview_options: preview }),
  }));
}

/** `content` runs when the room is known to take the message, and not before. */
export function post(
  { world, params }: { world: World; params: Params },
  content: (room: Room) => Partial<FakeMessage> & { file?: StoredFile },
): FakeMessage {
  const markup = readMarkup(params);
  const room = world.roomForBot(intParam(params, "chat_id"));
  const thread = readThread(room, params);
  const reply = readReply(world, room, params);
  const { file, ...shown } = content(room);
  const message: FakeMessage = {
    message_id: world.nextMessageId(room),
    date: world.seconds,
    chat: room.chat,
    from: world.me,
    ...thread,
    ...reply,
    ...shown,
    ...(markup && { reply_markup: markup }),
  };
  const silent = flagParam(params, "disable_notification");
  world.store(room, message, { silent, ...(file && { file }) });
  world.counters.sent += 1;
  return message;
}

export function editMessageText({ world, params }: MethodCall): FakeMessage {
  const { text, entities } = readText(params, "MESSAGE_TOO_LONG");
  const markup = readMarkup(params);
  const stored = editable(world, params);
  if (stored.message.text === undefined)
    throw badRequest("there is no text in the message to edit");
  const preview = jsonParam(params, "link_preview_options");
  const {
    entities: _old,
    link_preview_options: _preview,
    reply_markup: _markup,
    ...rest
  } = stored.message;
  return replace(world, stored, {
    ...rest,
    text,
    ...(entities.length > 0 && { entities }),
    ...(preview !== undefined && { link_preview_options: preview }),
    ...(markup && { reply_markup: markup }),
  });
}

export function editMessageCaption({ world, params }: MethodCall): FakeMessage {
  const { text, entities } = readCaption(params);
  const markup = readMarkup(params);
  const stored = editable(world, params);
  const {
    caption: _old,
    caption_entities: _entities,
    reply_markup: _markup,
    ...rest
  } = stored.message;
  return replace(world, stored, {
    ...rest,
    ...(text !== "" && { caption: text }),
    ...(entities.length > 0 && { caption_entities: entities }),
    ...(markup && { reply_markup: markup }),
  });
}

export function editMessageReplyMarkup({ world, params }: MethodCall): FakeMessage {
  const markup = readMarkup(params);
  const stored = editable(world, params);
  const { reply_markup: _old, ...rest } = stored.message;
  return replace(world, stored, { ...rest, ...(markup && { reply_markup: markup }) });
}

function editable(world: World, params: Params): StoredMessage {
  const room = world.roomForBot(intParam(params, "chat_id"));
  const id = intParam(params, "message_id");
  if (id === undefined) throw badRequest("message identifier is not specified");
  const stored = world.find(room, id);
  if (!stored) throw badRequest("message to edit not found");
  if (stored.message.from?.id !== world.me.id) throw badRequest("message can't be edited");
  return stored;
}

function replace(world: World, stored: StoredMessage, wanted: Partial<FakeMessage>): FakeMessage {
  const old = stored.message;
  const changed =
    old.text !== wanted.text ||
    old.caption !== wanted.caption ||
    !same(old.entities, wanted.entities) ||
    !same(old.caption_entities, wanted.caption_entities) ||
    !same(old.reply_markup, wanted.reply_markup);
  if (!changed)
    throw badRequest(
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
  stored.message = { ...(wanted as FakeMessage), edit_date: world.seconds };
  stored.edits += 1;
  world.counters.edited += 1;
  return stored.message;
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

export function deleteMessage({ world, params }: MethodCall): true {
  const room = world.roomForBot(intParam(params, "chat_id"));
  const id = intParam(params, "message_id");
  if (id === undefined) throw badRequest("message identifier is not specified");
  const stored = world.find(room, id);
  if (!stored) throw badRequest("message to delete not found");
  const foreign =
    stored.message.from?.id !== world.me.id &&
    room.chat.type !== "private" &&
    room.membership !== "administrator";
  const old = world.seconds - stored.message.date > DELETABLE_SECONDS;
  if (foreign || old) throw badRequest("message can't be deleted for everyone");
  room.entries.delete(id);
  world.counters.deleted += 1;
  return true;
}

export function answerCallbackQuery({ world, params }: MethodCall): true {
  const press = world.presses.get(textParam(params, "callback_query_id") ?? "");
  if (!press || world.now() - press.at > world.pressLifetimeMs)
    throw badRequest("query is too old and response timeout expired or query ID is invalid");
  const text = textParam(params, "text") ?? "";
  if (text.length > 200) throw badRequest("MESSAGE_TOO_LONG");
  const alert = flagParam(params, "show_alert");
  press.answers.push({ text, alert });
  if (text !== "") world.storeNotice(press.chatId, { to: press.from, text, alert });
  return true;
}

export function sendChatAction({ world, params }: MethodCall): true {
  if (!textParam(params, "action")) throw badRequest("wrong parameter action in request");
  const room = world.roomForBot(intParam(params, "chat_id"));
  readThread(room, params);
  return true;
}
