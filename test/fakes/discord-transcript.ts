// What people would see of a channel: the current state of its messages, structured and as plain text.
import { hasFailed } from "./discord-interactions.ts";
import { isThread } from "./discord-shapes.ts";
import type { Button, Channel, FakeUser, Id, Json, Pings, Stored } from "./discord-types.ts";
import { FLAGS } from "./discord-types.ts";
import type { World } from "./discord-world.ts";

export interface SeenFile {
  name: string;
  mime: string;
  size: number;
  bytes: Uint8Array | undefined;
  url: string;
}

export interface SeenMessage {
  id: Id;
  channel: Id;
  /** The thread or forum post that it is in. */
  thread: Id | undefined;
  from: FakeUser;
  byBot: boolean;
  text: string;
  buttons: Button[][];
  files: SeenFile[];
  edits: number;
  replyTo: Id | undefined;
  flags: number;
  /** The platform shows nothing of a link. */
  embedsSuppressed: boolean;
  /** The one person who sees it. */
  onlyFor: FakeUser | undefined;
  /** A deferred answer for which people still wait. */
  thinking: boolean;
  pings: Pings;
  nonce: string | number | undefined;
}

/** With what only one person sees. */
export function seenMessages(world: World, channel: Channel): SeenMessage[] {
  return [...channel.messages.values()].map((stored) => seenOf(world, stored));
}

export function seenOf(world: World, stored: Stored): SeenMessage {
  const { channel, flags } = stored;
  return {
    ...{ id: stored.id, channel: channel.id, thread: isThread(channel) ? channel.id : undefined },
    ...{ from: stored.author, byBot: stored.author.id === world.me.id, text: stored.content },
    ...{ buttons: buttonsOf(stored), edits: stored.edits, replyTo: stored.replyTo, flags },
    files: stored.files.map(({ name, mime, size, bytes, url }) => ({
      name,
      mime,
      size,
      bytes,
      url,
    })),
    embedsSuppressed: (flags & FLAGS.suppressEmbeds) !== 0,
    ...{ onlyFor: stored.onlyFor, thinking: stored.thinking, pings: stored.pings },
    nonce: stored.nonce,
  };
}

export function buttonsOf({ components }: Stored): Button[][] {
  return components.map((row) =>
    (Array.isArray(row.components) ? (row.components as Json[]) : []).map((button) => ({
      text: String(button.label ?? ""),
      customId: typeof button.custom_id === "string" ? button.custom_id : undefined,
      url: typeof button.url === "string" ? button.url : undefined,
      style: Number(button.style),
      disabled: button.disabled === true,
    })),
  );
}

/** What people see of an interaction that the bot did not answer in time comes last. */
export function transcriptOf(world: World, channel: Channel): string {
  const lines = [...channel.messages.values()].flatMap((stored) => linesOf(world, stored));
  for (const interaction of world.interactions.values())
    if (interaction.channel === channel && hasFailed(world, interaction))
      lines.push(`   (only ${nameOf(interaction.by)}: This interaction failed)`);
  return lines.join("\n");
}

export function linesOf(world: World, stored: Stored): string[] {
  const seen = seenOf(world, stored);
  const reply = seen.replyTo === undefined ? "" : ` → ${seen.replyTo}`;
  const edited = seen.edits > 0 ? " (edited)" : "";
  const only = seen.onlyFor ? ` (only ${nameOf(seen.onlyFor)})` : "";
  const files = seen.files.map(({ name, size }) => `<${name}, ${size} B>`);
  const body = [...files, ...(seen.text === "" ? [] : seen.text.split("\n"))];
  if (body.length === 0) body.push(seen.thinking ? "<thinking>" : "<nothing>");
  const [first = "", ...rest] = body;
  return [
    `${seen.id} ${nameOf(seen.from)}${only}${reply}${edited}: ${first}`,
    ...rest.map((line) => `   ${line}`.trimEnd()),
    ...seen.buttons.map((row) => `   ${row.map(({ text }) => `[${text}]`).join(" ")}`),
  ];
}

export function nameOf({ global_name: shown, username }: FakeUser): string {
  return shown ?? username;
}
