// What the fake Discord is made of: people, guilds, channels, messages and interactions, as the platform knows them.

export type Id = string;

/** A Discord user as the API shows it. */
export interface FakeUser {
  id: Id;
  username: string;
  global_name: string | null;
  discriminator: "0";
  avatar: null;
  bot?: true;
}

export const CHANNEL_TYPES = { text: 0, dm: 1, publicThread: 11, privateThread: 12, forum: 15 };

export interface Guild {
  readonly id: Id;
  name: string;
  owner: FakeUser;
  members: Map<Id, FakeUser>;
  /** What the bot may do in all of its channels. */
  permissions: Set<Permission>;
  /** The bot is in it. */
  joined: boolean;
  /** Who added the bot, each time. */
  auditLog: { id: Id; by: FakeUser }[];
}

export interface Channel {
  readonly id: Id;
  readonly type: number;
  name: string;
  guild: Guild | undefined;
  /** The channel of a thread, the forum of a post. */
  parent: Channel | undefined;
  /** Who the bot talks with in a direct chat. */
  person: FakeUser | undefined;
  owner: Id | undefined;
  messages: Map<Id, Stored>;
  lastMessageId: Id | null;
  /** What the bot may not do here although the guild lets it. */
  denied: Set<Permission>;
  archived: boolean;
  locked: boolean;
  deleted: boolean;
}

/** Who was notified by a message: what `allowed_mentions` is about. */
export interface Pings {
  everyone: boolean;
  users: Id[];
  roles: Id[];
}

export interface Button {
  text: string;
  customId: string | undefined;
  url: string | undefined;
  style: number;
  disabled: boolean;
}

export interface StoredFile {
  id: Id;
  name: string;
  title: string | undefined;
  mime: string;
  size: number;
  /** Undefined for a file that only pretends to be large. */
  bytes: Uint8Array | undefined;
  url: string;
}

export interface Stored {
  readonly id: Id;
  readonly channel: Channel;
  readonly type: number;
  author: FakeUser;
  webhookId: Id | undefined;
  content: string;
  createdAt: number;
  editedAt: number | undefined;
  edits: number;
  replyTo: Id | undefined;
  mentions: FakeUser[];
  pings: Pings;
  files: StoredFile[];
  components: Json[];
  flags: number;
  nonce: string | number | undefined;
  /** The one person who sees it. */
  onlyFor: FakeUser | undefined;
  /** A deferred answer that is still "thinking". */
  thinking: boolean;
  interaction: Interaction | undefined;
  /** Raw fields of the platform, added as they are. */
  raw: Json;
}

export interface Interaction {
  readonly id: Id;
  readonly token: string;
  readonly by: FakeUser;
  readonly channel: Channel;
  readonly at: number;
  /** The message whose button was pressed. */
  readonly pressed: Stored | undefined;
  /** The custom id of the button, or the name of the command. */
  readonly name: string;
  readonly data: Json;
  /** Type of the first answer: 4 message, 5 thinking, 6 nothing to see, 7 the pressed message changed. */
  answer: number | undefined;
  answeredAt: number | undefined;
  /** What `@original` means. */
  original: Stored | undefined;
  /** Every message that came of it. */
  messages: Stored[];
  expired: boolean;
}

export type Json = Record<string, unknown>;

export const PERMISSIONS = {
  ViewAuditLog: 7,
  ViewChannel: 10,
  SendMessages: 11,
  ManageMessages: 13,
  EmbedLinks: 14,
  AttachFiles: 15,
  ReadMessageHistory: 16,
  MentionEveryone: 17,
  SendMessagesInThreads: 38,
};
export type Permission = keyof typeof PERMISSIONS;

/** Bits of the flags of a message. */
export const FLAGS = {
  suppressEmbeds: 1 << 2,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  silent: 1 << 12,
};

/** A refusal of the REST API: thrown by routes, written to the wire by the server. */
export class RestFailure extends Error {
  readonly status: number;
  readonly code: number;
  readonly more: Json;
  readonly headers: Record<string, string>;
  constructor(
    status: number,
    { code, message, ...more }: { code: number; message: string } & Json,
    headers: Record<string, string> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.more = more;
    this.headers = headers;
  }
}

export const refusals = {
  unauthorised: () => new RestFailure(401, { code: 0, message: "401: Unauthorized" }),
  noRoute: () => new RestFailure(404, { code: 0, message: "404: Not Found" }),
  noChannel: () => new RestFailure(404, { code: 10003, message: "Unknown Channel" }),
  noGuild: () => new RestFailure(404, { code: 10004, message: "Unknown Guild" }),
  noMember: () => new RestFailure(404, { code: 10007, message: "Unknown Member" }),
  noMessage: () => new RestFailure(404, { code: 10008, message: "Unknown Message" }),
  noUser: () => new RestFailure(404, { code: 10013, message: "Unknown User" }),
  noWebhook: () => new RestFailure(404, { code: 10015, message: "Unknown Webhook" }),
  noInteraction: () => new RestFailure(404, { code: 10062, message: "Unknown interaction" }),
  acknowledged: () =>
    new RestFailure(400, {
      ...{ code: 40060, message: "Interaction has already been acknowledged." },
    }),
  tooLarge: () => new RestFailure(413, { code: 40005, message: "Request entity too large" }),
  noAccess: () => new RestFailure(403, { code: 50001, message: "Missing Access" }),
  inDirect: () =>
    new RestFailure(403, { code: 50003, message: "Cannot execute action on a DM channel" }),
  notAuthor: () =>
    new RestFailure(403, {
      ...{ code: 50005, message: "Cannot edit a message authored by another user" },
    }),
  empty: () => new RestFailure(400, { code: 50006, message: "Cannot send an empty message" }),
  closedToYou: () =>
    new RestFailure(403, { code: 50007, message: "Cannot send messages to this user" }),
  noneInCommon: () =>
    new RestFailure(403, {
      code: 50278,
      message: "Cannot send messages to this user due to having no mutual guilds",
    }),
  nonText: () =>
    new RestFailure(400, { code: 50008, message: "Cannot send messages in a non-text channel" }),
  noPermission: () => new RestFailure(403, { code: 50013, message: "Missing Permissions" }),
  badToken: () => new RestFailure(401, { code: 50027, message: "Invalid Webhook Token" }),
  badRecipient: () => new RestFailure(400, { code: 50033, message: "Invalid Recipient(s)" }),
  locked: () => new RestFailure(403, { code: 160005, message: "Thread is locked" }),
};

/** `errors` by the dotted path of the field. */
export function badForm(errors: Record<string, { code: string; message: string }>): RestFailure {
  const tree: Json = {};
  for (const [path, error] of Object.entries(errors)) {
    let at = tree;
    for (const step of path.split(".")) {
      at[step] ??= {};
      at = at[step] as Json;
    }
    at._errors = [error];
  }
  return new RestFailure(400, { code: 50035, message: "Invalid Form Body", errors: tree });
}
