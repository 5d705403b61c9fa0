// From presses and slash commands to events: pure.
import type { ButtonPress, EventSender, InboundMessage } from "../../src/core/events.ts";
import { flags, nameOfUser } from "./content.ts";
import { idOf, refOf } from "./inbound.ts";
import { type ChannelLike, type Room, roomOf, titleOf } from "./rooms.ts";
import { timeOf } from "./snowflake.ts";

interface UserLike {
  readonly id: string;
  readonly username: string;
  readonly global_name?: string | null;
  readonly bot?: boolean;
}

/** The parts of Discord's interaction that are read here. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly type: number;
  readonly guild_id?: string;
  /** Where it was used: 2 is a chat of other people, in which the bot is not. */
  readonly context?: number | null;
  readonly channel?: ChannelLike;
  readonly user?: UserLike;
  readonly member?: { readonly user: UserLike; readonly nick?: string | null };
  readonly message?: { readonly id: string; readonly flags?: number };
  readonly data?: {
    readonly custom_id?: string;
    readonly component_type?: number;
    readonly name?: string;
    readonly options?: readonly { readonly name: string; readonly value?: unknown }[];
  };
}

const command = 2;
const component = 3;
const button = 2;
const elsewhere = 2;

/** Its id and its token become part of addresses. */
export function isInteraction(given: unknown): given is Interaction {
  const { id, token, type } = (given ?? {}) as Partial<Record<keyof Interaction, unknown>>;
  const plain = typeof token === "string" && /^[\w=+.~-]{3,}$/.test(token);
  return plain && typeof id === "string" && /^\d{1,20}$/.test(id) && typeof type === "number";
}

/** The account; undefined where there is none. */
export function askerOf({ member, user }: Interaction): string | undefined {
  return (member?.user ?? user)?.id;
}

export function isCommand({ type }: Interaction): boolean {
  return type === command;
}

export function isPress({ type, data }: Interaction): boolean {
  return type === component && data?.component_type === button;
}

/** Null for what we never offered: menus, forms, and rooms where the bot is not. */
export function interactionEvent(
  interaction: Interaction,
  bot: string,
): ButtonPress | InboundMessage | null {
  if (interaction.context === elsewhere) return null;
  const room = interaction.channel && roomOf(interaction.channel, interaction.guild_id);
  const sender = senderOf(interaction);
  if (!room || !sender) return null;
  const base = {
    key: `${bot}:i:${idOf(interaction.id)}`,
    at: timeOf(interaction.id),
    chat: room.chat,
    sender,
    press: { id: interaction.id },
  };
  if (isPress(interaction)) return pressEvent(interaction, base, room);
  return isCommand(interaction) ? commandEvent(interaction, base, room) : null;
}

type Base = Pick<ButtonPress, "key" | "at" | "chat" | "sender" | "press">;

function pressEvent(
  { data, message }: Interaction,
  base: Base,
  { chat }: Room,
): ButtonPress | null {
  if (data?.custom_id === undefined) return null;
  // What only one person sees cannot be changed as other messages can: it is no message for us.
  const shown = message && ((message.flags ?? 0) & flags.ephemeral) === 0;
  return {
    kind: "press",
    ...base,
    data: data.custom_id,
    ...(shown ? { message: refOf(chat, message.id) } : {}),
  };
}

function commandEvent({ data }: Interaction, base: Base, room: Room): InboundMessage | null {
  if (!data?.name) return null;
  const given = data.options?.find(({ name }) => name === "text")?.value;
  const rest = typeof given === "string" ? given.trim() : "";
  return {
    kind: "message",
    ...base,
    message: refOf(room.chat, ""),
    ...titleOf(room),
    text: rest ? `/${data.name} ${rest}` : `/${data.name}`,
    addressed: true,
    files: [],
  };
}

function senderOf({ member, user }: Interaction): EventSender | null {
  const who = member?.user ?? user;
  if (!who || who.bot) return null;
  return { account: idOf(who.id), name: member?.nick || nameOfUser(who) };
}
