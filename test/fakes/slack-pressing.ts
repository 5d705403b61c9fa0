// Buttons, slash commands and App Home: what the app is sent, what its acknowledgement shows, and where it can answer.
import { type Platform, post, tell } from "./slack-posting.ts";
import { buttonsOf, type PlacedButton } from "./slack-text.ts";
import type {
  Block,
  Button,
  FakeMember,
  Room,
  SlackMessage,
  StoredMessage,
} from "./slack-types.ts";
import type { Params } from "./telegram-types.ts";

export interface SeenButton {
  readonly text: string;
  readonly actionId: string;
  readonly value: string | undefined;
}

export interface Pressed {
  readonly triggerId: string;
  /** Absent for App Home. */
  readonly responseUrl?: string;
}

interface Presser {
  readonly member: FakeMember;
  readonly errors: string[];
}

interface Target {
  readonly room: Room;
  readonly stored: StoredMessage;
  readonly label: string;
  readonly was?: SeenButton;
}

export function press(platform: Platform, by: Presser, target: Target): Pressed {
  const { room, stored, label, was } = target;
  const { message, onlyFor } = stored;
  const placed = was ? formerButton(was) : findButton(message.blocks, label);
  if (!placed) throw new Error(`message ${message.ts} has no button ${JSON.stringify(label)}`);
  const { ts, thread_ts } = message;
  const container = { message_ts: ts, channel_id: room.id, is_ephemeral: onlyFor !== undefined };
  const response = addResponse(platform, { room: room.id, user: by.member.id, ts });
  const trigger = pushPress(platform, by, placed, {
    container: { type: "message", ...container, ...(thread_ts && { thread_ts }) },
    channel: { id: room.id, name: nameOf(room) },
    ...(onlyFor === undefined && { message }),
    state: { values: {} },
    response_url: response,
  });
  return { triggerId: trigger, responseUrl: response };
}

export function pressHome(platform: Platform, by: Presser, label: string): Pressed {
  const view = platform.world.homes.get(by.member.id);
  const placed = findButton(view?.blocks as Block[] | undefined, label);
  if (!placed || !view) throw new Error(`App Home has no button ${JSON.stringify(label)}`);
  const container = { type: "view", view_id: view.id };
  return { triggerId: pushPress(platform, by, placed, { container, view }) };
}

function pushPress(
  { world, deliveries }: Platform,
  { member, errors }: Presser,
  { block, button }: PlacedButton,
  more: Params,
): string {
  const { me } = world;
  const triggerId = `${world.id("")}.${world.secret()}`;
  const enterprise = me.enterprise ? { id: me.enterprise, name: "Grid" } : null;
  const { action_id, text, value } = button;
  const action = { action_id, block_id: block.block_id, text, type: "button" };
  deliveries.push(
    "interactive",
    {
      type: "block_actions",
      user: {
        id: member.id,
        username: member.name.toLowerCase(),
        name: member.name.toLowerCase(),
        team_id: member.team,
      },
      api_app_id: me.appId,
      token: "verification",
      trigger_id: triggerId,
      team: {
        id: me.team,
        domain: "fake",
        ...(enterprise && { enterprise_id: enterprise.id, enterprise_name: enterprise.name }),
      },
      enterprise,
      is_enterprise_install: false,
      actions: [{ ...action, ...(value !== undefined && { value }), action_ts: world.ts() }],
      ...more,
    },
    { lost: () => errors.push(`The app did not respond to ${JSON.stringify(text.text)}.`) },
  );
  return triggerId;
}

export function slash(
  platform: Platform,
  by: Presser,
  { room, command, text }: { room: Room; command: string; text: string },
): Pressed {
  const { world, deliveries } = platform;
  const { me } = world;
  const user = by.member.id;
  const triggerId = `${world.id("")}.${world.secret()}`;
  const responseUrl = addResponse(platform, { room: room.id, user });
  deliveries.push(
    "slash_commands",
    {
      token: "verification",
      team_id: me.team,
      team_domain: "fake",
      ...(me.enterprise && { enterprise_id: me.enterprise, enterprise_name: "Grid" }),
      ...{ channel_id: room.id, channel_name: nameOf(room) },
      ...{ user_id: user, user_name: by.member.name.toLowerCase(), command, text },
      ...{ api_app_id: me.appId, is_enterprise_install: "false" },
      ...{ response_url: responseUrl, trigger_id: triggerId },
    },
    {
      acknowledged: (answer) => {
        if (typeof answer.text === "string" || answer.blocks)
          respond(platform, { room, user }, answer);
      },
      lost: () => by.errors.push(`${command} failed with the error "operation_timeout"`),
    },
  );
  return { triggerId, responseUrl };
}

export function openHome(platform: Platform, by: Presser, tab: "home" | "messages"): void {
  const { world } = platform;
  const channel = world.dm(by.member.id).id;
  const view = world.homes.get(by.member.id);
  const event = { type: "app_home_opened", user: by.member.id, channel, tab };
  tell(platform, { ...event, ...(tab === "home" && view && { view }), event_ts: world.ts() });
}

/** What an app posts to a response_url, or acknowledges a command with. */
export function respond(
  platform: Platform,
  { room, user, ts }: { room: Room; user: string; ts?: string },
  answer: Params,
): void {
  const { world, changed } = platform;
  const original = ts ? world.find(room, ts) : undefined;
  const blocks = answer.blocks as Block[] | undefined;
  const text = String(answer.text ?? "");
  if (answer.delete_original === true) {
    if (original) room.messages = room.messages.filter((one) => one !== original);
    changed();
    return;
  }
  if (answer.replace_original === true && original) {
    const { blocks: _, ...rest } = original.message;
    original.message = { ...rest, text, ...(blocks && { blocks }) };
    original.edits += 1;
    changed();
    return;
  }
  const thread = typeof answer.thread_ts === "string" ? answer.thread_ts : undefined;
  const message = appMessage(platform, { text, blocks, thread });
  if (answer.response_type === "in_channel") post(platform, room, { message, byBot: true });
  else whisper(platform, room, { message, user });
}

/** In a thread it is seen only when the thread has replies already. */
export function whisper(
  { world, changed }: Platform,
  room: Room,
  { message, user }: { message: SlackMessage; user: string },
): void {
  world.counters.ephemerals += 1;
  const { thread_ts } = message;
  if (thread_ts && world.repliesTo(room, thread_ts).length === 0) world.counters.unseen += 1;
  else world.store(room, { message, byBot: true, edits: 0, onlyFor: user, preview: false });
  changed();
}

interface Content {
  readonly text: string;
  readonly blocks?: Block[] | undefined;
  readonly thread?: string | undefined;
}

/** A message by the app. Blocks without an id get one. */
export function appMessage({ world }: Platform, { text, blocks, thread }: Content): SlackMessage {
  const { user, botId, appId, team, name } = world.me;
  return {
    ...{ type: "message", user, bot_id: botId, app_id: appId, team, ts: world.ts(), text },
    bot_profile: { id: botId, app_id: appId, name, team_id: team, deleted: false },
    ...(blocks && { blocks: withIds(blocks) }),
    ...(thread && { thread_ts: thread }),
  };
}

export function withIds(blocks: readonly Block[]): Block[] {
  return blocks.map((block, index) => ({ block_id: `b${index}`, ...block }));
}

function addResponse(
  { world, url }: Platform,
  of: { room: string; user: string; ts?: string },
): string {
  const secret = world.secret();
  world.responses.set(secret, { secret, ...of, at: world.now(), uses: 0 });
  return `${url()}/actions/${world.me.team}/${secret}`;
}

function nameOf({ kind, name }: Room): string {
  if (kind === "im") return "directmessage";
  return kind === "group" ? "privategroup" : name;
}

function findButton(
  blocks: readonly Block[] | undefined,
  wanted: string,
): PlacedButton | undefined {
  const all = buttonsOf(blocks);
  return (
    all.find(({ button }) => button.text.text === wanted) ??
    all.find(({ button }) => button.action_id === wanted || button.value === wanted)
  );
}

function formerButton({ text, actionId, value }: SeenButton): PlacedButton {
  const label = { type: "plain_text", text };
  const button: Button = {
    type: "button",
    action_id: actionId,
    text: label,
    ...(value !== undefined && { value }),
  };
  return { block: { type: "actions", block_id: "b1" }, button };
}
