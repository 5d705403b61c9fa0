// The addresses of the fake REST API, and what each does.
import { putCommands } from "./discord-commands.ts";
import { type Platform, tellGuild } from "./discord-events.ts";
import {
  deleteFollowUp,
  editFollowUp,
  followUp,
  getFollowUp,
  respond,
} from "./discord-interactions.ts";
import {
  createMessage,
  deleteMessage,
  editMessage,
  listMessages,
  needChannel,
  type Request,
} from "./discord-messages.ts";
import {
  channelJson,
  guildJson,
  guildMemberJson,
  isThread,
  messageJson,
} from "./discord-shapes.ts";
import { CHANNEL_TYPES, type Guild, type Json, refusals, type Stored } from "./discord-types.ts";
import type { World } from "./discord-world.ts";

/** Undefined is 204, without a body and without its type. */
export type Answer = Json | Json[] | undefined;

export interface Place extends Platform {
  url: () => string;
  starts: () => { total: number; remaining: number };
}

export interface Route {
  method: string;
  path: string;
  /** The token in the address is enough. */
  open?: true;
  run: (place: Place, request: Request) => Answer;
}

const webhook = "/webhooks/:application/:token";
const BOT_ADD = 28;

export const ROUTES = {
  getGateway: get("/gateway", ({ url }) => ({ url: url() })),
  getGatewayBot: get("/gateway/bot", ({ url, starts }) => ({
    ...{ url: url(), shards: 1 },
    session_start_limit: { ...starts(), reset_after: 86_400_000, max_concurrency: 1 },
  })),
  getMe: get("/users/@me", ({ world }) => ({ ...world.me })),
  getApplication: get("/applications/@me", getApplication),
  getApplicationOld: get("/oauth2/applications/@me", getApplication),
  getUser: get("/users/:user", ({ world }, { path }) => ({
    ...(world.users.get(path.user ?? "") ?? fail(refusals.noUser())),
  })),
  createDm: post("/users/@me/channels", createDm),
  getMyGuilds: get("/users/@me/guilds", ({ world }) =>
    [...world.guilds.values()]
      .filter(({ joined }) => joined)
      .map((guild) => ({ id: guild.id, name: guild.name, owner: false })),
  ),
  leaveGuild: { method: "DELETE", path: "/users/@me/guilds/:guild", run: leaveGuild },
  getGuild: get("/guilds/:guild", ({ world }, { path }) =>
    guildJson(world, needGuild(world, path.guild)),
  ),
  getMember: get("/guilds/:guild/members/:user", getMember),
  getAuditLog: get("/guilds/:guild/audit-logs", getAuditLog),
  getActiveThreads: get("/guilds/:guild/threads/active", getActiveThreads),
  getChannel: get("/channels/:channel", ({ world }, { path }) =>
    channelJson(needChannel(world, path.channel)),
  ),
  createMessage: post("/channels/:channel/messages", (place, request) =>
    shown(place, createMessage(place, request)),
  ),
  getMessages: get("/channels/:channel/messages", listMessages),
  getMessage: get("/channels/:channel/messages/:message", ({ world }, { path }) =>
    messageJson(world, world.needMessage(needChannel(world, path.channel), path.message ?? ""), {
      content: world.messageContentAllowed,
    }),
  ),
  editMessage: {
    ...{ method: "PATCH", path: "/channels/:channel/messages/:message" },
    run: (place, request) => shown(place, editMessage(place, request)),
  },
  deleteMessage: {
    ...{ method: "DELETE", path: "/channels/:channel/messages/:message" },
    run: (place, request) => void deleteMessage(place, request),
  },
  triggerTyping: post(
    "/channels/:channel/typing",
    ({ world }, { path }) => void needChannel(world, path.channel),
  ),
  respond: { ...post("/interactions/:interaction/:token/callback", respond), open: true },
  followUp: {
    ...post(webhook, (place, request) => shown(place, followUp(place, request))),
    open: true,
  },
  getFollowUp: {
    ...get(`${webhook}/messages/:message`, (place, request) =>
      shown(place, getFollowUp(place, request)),
    ),
    open: true,
  },
  editFollowUp: {
    ...{ method: "PATCH", path: `${webhook}/messages/:message`, open: true },
    run: (place, request) => shown(place, editFollowUp(place, request)),
  },
  deleteFollowUp: {
    ...{ method: "DELETE", path: `${webhook}/messages/:message`, open: true },
    run: (place, request) => void deleteFollowUp(place, request),
  },
  putCommands: { method: "PUT", path: "/applications/:application/commands", run: putCommands },
  getCommands: get("/applications/:application/commands", ({ world }) => [
    ...(world.commands.get("") ?? []),
  ]),
  putGuildCommands: {
    ...{ method: "PUT", path: "/applications/:application/guilds/:guild/commands" },
    run: putCommands,
  },
} satisfies Record<string, Route>;

function get(path: string, run: Route["run"]): Route {
  return { method: "GET", path, run };
}

function post(path: string, run: Route["run"]): Route {
  return { method: "POST", path, run };
}

function fail(failure: Error): never {
  throw failure;
}

function shown({ world }: Platform, stored: Stored): Json {
  return messageJson(world, stored, { content: true });
}

function getApplication({ world }: Place): Json {
  const { id, username } = world.me;
  // Either flag of the content intent: given by switch to bots in few guilds, by request to others.
  const flags = world.messageContentAllowed ? 1 << 19 : 0;
  return { id, name: username, description: "", flags, bot: world.me, bot_public: true };
}

function needGuild(world: World, id: string | undefined): Guild {
  const guild = world.guilds.get(id ?? "");
  if (!guild) throw refusals.noGuild();
  if (!guild.joined) throw refusals.noAccess();
  return guild;
}

/** Given also for people who take no messages: the refusal comes when one is sent. */
function createDm({ world }: Place, { body }: Request): Json {
  const user = world.users.get(String(body.recipient_id));
  if (!user || user.id === world.me.id) throw refusals.badRecipient();
  return channelJson(world.directWith(user));
}

function leaveGuild(place: Place, { path }: Request): undefined {
  const guild = needGuild(place.world, path.guild);
  guild.joined = false;
  tellGuild(place, guild);
}

function getMember({ world }: Place, { path }: Request): Json {
  const guild = needGuild(world, path.guild);
  const user = path.user === world.me.id ? world.me : guild.members.get(path.user ?? "");
  if (!user) throw world.users.has(path.user ?? "") ? refusals.noMember() : refusals.noUser();
  return guildMemberJson(user);
}

function getAuditLog({ world }: Place, { path, query }: Request): Json {
  const guild = needGuild(world, path.guild);
  if (!guild.permissions.has("ViewAuditLog")) throw refusals.noPermission();
  const type = query.get("action_type");
  const asked = type === null || Number(type) === BOT_ADD;
  const entries = asked ? guild.auditLog.toReversed() : [];
  return {
    audit_log_entries: entries.map(({ id, by }) => ({
      ...{ id, user_id: by.id, target_id: world.me.id, action_type: BOT_ADD },
    })),
    users: [world.me, ...entries.map(({ by }) => by)],
    ...{ integrations: [], webhooks: [], threads: [], application_commands: [] },
    ...{ guild_scheduled_events: [], auto_moderation_rules: [] },
  };
}

function getActiveThreads({ world }: Place, { path }: Request): Json {
  const guild = needGuild(world, path.guild);
  const threads = [...world.channels.values()].filter(
    (channel) =>
      channel.guild === guild && isThread(channel) && !channel.archived && !channel.deleted,
  );
  const visible = threads.filter(
    (channel) => world.sees(channel) && channel.type !== CHANNEL_TYPES.privateThread,
  );
  return { threads: visible.map(channelJson), members: [], has_more: false };
}
