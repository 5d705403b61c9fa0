// How far each channel was read. The gateway takes no acknowledgement, so that this is what a restart goes by.
import type { Notes } from "../../src/core/channel.ts";
import type { Log } from "../../src/core/log.ts";
import type { ChatRef } from "../../src/core/words.ts";
import { idAt, isNewer, newest, timeOf } from "./snowflake.ts";

type Kind = ChatRef["kind"];

export interface Cursors {
  /** Must come before all else. */
  load(): Promise<void>;
  /** Undefined at the very first start: then nothing was missed. */
  seen(): string | undefined;
  of(channel: string): string | undefined;
  /** Known direct chats, the last heard first. */
  directs(): string[];
  /** Kept at once: no answer of Discord would tell of this chat after a restart. Nothing after `after` counts as read. */
  noteDirect(channel: string, after: string): Promise<void>;
  /** What was read is durable. */
  move(channel: string, kind: Kind, to: string): void;
  forget(channel: string): void;
  /** All that was said until then has been read, wherever it was. */
  quiet(time: number): void;
  /** Something older is still to be read: until it is released, `seen` stays where it is. */
  hold(what: string): void;
  release(what: string): void;
  /** Writes what changed. */
  flush(): Promise<void>;
}

const seenNote = "seen";
const lazily = 1000;
/** A note per channel only for what can still be missed; a direct chat is known by nothing else. */
const most: Record<Kind, number> = { direct: 5000, group: 2000 };
export const missedMost = 24 * 60 * 60 * 1000;
/** How far this machine's clock may be ahead of Discord's. */
const clockSlack = 10 * 60 * 1000;

interface State {
  readonly at: Record<Kind, Map<string, string>>;
  readonly dirty: Map<string, string | undefined>;
  readonly held: Set<string>;
  seen: string | undefined;
  /** What `seen` will be when nothing is held any more. */
  next: string | undefined;
  timer: NodeJS.Timeout | undefined;
  writing: Promise<void>;
}

export function createCursors(notes: Notes, log: Log): Cursors {
  const state: State = {
    at: { direct: new Map(), group: new Map() },
    dirty: new Map(),
    held: new Set(),
    seen: undefined,
    next: undefined,
    timer: undefined,
    writing: Promise.resolve(),
  };
  const flush = () => {
    clearTimeout(state.timer);
    state.timer = undefined;
    state.writing = state.writing.then(() => writeAll(state, notes, log));
    return state.writing;
  };
  const change: Change = (name, value) => {
    state.dirty.set(name, value);
    state.timer ??= setTimeout(() => void flush(), lazily).unref();
  };
  return {
    load: () => load(state, notes, change),
    seen: () => state.seen,
    of: (channel) => state.at.direct.get(channel) ?? state.at.group.get(channel),
    directs: () => [...state.at.direct.keys()].reverse(),
    async noteDirect(channel, after) {
      if (state.at.direct.has(channel)) return;
      put({ state, change }, `direct:${channel}`, after);
      await flush();
    },
    move(channel, kind, to) {
      put({ state, change }, `${kind}:${channel}`, to);
      see({ state, change }, to);
    },
    forget(channel) {
      for (const kind of ["direct", "group"] as const)
        if (state.at[kind].delete(channel)) change(`${kind}:${channel}`, undefined);
    },
    quiet: (time) => see({ state, change }, idAt(time - clockSlack)),
    hold: (what) => void state.held.add(what),
    release(what) {
      if (state.held.delete(what) && state.next !== undefined) see({ state, change }, state.next);
    },
    flush,
  };
}

type Change = (name: string, value: string | undefined) => void;

interface Changing {
  readonly state: State;
  readonly change: Change;
}

function see({ state, change }: Changing, id: string): void {
  state.next = newest(id, state.next);
  if (state.held.size > 0) return;
  const next = newest(state.next, state.seen);
  if (next !== state.seen) change(seenNote, next);
  state.seen = next;
}

function put({ state, change }: Changing, name: `${Kind}:${string}`, to: string): void {
  const [kind, channel = ""] = name.split(":") as [Kind, string];
  const cursors = state.at[kind];
  const next = newest(to, cursors.get(channel));
  // Taken out and put back: the oldest stands first.
  cursors.delete(channel);
  cursors.set(channel, next);
  change(name, next);
  for (const oldest of cursors.keys()) {
    if (cursors.size <= most[kind]) break;
    cursors.delete(oldest);
    change(`${kind}:${oldest}`, undefined);
  }
}

async function load(state: State, notes: Notes, change: Change): Promise<void> {
  const oldest = Date.now() - missedMost;
  // Nothing can be newer than now: such a note would stay for ever, and all that is said would count as read.
  const now = idAt(Date.now());
  const sane = (value: string) => (isNewer(value, now) ? now : value);
  for (const kind of ["direct", "group"] as const) {
    const kept = await notes.list(`${kind}:`);
    const valid = kept.filter(({ name, value }) => /^\w+:\d{1,20}$/.test(name) && isId(value));
    valid.sort((a, b) => (isNewer(a.value, b.value) ? 1 : -1));
    for (const { name, value } of valid) {
      const past = kind === "group" && timeOf(value) < oldest;
      if (past) change(name, undefined);
      else state.at[kind].set(name.slice(kind.length + 1), sane(value));
    }
  }
  const seen = await notes.read(seenNote);
  if (seen !== undefined && isId(seen)) state.seen = sane(seen);
}

function isId(text: string): boolean {
  return /^\d{1,20}$/.test(text);
}

async function writeAll(state: State, notes: Notes, log: Log): Promise<void> {
  const changes = [...state.dirty];
  state.dirty.clear();
  for (const [name, value] of changes) {
    try {
      await notes.write(name, value);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      log.warn(
        { why, note: name },
        "What was read could not be noted; after a restart it is read again",
      );
      if (!state.dirty.has(name)) state.dirty.set(name, value);
    }
  }
}
