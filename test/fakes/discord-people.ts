// A person's side of the fake Discord: writing, editing, pressing buttons, running commands.
import { type Platform, tellDeleted, tellInteraction, tellMessage } from "./discord-events.ts";
import { mentionsOf } from "./discord-mentions.ts";
import { buttonsOf } from "./discord-transcript.ts";
import {
  CHANNEL_TYPES,
  type Channel,
  type FakeUser,
  type Id,
  type Interaction,
  type Json,
  type Stored,
} from "./discord-types.ts";
import type { World } from "./discord-world.ts";

export interface FileSpec {
  name?: string;
  mime?: string;
  content?: string | Uint8Array;
  /** For a file that only pretends to be large. */
  size?: number;
}

export interface SendExtra {
  /** The id of the message that is answered; its author is notified. */
  replyTo?: Id;
  /** An answer that does not notify. */
  quietReply?: boolean;
  files?: readonly FileSpec[];
  /** Puts the mention of the bot in front. */
  mention?: boolean;
  /** A webhook of that name speaks in place of the person. */
  webhook?: string;
  /** Kind of message of the platform, e.g. 7 for "joined", 6 for "pinned". */
  type?: number;
  /** Anything else that the API knows, as it is: stickers, polls, snapshots. */
  raw?: Json;
}

export interface Sent {
  messageId: Id;
  /** A session of the bot was told, or will be when it resumes. */
  told: boolean;
}

export interface Pressed {
  interactionId: Id;
  told: boolean;
}

export type Place = Channel | Id;

interface Lateness {
  /** The bot hears of it when its three seconds have passed. */
  late?: boolean;
}

const TOO_LATE_MS = 3_001;

export class Person {
  readonly user: FakeUser;
  readonly #platform: Platform;

  constructor(user: FakeUser, platform: Platform) {
    this.user = user;
    this.#platform = platform;
  }

  get id(): Id {
    return this.user.id;
  }

  sends(place: Place, text: string, extra: SendExtra = {}): Sent {
    const { world, changed } = this.#platform;
    const channel = this.#enter(place);
    if (channel.type === CHANNEL_TYPES.forum) throw new Error("a forum has posts: see post()");
    const stored = compose(world, { channel, by: this.user, text, extra });
    world.store(stored);
    const told = tellMessage(this.#platform, "MESSAGE_CREATE", stored);
    changed();
    return { messageId: stored.id, told };
  }

  edits(place: Place, messageId: Id, text: string): Sent {
    const { world, changed } = this.#platform;
    const stored = this.#own(place, messageId);
    const { mentions } = mentionsOf(world, {
      ...{ content: text, allowed: undefined, answered: undefined },
    });
    const editedAt = world.now();
    Object.assign(stored, { content: text, mentions, editedAt, edits: stored.edits + 1 });
    const told = tellMessage(this.#platform, "MESSAGE_UPDATE", stored);
    changed();
    return { messageId, told };
  }

  deletes(place: Place, messageId: Id): void {
    const stored = this.#own(place, messageId);
    stored.channel.messages.delete(messageId);
    tellDeleted(this.#platform, stored);
    this.#platform.changed();
  }

  /**
   * `button` is a label or the custom id. With `stale` the button as it was: pressed in the moment in which it goes away.
   * `from` is another channel, which only a forger could give.
   */
  presses(
    messageId: Id,
    button: string,
    { stale = false, from, late }: { stale?: boolean; from?: Place } & Lateness = {},
  ): Pressed {
    const { world } = this.#platform;
    const pressed = world.messageOf(messageId);
    if (!pressed) throw new Error(`there is no message ${messageId} with buttons`);
    this.#enter(from ?? pressed.channel);
    if (pressed.onlyFor && pressed.onlyFor.id !== this.id)
      throw new Error(`${this.user.username} does not see message ${messageId}`);
    const buttons = buttonsOf(pressed).flat();
    const found =
      buttons.find(({ text }) => text === button) ??
      buttons.find(({ customId }) => customId === button);
    if (!stale && (!found?.customId || found.disabled))
      throw new Error(`message ${messageId} has no button ${JSON.stringify(button)} to press`);
    const customId = found?.customId ?? button;
    const channel = from ? world.channelOf(from) : pressed.channel;
    return this.#interacts({
      ...{ channel, pressed, name: customId },
      data: { component_type: 2, custom_id: customId, id: 1 },
      ...(late && { late }),
    });
  }

  /** Runs a command that the bot has registered. */
  slash(
    place: Place,
    name: string,
    options: Record<string, string | number | boolean> = {},
    lateness: Lateness = {},
  ): Pressed {
    const { world } = this.#platform;
    const channel = this.#enter(place);
    const known = [
      ...(world.commands.get("") ?? []),
      ...(world.commands.get(channel.guild?.id ?? "-") ?? []),
    ];
    const command = known.find((one) => one.name === name);
    if (!command) throw new Error(`there is no command /${name}`);
    const fields = (command.options ?? []) as Json[];
    for (const wanted of Object.keys(options))
      if (!fields.some((field) => field.name === wanted))
        throw new Error(`/${name} has no option ${wanted}`);
    const missing = fields.find((field) => field.required && !(String(field.name) in options));
    if (missing) throw new Error(`/${name} needs the option ${String(missing.name)}`);
    const given = fields.flatMap((field) => {
      const value = options[String(field.name)];
      return value === undefined ? [] : [{ name: field.name, type: field.type ?? 3, value }];
    });
    const data = { id: command.id, name, type: 1, ...(given.length > 0 && { options: given }) };
    return this.#interacts({ channel, pressed: undefined, name, data, ...lateness });
  }

  /** False: direct messages of the bot are refused from now on. */
  takesDirect(takes: boolean): void {
    if (takes) this.#platform.world.closed.delete(this.id);
    else this.#platform.world.closed.add(this.id);
  }

  #interacts({
    late = false,
    ...about
  }: Pick<Interaction, "channel" | "pressed" | "name" | "data"> & Lateness): Pressed {
    const { world, changed } = this.#platform;
    const id = world.id();
    const at = world.now() - (late ? TOO_LATE_MS : 0);
    const interaction: Interaction = {
      ...{ ...about, id, token: `fake-interaction-${id}`, by: this.user, at },
      ...{ answer: undefined, answeredAt: undefined, original: undefined },
      ...{ messages: [], expired: false },
    };
    world.addInteraction(interaction);
    const told = tellInteraction(this.#platform, interaction);
    changed();
    return { interactionId: id, told };
  }

  #enter(place: Place): Channel {
    const channel = this.#platform.world.channelOf(place);
    const { person, guild } = channel;
    const inside = person ? person.id === this.id : guild?.members.has(this.id);
    if (!inside) throw new Error(`${this.user.username} is not in channel ${channel.id}`);
    return channel;
  }

  #own(place: Place, messageId: Id): Stored {
    const stored = this.#enter(place).messages.get(messageId);
    if (stored?.author.id !== this.id)
      throw new Error(`${this.user.username} wrote no message ${messageId} there`);
    return stored;
  }
}

export interface Composing {
  channel: Channel;
  by: FakeUser;
  text: string;
  extra: SendExtra;
  id?: Id;
}

/** A message of a person, not yet in the channel. */
export function compose(world: World, { channel, by, text, extra, id }: Composing): Stored {
  const { replyTo, webhook, mention, files = [], raw = {} } = extra;
  const content = (mention ? `<@${world.me.id}> ${text}` : text).trim();
  const answered = extra.quietReply ? undefined : channel.messages.get(replyTo ?? "");
  const speaker = webhook === undefined ? by : webhookUser(world, webhook);
  return {
    ...{ id: id ?? world.id(), channel, type: extra.type ?? (replyTo ? 19 : 0), author: speaker },
    ...{ webhookId: webhook === undefined ? undefined : speaker.id, content },
    ...{ createdAt: world.now(), editedAt: undefined, edits: 0, replyTo },
    ...mentionsOf(world, { content, allowed: undefined, answered }),
    ...{ files: files.map((file) => upload(world, channel, file)), components: [], flags: 0 },
    ...{ nonce: undefined, onlyFor: undefined, thinking: false, interaction: undefined, raw },
  };
}

function upload(world: World, channel: Channel, file: FileSpec) {
  const { content, name = "file.txt", mime = "text/plain" } = file;
  const bytes =
    typeof content === "string" ? new TextEncoder().encode(content) : (content ?? undefined);
  const size = file.size ?? bytes?.length ?? 0;
  return world.addFile(channel, { name, mime, bytes, size });
}

function webhookUser(world: World, name: string): FakeUser {
  const { id } = world;
  return {
    ...{ id: id.call(world), username: name, global_name: null, discriminator: "0" },
    ...{ avatar: null, bot: true },
  };
}
