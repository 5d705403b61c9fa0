// Checks what a bot wants to post: text and captions with their markup and limits, inline keyboards, replies, topics.
import { hasLoneSurrogate, parseHtml } from "./telegram-html.ts";
import { flagParam, intParam, isRecord, jsonParam, textParam } from "./telegram-params.ts";
import {
  type Button,
  badRequest,
  type Entity,
  type FakeMessage,
  type Markup,
  type Params,
} from "./telegram-types.ts";
import type { Room, World } from "./telegram-world.ts";

export interface Formatted {
  text: string;
  entities: Entity[];
}

const TEXT_LIMIT = 4_096;
const CAPTION_LIMIT = 1_024;
const CALLBACK_DATA_BYTES = 64;
const BUTTONS = 100;

/** `tooLong`: the platform words it differently for a new message and for an edit. */
export function readText(params: Params, tooLong = "message is too long"): Formatted {
  const formatted = readFormatted(params, "text", "entities");
  if (formatted.text === "") throw badRequest("message text is empty");
  if (formatted.text.length > TEXT_LIMIT) throw badRequest(tooLong);
  return formatted;
}

export function readCaption(params: Params): Formatted {
  const formatted = readFormatted(params, "caption", "caption_entities");
  if (formatted.text.length > CAPTION_LIMIT) throw badRequest("message caption is too long");
  return formatted;
}

function readFormatted(params: Params, name: string, entitiesName: string): Formatted {
  const source = clean(textParam(params, name) ?? "");
  if (hasLoneSurrogate(source)) throw badRequest(`${name} must be encoded in UTF-8`);
  const mode = textParam(params, "parse_mode")?.toLowerCase() ?? "";
  if (mode === "") return trim({ text: source, entities: readEntities(params, entitiesName) });
  // The other dialects of the platform are not spoken here.
  if (mode !== "html") throw badRequest("unsupported parse_mode");
  const parsed = parseHtml(source);
  if ("problem" in parsed) throw badRequest(`can't parse entities: ${parsed.problem}`);
  return trim(parsed);
}

function readEntities(params: Params, name: string): Entity[] {
  const given = jsonParam(params, name);
  if (given === undefined) return [];
  if (!Array.isArray(given)) throw badRequest("expected an Array of MessageEntity");
  return given.filter(isEntity);
}

function isEntity(value: unknown): value is Entity {
  return (
    isRecord(value) &&
    typeof value.type === "string" &&
    typeof value.offset === "number" &&
    typeof value.length === "number"
  );
}

/** The platform drops carriage returns and direction overrides, and turns other control characters into spaces. */
function clean(text: string): string {
  if (!/[^\n\x20-\u2027\u202f-\u{10ffff}]/u.test(text)) return text;
  return text.replace(/[\r\u2028-\u202e]/g, "").replace(/[^\n\x20-\u{10ffff}]/gu, " ");
}

/** The platform cuts white space at both ends, and the entities with it. */
function trim({ text, entities }: Formatted): Formatted {
  const firstEntity = entities[0]?.offset ?? text.length;
  const lead = Math.min(firstEntity, text.length - text.trimStart().length);
  const end = Math.max(lead, text.trimEnd().length);
  if (lead === 0 && end === text.length) return { text, entities };
  const kept = entities
    .map((entity) => ({
      ...entity,
      offset: entity.offset - lead,
      length: Math.min(entity.offset + entity.length, end) - entity.offset,
    }))
    .filter((entity) => entity.length > 0);
  return { text: text.slice(lead, end), entities: kept };
}

/** Undefined for no keyboard: on an edit that removes the one that was there. */
export function readMarkup(params: Params): Markup | undefined {
  const given = jsonParam(params, "reply_markup");
  if (given === undefined) return undefined;
  if (!isRecord(given)) throw badRequest("object expected as reply markup");
  // Custom keyboards, their removal and forced replies change nothing here that a test could see.
  if (!("inline_keyboard" in given)) return undefined;
  const rows = given.inline_keyboard;
  if (!Array.isArray(rows) || !rows.every((row): row is unknown[] => Array.isArray(row)))
    throw badRequest(
      'can\'t parse inline keyboard button: field "inline_keyboard" must be an Array of Arrays',
    );
  const keyboard = rows.map((row) => row.map(readButton)).filter((row) => row.length > 0);
  if (keyboard.flat().length > BUTTONS) throw badRequest("reply markup is too long");
  return keyboard.length === 0 ? undefined : { inline_keyboard: keyboard };
}

function readButton(given: unknown): Button {
  if (!isRecord(given) || typeof given.text !== "string" || given.text.trim() === "")
    throw badRequest("can't parse inline keyboard button: text must be non-empty");
  const text = given.text;
  if (typeof given.url === "string") {
    if (!/^(https?|tg):\/\/./.test(given.url)) throw badRequest("BUTTON_URL_INVALID");
    return { ...given, text, url: given.url };
  }
  if (typeof given.callback_data !== "string")
    throw badRequest(
      "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
    );
  const bytes = Buffer.byteLength(given.callback_data);
  if (bytes < 1 || bytes > CALLBACK_DATA_BYTES) throw badRequest("BUTTON_DATA_INVALID");
  return { ...given, text, callback_data: given.callback_data };
}

/** Where in the room a new message goes. General has no thread id: naming one, even 1, is an error. */
export function readThread(room: Room, params: Params): Partial<FakeMessage> {
  const id = intParam(params, "message_thread_id");
  if (id === undefined || id === 0) return {};
  if (!room.topics.has(id)) throw badRequest("message thread not found");
  return { message_thread_id: id, is_topic_message: true };
}

export function readReply(world: World, room: Room, params: Params): Partial<FakeMessage> {
  const given = jsonParam(params, "reply_parameters");
  const reply = isRecord(given) ? given : { message_id: params.reply_to_message_id };
  const id = intParam(reply, "message_id");
  if (id === undefined) return {};
  const target = world.find(room, id);
  if (target) return { reply_to_message: withoutReply(target.message) };
  if (flagParam(reply, "allow_sending_without_reply")) return {};
  throw badRequest("message to be replied not found");
}

/** A quoted message never shows what it replied to itself. */
export function withoutReply(message: FakeMessage): FakeMessage {
  const { reply_to_message: _dropped, ...rest } = message;
  return rest as FakeMessage;
}
