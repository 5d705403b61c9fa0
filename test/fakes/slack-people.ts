// A person's side of the fake Slack: writing, editing, pressing buttons, and what the app then hears of it.
import { randomUUID } from "node:crypto";
import { describeFile } from "./slack-files.ts";
import { announce, change, type Platform, post, remove, tell } from "./slack-posting.ts";
import {
  openHome,
  type Pressed,
  press,
  pressHome,
  type SeenButton,
  slash,
} from "./slack-pressing.ts";
import { richText, typed } from "./slack-text.ts";
import type { FakeMember, Room, SlackMessage, Upload } from "./slack-types.ts";

export interface SendExtra {
  /** The ts of the message that the thread is about. */
  thread?: string;
  /** The reply also shows in the channel. */
  broadcast?: boolean;
  files?: readonly Upload[];
  /** The app is mentioned first. */
  mention?: boolean;
  subtype?: string;
  /** The text is Slack's own form already, with `<@U…>` and `&amp;`. */
  raw?: boolean;
  /** Raw fields of the message, added last. */
  fields?: Record<string, unknown>;
}

export class Person {
  readonly member: FakeMember;
  /** What Slack itself told the person: that the app did not answer. */
  readonly errors: string[] = [];
  readonly #platform: Platform;

  constructor(member: FakeMember, platform: Platform) {
    this.member = member;
    this.#platform = platform;
  }

  get id(): string {
    return this.member.id;
  }

  get name(): string {
    return this.member.name;
  }

  /** Gives the ts. */
  sends(channel: string, text: string, extra: SendExtra = {}): string {
    const { world } = this.#platform;
    const room = this.#roomOf(channel);
    const thread = extra.thread ? parentOf(this.#platform, room, extra.thread) : undefined;
    const own = extra.raw ? text : typed(text, (name) => this.#idOf(name));
    const words = extra.mention ? `<@${world.me.user}> ${own}` : own;
    const ts = world.ts();
    const message = {
      ...{ type: "message", ...authorOf(this.member, room, this.#platform), ts, text: words },
      ...{ client_msg_id: randomUUID(), blocks: richText(words) },
      ...(thread && { thread_ts: thread.ts, parent_user_id: thread.user }),
      ...this.#attach(room, ts, extra.files ?? []),
      ...(extra.broadcast && thread && { subtype: "thread_broadcast", root: thread }),
      ...(extra.subtype && { subtype: extra.subtype }),
      ...extra.fields,
    } as SlackMessage;
    if (extra.subtype === "bot_message") {
      delete message.user;
      message.username = this.name;
    }
    post(this.#platform, room, { message, byBot: false });
    return ts;
  }

  edits(ts: string, text: string, { raw = false } = {}): void {
    const found = this.#locate(ts);
    const words = raw ? text : typed(text, (name) => this.#idOf(name));
    const edited = { user: this.id, ts: this.#platform.world.ts() };
    change(this.#platform, found, { text: words, blocks: richText(words), edited });
  }

  deletes(ts: string): void {
    remove(this.#platform, this.#locate(ts));
  }

  /** `was` is a button that the message no longer shows, as the person's app has not noticed yet. */
  presses(ts: string, label: string, { was }: { was?: SeenButton } = {}): Pressed {
    const found = this.#locate(ts);
    const seer = found.stored.onlyFor;
    if (seer !== undefined && seer !== this.id) throw new Error(`${this.name} does not see ${ts}`);
    return press(this.#platform, this, { ...found, label, ...(was && { was }) });
  }

  pressesHome(label: string): Pressed {
    return pressHome(this.#platform, this, label);
  }

  /** Also where the app is no member. */
  slash(channel: string, command: string, text = ""): Pressed {
    const words = typed(text, () => undefined);
    return slash(this.#platform, this, { room: this.#roomOf(channel), command, text: words });
  }

  opensHome(tab: "home" | "messages" = "home"): void {
    openHome(this.#platform, this, tab);
  }

  joins(channel: string): void {
    const room = this.#platform.world.roomOf(channel);
    room.members.add(this.id);
    announce(this.#platform, room, { member: this.member, event: "joined" });
  }

  leaves(channel: string): void {
    const room = this.#roomOf(channel);
    room.members.delete(this.id);
    announce(this.#platform, room, { member: this.member, event: "left" });
  }

  /** Of another person, or of the app. */
  invites(channel: string, who: { id: string }): void {
    const room = this.#roomOf(channel);
    const member = this.#platform.world.memberOf(who.id);
    room.members.add(member.id);
    announce(this.#platform, room, { member, event: "joined", inviter: this.id });
  }

  removes(channel: string, who: { id: string }): void {
    const { world } = this.#platform;
    const room = this.#roomOf(channel);
    const member = world.memberOf(who.id);
    room.members.delete(member.id);
    const type = room.kind === "channel" ? "channel_left" : "group_left";
    const gone = { type, channel: room.id, actor_id: this.id, event_ts: world.ts() };
    if (member.id === world.me.user) tell(this.#platform, gone, room);
    announce(this.#platform, room, { member, event: "left" });
  }

  #roomOf(channel: string): Room {
    const room = this.#platform.world.roomOf(channel);
    if (!room.members.has(this.id)) throw new Error(`${this.name} is not in ${channel}`);
    return room;
  }

  #locate(ts: string) {
    const found = this.#platform.world.locate(ts);
    if (!found) throw new Error(`there is no message ${ts}`);
    return found;
  }

  #idOf(name: string): string | undefined {
    const { members } = this.#platform.world;
    const wanted = name.toLowerCase();
    return [...members.values()].find((one) => one.name.toLowerCase() === wanted)?.id;
  }

  #attach(room: Room, ts: string, uploads: readonly Upload[]): Partial<SlackMessage> {
    if (uploads.length === 0) return {};
    const { world, url } = this.#platform;
    const files = uploads.map((upload) => {
      const file = world.addFile(upload, this.id);
      file.shares.push({ channel: room.id, ts, public: room.kind === "channel" });
      const { team } = world.me;
      const access = { id: file.id, mode: "file_access", file_access: "check_file_info" };
      return upload.unknown ? access : describeFile(file, { team, url: url() });
    });
    return { subtype: "file_share", upload: false, display_as_bot: false, files };
  }
}

/** In shared channels Slack says which workspace a person is of. */
function authorOf(member: FakeMember, room: Room, { world }: Platform): Partial<SlackMessage> {
  const { id, team, name, botId, appId } = member;
  const profile = { name, real_name: name, display_name: name, team, is_restricted: member.guest };
  const shared = { user_team: team, source_team: team, user_profile: profile };
  return {
    user: id,
    team,
    ...(botId && {
      bot_id: botId,
      app_id: appId,
      bot_profile: { id: botId, app_id: appId, name, team_id: team, deleted: false },
    }),
    ...(room.shared && team !== world.me.team && shared),
  };
}

function parentOf({ world }: Platform, room: Room, ts: string): SlackMessage {
  const parent = room.messages.find(({ message }) => message.ts === ts)?.message;
  if (!parent) throw new Error(`there is no message ${ts} to have a thread`);
  return parent.thread_ts && parent.thread_ts !== ts
    ? parentOf({ world } as Platform, room, parent.thread_ts)
    : parent;
}
