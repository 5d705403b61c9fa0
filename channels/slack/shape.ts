// What Slack sends, before anything is read from it: the fields that are read here, each of the kind that it should be.
// What is null, of another kind or unknown is as good as absent.
import type { Body, SlackMessage } from "./wire.ts";

type Shape = "text" | "flag" | "count" | readonly [Fields] | Fields;
interface Fields {
  readonly [field: string]: Shape;
}

const file: Fields = {
  ...{ id: "text", name: "text", title: "text", mimetype: "text", mode: "text" },
  ...{ size: "count", is_external: "flag" },
};
const attachment: Fields = {
  ...{ is_share: "flag", is_msg_unfurl: "flag" },
  ...{ author_id: "text", author_name: "text", text: "text" },
};
const message: Fields = {
  ...{ type: "text", subtype: "text", hidden: "flag", user: "text", bot_id: "text" },
  ...{ text: "text", ts: "text", thread_ts: "text", parent_user_id: "text" },
  ...{ user_team: "text", source_team: "text", team: "text" },
  edited: { user: "text", ts: "text" },
  files: [file],
  attachments: [attachment],
};
const event: Fields = {
  ...message,
  ...{ channel: "text", channel_type: "text", event_ts: "text", inviter: "text" },
  ...{ actor_id: "text", tab: "text", old_channel_id: "text", new_channel_id: "text" },
  message,
  previous_message: message,
};
const eventBody: Fields = {
  ...{ type: "text", team_id: "text", enterprise_id: "text", event_id: "text" },
  ...{ context_team_id: "text", context_enterprise_id: "text", is_ext_shared_channel: "flag" },
  authorizations: [{ team_id: "text", enterprise_id: "text" }],
  event,
};
const actionBody: Fields = {
  ...{ type: "text", response_url: "text" },
  user: { id: "text", name: "text", team_id: "text" },
  team: { id: "text", enterprise_id: "text" },
  enterprise: { id: "text" },
  channel: { id: "text" },
  container: {
    ...{ type: "text", message_ts: "text", channel_id: "text" },
    ...{ thread_ts: "text", is_ephemeral: "flag" },
  },
  message: { ts: "text", thread_ts: "text" },
  actions: [{ type: "text", value: "text", action_ts: "text" }],
};
const commandBody: Fields = {
  ...{ command: "text", text: "text", team_id: "text", enterprise_id: "text" },
  ...{ user_id: "text", user_name: "text", channel_id: "text", channel_name: "text" },
  ...{ trigger_id: "text", response_url: "text" },
};

export function bodyOf(sent: unknown): Body {
  const { type, command } = isRecord(sent) ? sent : {};
  if (type === "event_callback") return fieldsOf(sent, eventBody) as Body;
  if (type === "block_actions") return fieldsOf(sent, actionBody) as Body;
  return typeof command === "string" ? (fieldsOf(sent, commandBody) as Body) : {};
}

/** Of the history of a conversation. */
export function messageOf(sent: unknown): SlackMessage {
  return fieldsOf(sent, message);
}

function fieldsOf(value: unknown, fields: Fields): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  if (!isRecord(value)) return read;
  for (const [name, shape] of Object.entries(fields)) {
    const found = readAs(value[name], shape);
    if (found !== undefined) read[name] = found;
  }
  return read;
}

function readAs(value: unknown, shape: Shape): unknown {
  if (shape === "text") return typeof value === "string" ? value : undefined;
  if (shape === "flag") return typeof value === "boolean" ? value : undefined;
  if (shape === "count") return Number.isSafeInteger(value) ? value : undefined;
  if (!isList(shape)) return isRecord(value) ? fieldsOf(value, shape) : undefined;
  return Array.isArray(value)
    ? value.filter(isRecord).map((one) => fieldsOf(one, shape[0]))
    : undefined;
}

function isList(shape: readonly [Fields] | Fields): shape is readonly [Fields] {
  return Array.isArray(shape);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
