// Rooms in which something was said that was not heard: read over REST in their turn, and later where Discord does not answer.
import type { REST } from "discord.js";
import type { Log } from "../../src/core/log.ts";
import { isForGood, missedMessages } from "./catching-up.ts";
import type { Cursors } from "./cursors.ts";
import { codeOf, describe, isUnauthorised } from "./errors.ts";
import type { Bot, Message } from "./inbound.ts";
import type { Intake, Taken } from "./intake.ts";
import { findRoom } from "./lookups.ts";
import type { Room, Rooms } from "./rooms.ts";
import { before } from "./snowflake.ts";

export interface GapPorts {
  readonly rest: REST;
  readonly rooms: Rooms;
  readonly bot: Bot;
  readonly cursors: Cursors;
  readonly intake: Intake;
  readonly log: Log;
  readonly token: string;
  readonly signal: AbortSignal;
  /** Ms until Discord is asked again where it did not answer. */
  readonly retryEvery: number;
}

export interface Gap {
  readonly id: string;
  /** Everything newer is missing. */
  readonly after: string;
  readonly guild?: string | undefined;
}

export interface Gaps {
  read(gap: Gap): void;
  /** The intake has no room for it: it is read when there is. */
  drop(message: Message & { readonly guild_id?: string }): void;
  /** Something was dropped there: what comes after it has to wait for that. */
  isDropped(channel: string): boolean;
  /** The intake is empty again. */
  refill(): void;
  /** True once for each message that was read here: the gateway may tell of it as well. */
  wasRead(message: string): boolean;
}

interface State {
  readonly ports: GapPorts;
  readonly translate: (message: Message, room: Room) => Taken;
  readonly read: Set<string>;
  readonly dropped: Map<string, Gap>;
  /** Discord did not answer: until then nothing is asked, so that what is told goes on. */
  readonly later: Map<string, Gap>;
  timer: NodeJS.Timeout | undefined;
}

const readMost = 5000;

export function createGaps(ports: GapPorts, translate: State["translate"]): Gaps {
  const state: State = {
    ...{ ports, translate, read: new Set<string>(), timer: undefined },
    ...{ dropped: new Map<string, Gap>(), later: new Map<string, Gap>() },
  };
  ports.signal.addEventListener("abort", () => clearTimeout(state.timer), { once: true });
  return {
    read: (gap) => push(state, gap),
    drop({ channel_id: id, id: message, guild_id: guild }) {
      if (!state.dropped.has(id)) state.dropped.set(id, { id, guild, after: before(message) });
    },
    isDropped: (channel) => state.dropped.has(channel),
    refill() {
      const gaps = [...state.dropped.values()];
      state.dropped.clear();
      for (const gap of gaps) push(state, gap);
    },
    wasRead: (message) => state.read.delete(message),
  };
}

function push(state: State, gap: Gap): void {
  const { intake, cursors } = state.ports;
  // Until it is read, nothing but the time up to which all was heard tells of this gap after a restart.
  cursors.hold(`room:${gap.id}`);
  if (!intake.push(() => missed(state, gap)) && !state.dropped.has(gap.id))
    state.dropped.set(gap.id, gap);
}

async function* missed(state: State, gap: Gap): AsyncGenerator<Taken> {
  const { ports, read, translate } = state;
  const { signal, cursors } = ports;
  let { after } = gap;
  try {
    if (state.timer) return postpone(state, gap);
    const room = await findRoom(ports, { channel_id: gap.id, guild_id: gap.guild });
    if (room)
      for await (const page of missedMessages(ports, gap.id, after)) {
        const taken: Taken[] = [];
        for (const message of page) {
          remember(read, message.id);
          taken.push(translate(message, room));
        }
        yield* taken;
        after = page.at(-1)?.id ?? after;
      }
  } catch (error) {
    if (signal.aborted || isUnauthorised(error)) return;
    if (codeOf(error) === undefined) {
      const why = describe(error, ports.token);
      ports.log.warn({ why }, "What was said meanwhile cannot be read; it is tried again");
      return postpone(state, { ...gap, after });
    }
    failed(ports, gap, error);
  }
  if (!signal.aborted) cursors.release(`room:${gap.id}`);
}

function remember(read: Set<string>, id: string): void {
  read.add(id);
  if (read.size > readMost) read.delete(read.values().next().value ?? "");
}

function postpone(state: State, gap: Gap): void {
  const { later, ports } = state;
  later.set(gap.id, gap);
  state.timer ??= setTimeout(() => {
    state.timer = undefined;
    const gaps = [...later.values()];
    later.clear();
    for (const one of gaps) push(state, one);
  }, ports.retryEvery).unref();
}

function failed({ cursors, log, token }: GapPorts, { id }: Gap, error: unknown): void {
  if (isForGood(error)) cursors.forget(id);
  else
    log.warn(
      { channel: id, why: describe(error, token) },
      "What was said here meanwhile could not be read",
    );
}
