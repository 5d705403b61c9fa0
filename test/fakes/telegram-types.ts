// The shapes that the fake Bot API server passes around: narrow, hand-written, open to raw fields.

export interface FakeUser {
  id: number;
  is_bot: boolean;
  first_name: string;
  last_name?: string;
  username?: string;
}

export interface FakeChat {
  id: number;
  type: "private" | "group" | "supergroup" | "channel";
  title?: string;
  username?: string;
  first_name?: string;
  is_forum?: true;
}

export interface Entity {
  type: string;
  offset: number;
  length: number;
  url?: string;
  language?: string;
  user?: FakeUser;
  custom_emoji_id?: string;
}

export interface Button {
  text: string;
  callback_data?: string;
  url?: string;
}

export interface Markup {
  inline_keyboard: Button[][];
}

/** A message as the Bot API shows it. Raw fields of the platform may be added freely. */
export interface FakeMessage {
  message_id: number;
  date: number;
  chat: FakeChat;
  from?: FakeUser;
  message_thread_id?: number;
  is_topic_message?: true;
  reply_to_message?: FakeMessage;
  text?: string;
  entities?: Entity[];
  caption?: string;
  caption_entities?: Entity[];
  reply_markup?: Markup;
  edit_date?: number;
  [field: string]: unknown;
}

/** An update without its number: the queue gives it one. */
export type RawUpdate = Record<string, unknown>;

/** A file as it came in a multipart upload. */
export interface Upload {
  name: string;
  mime: string;
  bytes: Uint8Array;
}

export type Params = Record<string, unknown>;

/** One call of the bot, as it is kept for tests. `at` is the server's clock; the token is nowhere in it. */
export interface Call {
  method: string;
  params: Params;
  at: number;
  /** HTTP status of the answer; undefined while pending, dropped or hanging. */
  status?: number;
}

export interface FailureParameters {
  retry_after?: number;
  migrate_to_chat_id?: number;
}

/** An answer of the API that is not ok. Thrown by methods, written to the wire by the server. */
export class ApiFailure extends Error {
  code: number;
  parameters: FailureParameters | undefined;
  constructor(code: number, description: string, parameters?: FailureParameters) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

export function badRequest(what: string): ApiFailure {
  return new ApiFailure(400, `Bad Request: ${what}`);
}
