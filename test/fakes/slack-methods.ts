// The methods of the fake Web API: what the app asks for, and what it needs for that.
import { checkBlocks } from "./slack-blocks.ts";
import { CHAT_METHODS, type Method, ownRoom } from "./slack-chat-methods.ts";
import { completeUpload, fileInfo, openUpload } from "./slack-files.ts";
import type { Platform } from "./slack-posting.ts";
import { withIds } from "./slack-pressing.ts";
import { type Block, type Room, SlackFailure, type SlackMessage } from "./slack-types.ts";
import type { Params } from "./telegram-types.ts";

const authTest: Method = ({ world }) => {
  const { user, botId, team, name, enterprise } = world.me;
  return {
    ...{ url: "https://fake.slack.com/", team: "Fake", user: name.toLowerCase() },
    ...{ team_id: team, user_id: user, bot_id: botId, is_enterprise_install: false },
    ...(enterprise && { enterprise_id: enterprise }),
  };
};

const openConversation: Method = ({ world }, params) => {
  const users = String(params.users ?? "")
    .split(",")
    .filter(Boolean);
  if (params.channel !== undefined) return { channel: { id: world.roomOf(params.channel).id } };
  const [user] = users;
  if (user === undefined) throw new SlackFailure("users_list_not_supplied");
  const members = users.map((id) => world.memberOf(id));
  if (members.some(({ botId, id }) => botId || id === world.me.user))
    throw new SlackFailure("cannot_dm_bot");
  if (members.some(({ deleted }) => deleted)) throw new SlackFailure("user_disabled");
  if (users.length === 1) return { channel: { id: world.dm(user).id } };
  const room = world.addRoom({ name: "mpdm", kind: "mpim", members: [...users, world.me.user] });
  return { channel: { id: room.id } };
};

const conversationInfo: Method = ({ world }, params) => {
  const room = world.roomOf(params.channel);
  const is_member = room.members.has(world.me.user);
  if (!is_member && room.kind !== "channel") throw new SlackFailure("channel_not_found");
  const { id, name, kind, shared, archived, members } = room;
  const user = [...members].find((one) => one !== world.me.user);
  return {
    channel: {
      ...{ id, is_im: kind === "im", is_mpim: kind === "mpim", is_channel: kind === "channel" },
      ...{ is_group: kind === "group", is_private: kind !== "channel", is_archived: archived },
      ...{ is_ext_shared: shared, is_shared: shared, context_team_id: world.me.team },
      ...(kind === "im" ? { user } : { name, is_member, num_members: members.size }),
    },
  };
};

const history: Method = (platform, params) => {
  const room = ownRoom(platform, params.channel);
  const top = publicOf(room).filter(
    ({ ts, thread_ts, subtype }) =>
      thread_ts === undefined || thread_ts === ts || subtype === "thread_broadcast",
  );
  return paged(top.reverse(), params);
};

const replies: Method = (platform, params) => {
  const room = ownRoom(platform, params.channel);
  const all = publicOf(room);
  const asked = all.find(({ ts }) => ts === params.ts);
  if (!asked) throw new SlackFailure("thread_not_found");
  const root = asked.thread_ts ?? asked.ts;
  const below = all.filter(({ ts, thread_ts }) => thread_ts === root && ts !== root);
  const { messages, ...rest } = paged(below, params);
  // What the thread is about comes with every page.
  const top = all.filter(({ ts }) => ts === root);
  return { messages: [...top, ...(messages as SlackMessage[])], ...rest };
};

function publicOf({ messages }: Room): SlackMessage[] {
  return messages.filter(({ onlyFor }) => onlyFor === undefined).map(({ message }) => message);
}

function paged(messages: readonly SlackMessage[], params: Params): Params {
  const { oldest = "0", latest = "9", inclusive = false, limit = 100, cursor = "0" } = params;
  const within = messages.filter(({ ts }) => {
    if (inclusive && (ts === oldest || ts === latest)) return true;
    return ts > String(oldest) && ts < String(latest);
  });
  const start = Number(cursor);
  const end = start + Math.min(1_000, Math.max(1, Number(limit)));
  const has_more = end < within.length;
  return {
    messages: within.slice(start, end),
    has_more,
    response_metadata: { next_cursor: has_more ? String(end) : "" },
  };
}

const userInfo: Method = ({ world }, params) => {
  const { id, name, team, guest, botId, deleted } = world.memberOf(params.user);
  const { enterprise } = world.me;
  const profile = { real_name: name, display_name: name, team };
  return {
    user: {
      ...{ id, team_id: team, name: name.toLowerCase(), real_name: name, profile },
      ...{ deleted: deleted ?? false, is_bot: botId !== undefined, is_restricted: guest },
      ...{ is_ultra_restricted: false, is_stranger: team !== world.me.team, is_app_user: false },
      ...(enterprise && { enterprise_user: { id, enterprise_id: enterprise, teams: [team] } }),
    },
  };
};

const publish: Method = ({ world, changed }, params) => {
  const user = world.memberOf(params.user_id);
  const view = params.view as { type?: string; blocks?: Block[]; hash?: string } | undefined;
  if (view?.type !== "home") throw new SlackFailure("invalid_arguments");
  checkBlocks(view.blocks, 100);
  const known = world.homes.get(user.id);
  if (params.hash !== undefined && known && params.hash !== known.hash)
    throw new SlackFailure("hash_conflict");
  const id = known?.id ?? world.id("V");
  const hash = `${world.ts()}.${world.secret().slice(0, 8)}`;
  const own = { ...view, blocks: withIds(view.blocks ?? []), id, hash, team_id: world.me.team };
  world.homes.set(user.id, own);
  changed();
  return { view: own };
};

const ignored: Method = () => ({});

export const METHODS: Record<string, Method> = {
  ...CHAT_METHODS,
  "api.test": ignored,
  "auth.test": authTest,
  "conversations.open": openConversation,
  "conversations.info": conversationInfo,
  "conversations.history": history,
  "conversations.replies": replies,
  "users.info": userInfo,
  "views.publish": publish,
  "reactions.add": ignored,
  "reactions.remove": ignored,
  "files.getUploadURLExternal": openUpload,
  "files.completeUploadExternal": completeUpload,
  "files.info": fileInfo,
};

const SCOPES: Record<string, string> = {
  "chat.postMessage": "chat:write",
  "chat.update": "chat:write",
  "chat.delete": "chat:write",
  "chat.postEphemeral": "chat:write",
  "conversations.open": "im:write",
  "users.info": "users:read",
  "files.getUploadURLExternal": "files:write",
  "files.completeUploadExternal": "files:write",
  "files.info": "files:read",
  "reactions.add": "reactions:write",
  "reactions.remove": "reactions:write",
};

const HISTORY_SCOPES = {
  im: "im:history",
  mpim: "mpim:history",
  channel: "channels:history",
  group: "groups:history",
} as const;

export const ALL_SCOPES: readonly string[] = [
  ...new Set([...Object.values(SCOPES), ...Object.values(HISTORY_SCOPES), "commands"]),
];

export function checkScope(platform: Platform, method: string, params: Params): void {
  const needed = method.match(/^conversations\.(history|replies)$/)
    ? HISTORY_SCOPES[platform.world.roomOf(params.channel).kind]
    : SCOPES[method];
  if (needed === undefined || platform.scopes.has(needed)) return;
  const provided = [...platform.scopes].join(",");
  throw new SlackFailure("missing_scope", { more: { needed, provided } });
}
