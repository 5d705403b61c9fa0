// What people see of the fake Slack's conversations, as data and as text.
import type { SeenButton } from "./slack-pressing.ts";
import { buttonsOf, called, mrkdwnOf, type NameOf, visibleText } from "./slack-text.ts";
import type { Block, Room, StoredMessage } from "./slack-types.ts";
import type { SlackWorld } from "./slack-world.ts";

export interface SeenFile {
  readonly name: string;
  readonly size: number;
}

export interface SeenMessage {
  readonly ts: string;
  /** Without its looks: of the blocks, or of the text where there are none. */
  readonly text: string;
  readonly from: string;
  readonly byBot: boolean;
  readonly buttons: readonly SeenButton[];
  /** The first file. */
  readonly file?: SeenFile;
  readonly files: readonly SeenFile[];
  /** The ts of what it replies to. */
  readonly thread?: string;
  /** The id of the only one who sees it. */
  readonly onlyFor?: string;
  readonly edits: number;
  /** Slack would fetch the pages that it links to. */
  readonly preview: boolean;
  /** Whom it calls: `!channel`, `!here`, ids. */
  readonly calls: readonly string[];
  /** What a notification shows. */
  readonly fallback: string;
  readonly subtype?: string;
}

export function seenMessages(world: SlackWorld, room: Room): SeenMessage[] {
  return room.messages.map((stored) => seenMessage(world, stored));
}

export function namesOf({ members, rooms }: SlackWorld): NameOf {
  return (id) => members.get(id)?.name ?? rooms.get(id)?.name;
}

function seenMessage(world: SlackWorld, stored: StoredMessage): SeenMessage {
  const { message, byBot, edits, onlyFor, preview } = stored;
  const { ts, thread_ts, user, subtype, username } = message;
  const files = (message.files ?? []).map((file) => {
    const known = world.files.get(String(file.id));
    return { name: known?.name ?? "?", size: known?.bytes.length ?? 0 };
  });
  const names = namesOf(world);
  return {
    ...{ ts, byBot, edits, preview, files, fallback: message.text },
    text: visibleText(message, names),
    from: names(user ?? "") ?? String(username ?? user ?? "?"),
    buttons: seenButtons(message.blocks),
    calls: called(mrkdwnOf(message)),
    ...(files[0] && { file: files[0] }),
    ...(thread_ts && thread_ts !== ts && { thread: thread_ts }),
    ...(onlyFor !== undefined && { onlyFor }),
    ...(subtype && { subtype }),
  };
}

export function seenButtons(blocks: readonly Block[] | undefined): SeenButton[] {
  return buttonsOf(blocks).map(({ button }) => ({
    text: button.text.text,
    actionId: button.action_id ?? "",
    value: button.value,
  }));
}

export interface SeenHome {
  readonly text: string;
  readonly buttons: readonly SeenButton[];
}

export function seenHome(world: SlackWorld, user: string): SeenHome | undefined {
  const blocks = world.homes.get(user)?.blocks as Block[] | undefined;
  if (!blocks) return undefined;
  return { text: visibleText({ text: "", blocks }, namesOf(world)), buttons: seenButtons(blocks) };
}

export function transcriptOf(world: SlackWorld, room: Room): string {
  return seenMessages(world, room)
    .map((seen) => lineOf(world, seen))
    .join("\n");
}

function lineOf(world: SlackWorld, seen: SeenMessage): string {
  const { text, from, edits, thread, onlyFor, files, buttons } = seen;
  const marks = [
    ...(thread ? [`in thread ${thread}`] : []),
    ...(onlyFor ? [`only ${namesOf(world)(onlyFor) ?? onlyFor} sees this`] : []),
    ...(edits > 0 ? ["edited"] : []),
  ];
  const told = marks.length > 0 ? ` (${marks.join(", ")})` : "";
  const attached = files.map(({ name, size }) => `<${name}, ${size} bytes> `).join("");
  const row = buttons.map((button) => `[${button.text}]`).join(" ");
  const indented = text.replaceAll("\n", "\n   ");
  return `${from}${told}: ${attached}${indented}${row && `\n   ${row}`}`;
}
