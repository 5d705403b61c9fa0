// From Slack's events, actions and commands to ours: pure. What no person said to us ends here.
import type {
  ButtonPress,
  EventSender,
  HomeOpened,
  InboundEvent,
  InboundMessage,
} from "../../src/core/events.ts";
import type { ChatRef } from "../../src/core/words.ts";
import { chatChange } from "./chat-change.ts";
import { filesOf, quoteOf, unreadableOf } from "./content.ts";
import { accountOf, isDirect, msOf, stamp } from "./ids.ts";
import { pressId } from "./press.ts";
import { mentions, type NameOf, readable, withCommand, withoutMention } from "./text.ts";
import {
  type ActionBody,
  type Body,
  type CommandBody,
  type EventBody,
  isAction,
  isCommand,
  isEvent,
  type Me,
  type SlackEvent,
  type SlackMessage,
} from "./wire.ts";

export interface App {
  readonly me: Me;
  /** Where a mention at the top of a channel is answered. */
  readonly replies: "thread" | "channel";
  readonly nameOf: NameOf;
  /** Our own direct conversation with a user, where it is known. */
  readonly dmOf: NameOf;
  /** For presses and commands, which carry no time of their own. */
  now(): number;
}

/** Null: not for us. Throws for what is none of Slack's bodies. */
export function toInboundEvent(body: Body, app: App): InboundEvent | null {
  if (isEvent(body)) return eventOf(body, app);
  if (isAction(body)) return pressOf(body, app);
  if (isCommand(body)) return commandOf(body, app);
  return null;
}

function eventOf(body: EventBody, app: App): InboundEvent | null {
  const { event } = body;
  if (!isHeardFor(body, app.me)) return null;
  if (!event) throw new Error("an event without its content");
  if (event.type === "app_home_opened") return homeOf(body, event, app);
  // Of an edit that adds a mention the changed message is told as well.
  if (event.type === "app_mention") return event.edited ? null : saidIn(body, event, app);
  if (event.type !== "message") return chatChange(event, app.me);
  if (event.subtype === "message_changed") return editOf(body, event, app);
  return saidIn(body, event, app);
}

/**
 * An app that is installed in several workspaces hears of all of them, and user ids count within one: this token is of one.
 * Where workspaces share a channel, Slack names any of those that the app is in.
 */
function isHeardFor(body: EventBody, me: Me): boolean {
  if (body.is_ext_shared_channel) return true;
  const { team_id, enterprise_id, context_team_id, context_enterprise_id } = body;
  const homes = [
    ...(body.authorizations ?? []),
    { team_id, enterprise_id },
    { team_id: context_team_id, enterprise_id: context_enterprise_id },
  ].flatMap((home) => [home.team_id, home.enterprise_id].filter((id) => id !== undefined));
  return homes.length === 0 || homes.some((id) => id === me.team || id === me.enterprise);
}

/** A message as it stands in an event, or in the history of a channel. */
export function saidIn(
  body: Pick<EventBody, "is_ext_shared_channel" | "team_id">,
  message: SlackEvent,
  app: App,
): InboundMessage | null {
  const { me } = app;
  const { channel, ts, text: raw = "" } = message;
  if (!isSaid(message, me) || !channel) return null;
  const direct = isDirect(channel, message.channel_type);
  const named = mentions(raw, me.user);
  const chat = chatOf(channel, message, { direct, named, app });
  const text = readable(withCommand(withoutMention(raw, me.user)), nameWith(app));
  const unreadable = text ? undefined : unreadableOf(message);
  return {
    kind: "message",
    key: `${me.team}:${channel}:${stamp(ts)}`,
    at: msOf(ts),
    chat,
    sender: senderOf(message, body, app),
    message: { chat: channel, id: stamp(ts), ...threadIn(chat) },
    text,
    addressed: direct || named || isReplyToUs(message, me),
    ...quoteOf(message, me, nameWith(app)),
    files: filesOf(message),
    ...(unreadable === undefined ? {} : { unreadable }),
  };
}

const spoken: ReadonlySet<string> = new Set(["file_share", "thread_broadcast", "me_message"]);

/** Apps, our own messages, Slack itself and what merely happened are no persons. */
function isSaid({ subtype, user, bot_id, hidden }: SlackMessage, me: Me): boolean {
  if (!user || user === me.user || user === "USLACKBOT" || bot_id || hidden) return false;
  return subtype === undefined || spoken.has(subtype);
}

function isReplyToUs({ ts, thread_ts, parent_user_id }: SlackMessage, me: Me): boolean {
  return thread_ts !== undefined && thread_ts !== ts && parent_user_id === me.user;
}

function chatOf(
  channel: string,
  { ts, thread_ts }: SlackMessage,
  { direct, named, app }: { direct: boolean; named: boolean; app: App },
): ChatRef {
  const kind = direct ? "direct" : "group";
  if (thread_ts !== undefined && thread_ts !== ts)
    return { id: channel, kind, thread: stamp(thread_ts) };
  // A mention opens the thread that it will be answered in.
  const opens = !direct && named && app.replies === "thread";
  return { id: channel, kind, ...(opens ? { thread: stamp(ts) } : {}) };
}

function threadIn({ thread }: ChatRef): { thread?: string } {
  return thread === undefined ? {} : { thread };
}

function editOf(body: EventBody, event: SlackEvent, app: App): InboundEvent | null {
  const { message, previous_message: before, channel, channel_type } = event;
  const { edited } = message ?? {};
  // A preview was added, a thread has one more reply: nobody changed a word.
  if (!message || !edited?.ts || edited.ts === before?.edited?.ts) return null;
  if (before && before.text === message.text) return null;
  const said = saidIn(body, { ...message, ...where({ channel, channel_type }) }, app);
  if (!said) return null;
  const { key } = said;
  return { ...said, key: `${key}:edit:${edited.ts}`, at: msOf(edited.ts), edited: { key } };
}

function where(it: { channel: string | undefined; channel_type: string | undefined }) {
  const { channel, channel_type } = it;
  return {
    ...(channel === undefined ? {} : { channel }),
    ...(channel_type === undefined ? {} : { channel_type }),
  };
}

function pressOf(body: ActionBody, app: App): ButtonPress | null {
  const { me } = app;
  const { user, actions, container, message, response_url: url } = body;
  const [action] = actions ?? [];
  const channel = body.channel?.id ?? container?.channel_id;
  if (action?.type !== "button" || action.value === undefined || !user?.id || !channel) return null;
  const ts = container?.message_ts ?? message?.ts;
  const under = container?.thread_ts ?? message?.thread_ts;
  const thread = under !== undefined && under !== ts ? { thread: stamp(under) } : {};
  const at = app.now();
  const home = user.team_id ?? body.team?.id;
  return {
    kind: "press",
    key: `${me.team}:a:${channel}:${ts ?? ""}:${user.id}:${stamp(action.action_ts)}`,
    at,
    chat: { id: channel, kind: isDirect(channel) ? "direct" : "group", ...thread },
    sender: {
      account: accountOf({ user: user.id, team: home, ours: isOurs(body, me) }, me),
      name: app.nameOf(user.id) ?? user.name ?? user.id,
    },
    press: { id: pressId({ url, channel, user: user.id, at, ...thread }) },
    data: action.value,
    // Of what was shown to one person alone Slack tells no message that could be changed.
    ...(ts && !container?.is_ephemeral
      ? { message: { chat: channel, id: stamp(ts), ...thread } }
      : {}),
  };
}

/** `/sallyport tasks` is `/tasks`: a workspace has one space of names for all apps. */
function commandOf(body: CommandBody, app: App): InboundMessage | null {
  const { me } = app;
  const { user_id: user, channel_id: there, trigger_id, text = "", response_url: url } = body;
  if (!user || !there || !trigger_id) return null;
  // In a conversation of two people nobody else may be answered: it goes on in our own with this one.
  const dm = body.channel_name === "directmessage" ? app.dmOf(user) : undefined;
  const channel = dm ?? there;
  const at = app.now();
  const said = readable(text, nameWith(app)).trim().replace(/^[/!]/, "");
  const ours = body.enterprise_id !== undefined && body.enterprise_id === me.enterprise;
  return {
    kind: "message",
    key: `${me.team}:s:${trigger_id}`,
    at,
    chat: { id: channel, kind: dm || isDirect(channel) ? "direct" : "group" },
    sender: {
      account: accountOf({ user, team: body.team_id, ours }, me),
      name: app.nameOf(user) ?? body.user_name ?? user,
    },
    message: { chat: channel, id: "" },
    text: `/${said || "help"}`,
    addressed: true,
    files: [],
    press: { id: pressId({ url, channel: there, user, at }) },
  };
}

function homeOf(body: EventBody, event: SlackEvent, app: App): HomeOpened | null {
  const { user, channel = "", tab, event_ts } = event;
  if (tab !== "home" || !user) return null;
  return {
    kind: "home",
    key: `${app.me.team}:h:${user}:${event_ts ?? body.event_id ?? ""}`,
    at: msOf(event_ts),
    chat: { id: channel, kind: "direct" },
    sender: senderOf(event, body, app),
  };
}

function senderOf(
  message: SlackMessage,
  body: Pick<EventBody, "is_ext_shared_channel" | "team_id">,
  { me, nameOf }: App,
): EventSender {
  const { user = "", user_team, source_team, team } = message;
  const home = user_team ?? source_team ?? team;
  // An organisation has many workspaces, and its people have one id in all of them.
  const ours = me.enterprise !== undefined && body.is_ext_shared_channel === false;
  return {
    account: accountOf({ user, team: home, ours }, me),
    name: nameOf(user) ?? user,
  };
}

function isOurs({ team, enterprise }: ActionBody, me: Me): boolean {
  const of = enterprise?.id ?? team?.enterprise_id;
  return of !== undefined && of === me.enterprise;
}

function nameWith({ nameOf, me }: App): NameOf {
  return (id) => nameOf(id) ?? (id === me.user ? "me" : undefined);
}
