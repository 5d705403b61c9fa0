// Messages come, change and go, and the app is told of those in conversations that it is in.
import type { Deliveries } from "./slack-deliveries.ts";
import { called, hasLink, mrkdwnOf } from "./slack-text.ts";
import type { FakeMember, Room, SlackMessage, StoredMessage } from "./slack-types.ts";
import type { SlackWorld } from "./slack-world.ts";
import type { Params } from "./telegram-types.ts";

export interface Platform {
  readonly world: SlackWorld;
  readonly deliveries: Deliveries;
  /** What the app may do; `files:read` and such. */
  readonly scopes: Set<string>;
  readonly changed: () => void;
  /** Where the fake listens. */
  readonly url: () => string;
}

/** An event as the Events API wraps it. */
export function tell({ world, deliveries }: Platform, event: Params, room?: Room): string {
  const { me } = world;
  const event_id = world.id("Ev");
  const enterprise_id = me.enterprise ?? null;
  const authorization = { enterprise_id, team_id: me.team, user_id: me.user };
  deliveries.push("events_api", {
    token: "verification",
    team_id: me.team,
    ...(me.enterprise && { enterprise_id }),
    context_team_id: me.team,
    context_enterprise_id: enterprise_id,
    api_app_id: me.appId,
    event,
    type: "event_callback",
    event_id,
    event_time: Math.floor(world.now() / 1_000),
    authorizations: [{ ...authorization, is_bot: true, is_enterprise_install: false }],
    is_ext_shared_channel: room?.shared ?? false,
    event_context: `4-${event_id}`,
  });
  return event_id;
}

export function isHeard({ world }: Platform, room: Room): boolean {
  return room.members.has(world.me.user);
}

function tellIn(platform: Platform, room: Room, event: Params): void {
  if (!isHeard(platform, room)) return;
  const place = { channel: room.id, channel_type: room.kind };
  tell(platform, { ...event, ...place, event_ts: event.event_ts ?? event.ts }, room);
}

export interface Posted {
  readonly message: SlackMessage;
  readonly byBot: boolean;
  /** Absent: when it has links. */
  readonly preview?: boolean;
}

export function post(platform: Platform, room: Room, { message, byBot, preview }: Posted): void {
  const { world, changed } = platform;
  const linked = hasLink(mrkdwnOf(message));
  world.store(room, { message, byBot, edits: 0, preview: linked && (preview ?? true) });
  const { thread_ts } = message;
  const parent = thread_ts === undefined ? undefined : world.find(room, thread_ts);
  if (parent && thread_ts !== undefined) parent.message.thread_ts = thread_ts;
  tellIn(platform, room, { ...message });
  const forUs = !byBot && called(message.text).includes(world.me.user);
  if (forUs && room.kind !== "im") mention(platform, room, message);
  changed();
}

/** The same post once more, as an event of its own and without its channel's type. */
function mention(platform: Platform, room: Room, message: SlackMessage): void {
  if (!isHeard(platform, room)) return;
  const { subtype: _, root: __, ...rest } = message;
  tell(platform, { ...rest, type: "app_mention", channel: room.id, event_ts: message.ts }, room);
}

/** Only the app's own call says that it was edited; Slack itself adds previews and languages without a word. */
export function change(
  platform: Platform,
  { room, stored }: { room: Room; stored: StoredMessage },
  fields: Partial<SlackMessage>,
): void {
  const previous = stored.message;
  const message = { ...previous, ...fields } as SlackMessage;
  for (const [key, value] of Object.entries(fields)) if (value === undefined) delete message[key];
  stored.message = message;
  if (fields.edited) stored.edits += 1;
  tellIn(platform, room, {
    ...{ type: "message", subtype: "message_changed", hidden: true, ts: platform.world.ts() },
    message,
    previous_message: previous,
  });
  platform.changed();
}

const tombstone = {
  subtype: "tombstone",
  text: "This message was deleted.",
  user: "USLACKBOT",
  hidden: true,
};

/** With replies below it a stone remains. */
export function remove(
  platform: Platform,
  { room, stored }: { room: Room; stored: StoredMessage },
): void {
  const { world, changed } = platform;
  const { message } = stored;
  if (world.repliesTo(room, message.ts).length > 0) {
    change(platform, { room, stored }, {
      ...tombstone,
      blocks: undefined,
      files: undefined,
    } as never);
    stored.gone = true;
    return;
  }
  room.messages = room.messages.filter((one) => one !== stored);
  tellIn(platform, room, {
    ...{ type: "message", subtype: "message_deleted", hidden: true, deleted_ts: message.ts },
    ts: world.ts(),
    previous_message: message,
  });
  changed();
}

/** Who came or went, as an event of its own and as a line in the conversation. */
export function announce(
  platform: Platform,
  room: Room,
  { member, event, inviter }: { member: FakeMember; event: "joined" | "left"; inviter?: string },
): void {
  const ts = platform.world.ts();
  const invited = inviter ? { inviter } : {};
  const type = `member_${event}_channel`;
  const channel_type = room.kind === "channel" ? "C" : "G";
  const who = { user: member.id, channel: room.id, channel_type, team: member.team, ...invited };
  if (isHeard(platform, room)) tell(platform, { type, ...who, event_ts: ts }, room);
  const subtype = event === "joined" ? `${room.kind}_join` : `${room.kind}_leave`;
  const text = `<@${member.id}> has ${event} the channel`;
  const message: SlackMessage = { type: "message", subtype, ts, user: member.id, text, ...invited };
  post(platform, room, { message, byBot: member.id === platform.world.me.user });
}
