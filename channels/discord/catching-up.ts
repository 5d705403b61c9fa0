// What was said while nobody listened, read over REST: pages from the cursor on, oldest first.
import type { REST } from "discord.js";
import type { Log } from "../../src/core/log.ts";
import { type Cursors, missedMost } from "./cursors.ts";
import { codeOf } from "./errors.ts";
import type { Message } from "./inbound.ts";
import { persistently } from "./lookups.ts";
import type { ChannelLike, GuildLike } from "./rooms.ts";
import { idAt, isNewer, newest } from "./snowflake.ts";

export interface CatchingUpPorts {
  readonly rest: REST;
  readonly cursors: Cursors;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const page = 100;
const mostPages = 50;
/** Discord lists no direct chats: each known one costs a request. */
const mostDirects = 300;

/** Their last "message" is their last post, a thread of its own. */
const forums: ReadonlySet<number> = new Set([15, 16]);

/** Direct chats to look into. */
export function missedDirects({ cursors }: CatchingUpPorts): string[] {
  const known = cursors.directs();
  return known.slice(0, mostDirects);
}

/** The channels and threads of a server in which something is newer than what was read. */
export function missedIn(ports: CatchingUpPorts, guild: GuildLike, seen: string | undefined) {
  const { channels = [], threads = [] } = guild;
  return [...channels, ...threads].flatMap((channel) => {
    if (forums.has(channel.type)) return [];
    const after = startOf(ports, channel, { guild, seen });
    const last = channel.last_message_id;
    return after && last && isNewer(last, after) ? [{ id: channel.id, after }] : [];
  });
}

/** Undefined: nothing was missed. Nothing from before the bot was there counts, and nothing that is long over. */
function startOf(
  { cursors }: CatchingUpPorts,
  { id }: ChannelLike,
  { guild, seen }: { guild: GuildLike; seen: string | undefined },
): string | undefined {
  const read = cursors.of(id);
  if (read !== undefined) return read;
  const joined = Date.parse(guild.joined_at ?? "");
  return seen && newest(idAt(Number.isNaN(joined) ? 0 : joined), seen);
}

/** Pages of what is newer; the cursor must move between them. Rejects as discord.js does. */
export async function* missedMessages(
  ports: CatchingUpPorts,
  channel: string,
  from: string,
): AsyncGenerator<Message[]> {
  const { rest, log, signal } = ports;
  let after = newest(idAt(Date.now() - missedMost), from);
  for (let pages = 0; !signal.aborted; pages += 1) {
    if (pages === mostPages) {
      log.warn({ channel }, "More was said here meanwhile than is read afterwards");
      return;
    }
    const query = new URLSearchParams({ after, limit: String(page) });
    const path = `/channels/${channel}/messages` as const;
    const messages = (await persistently({ rest, signal }, path, query)) as Message[];
    messages.sort((a, b) => (isNewer(a.id, b.id) ? 1 : -1));
    const last = messages.at(-1);
    if (!last) return;
    yield messages;
    if (messages.length < page) return;
    after = last.id;
  }
}

const gone: ReadonlySet<number> = new Set([10003, 50001]);

/** The room is no more, or not for the bot. */
export function isForGood(error: unknown): boolean {
  return gone.has(codeOf(error) ?? 0);
}
