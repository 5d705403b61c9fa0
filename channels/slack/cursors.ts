// Up to where each conversation and thread was read, kept over restarts: never ahead of what was accepted.
import type { Notes } from "../../src/core/channel.ts";
import type { InboundEvent } from "../../src/core/events.ts";

export interface Cursor {
  readonly chat: string;
  readonly thread?: string;
  /** The newest message that was accepted. */
  readonly ts: string;
}

export interface Cursors {
  /** Before anything is heard: what was said since the last run is not known yet. */
  load(): Promise<void>;
  /** A gap begins in all of them: none goes on over it, whatever is heard now, until it is `closed`. */
  gap(): void;
  /** All that was said in the gap was accepted, or cannot be had. */
  closed(place: Cursor): void;
  /** A conversation that was never seen is noted at once, so that its first message is not lost with a crash. */
  heard(events: readonly InboundEvent[]): void;
  taken(events: readonly InboundEvent[]): void;
  /** Newest first. */
  all(): readonly Cursor[];
  forget(cursor: Cursor): void;
  /** Writes what was not written yet. */
  flush(): Promise<void>;
}

const prefix = "at:";
const writeEvery = 1000;
const mostThreads = 200;

interface Kept {
  readonly known: Map<string, string>;
  set(name: string, ts: string | undefined): void;
  flush(): Promise<void>;
}

/** Written a moment later, and again and again only then. */
function createKept(notes: Notes, onTrouble: (error: unknown) => void): Kept {
  const known = new Map<string, string>();
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    const names = [...changed];
    changed.clear();
    await Promise.all(names.map((name) => notes.write(prefix + name, known.get(name)))).catch(
      onTrouble,
    );
  };
  return {
    known,
    flush,
    set(name, ts) {
      if (ts === undefined) known.delete(name);
      else known.set(name, ts);
      changed.add(name);
      timer ??= setTimeout(() => void flush(), writeEvery).unref();
    },
  };
}

export function createCursors(notes: Notes, onTrouble: (error: unknown) => void): Cursors {
  const { known, set, flush } = createKept(notes, onTrouble);
  /** Of places with a gap: the newest message that was accepted behind it. */
  const behind = new Map<string, string>();
  const gap = () => {
    for (const [name, ts] of known) if (!behind.has(name)) behind.set(name, ts);
  };
  const go = (name: string, ts: string) => {
    const gapped = behind.get(name);
    if (gapped === undefined && (known.get(name) ?? "") < ts) set(name, ts);
    if (gapped !== undefined && gapped < ts) behind.set(name, ts);
  };
  return {
    async load() {
      for (const { name, value } of await notes.list(prefix)) {
        const place = name.slice(prefix.length);
        if (!known.has(place)) known.set(place, value);
      }
      gap();
    },
    gap,
    closed({ chat, thread }) {
      const name = nameOf(chat, thread);
      const ts = behind.get(name) ?? "";
      behind.delete(name);
      if (ts > (known.get(name) ?? ts)) set(name, ts);
    },
    heard(events) {
      const fresh = events.flatMap(placesOf).filter(({ name }) => !known.has(name));
      for (const { name, ts } of fresh) if (!known.has(name)) set(name, before(ts));
      if (fresh.length > 0) void flush();
    },
    taken(events) {
      for (const { name, ts } of events.flatMap(placesOf)) go(name, ts);
      forgetThreads(known, set);
    },
    all: () =>
      [...known]
        .map(([name, ts]) => cursorOf(name, ts))
        .sort((a, b) => (a.ts < b.ts ? 1 : a.ts > b.ts ? -1 : 0)),
    forget({ chat, thread }) {
      behind.delete(nameOf(chat, thread));
      set(nameOf(chat, thread), undefined);
    },
    flush,
  };
}

function nameOf(chat: string, thread: string | undefined): string {
  return thread === undefined ? chat : `${chat}:${thread}`;
}

function cursorOf(name: string, ts: string): Cursor {
  const [chat = "", thread] = name.split(":");
  return { chat, ts, ...(thread === undefined ? {} : { thread }) };
}

/** A message at the top counts there; one that opens a thread counts in the thread as well. */
function placesOf(event: InboundEvent): { readonly name: string; readonly ts: string }[] {
  if (event.kind !== "message" || event.edited || event.message.id === "") return [];
  const { id, thread } = event.chat;
  const { id: ts } = event.message;
  const top = thread === undefined || thread === ts ? [{ name: id, ts }] : [];
  return [...top, ...(thread === undefined ? [] : [{ name: nameOf(id, thread), ts }])];
}

/** The ts right before this one. */
function before(ts: string): string {
  const [seconds = "0", micros = "0"] = ts.split(".");
  const at = BigInt(seconds + micros.padEnd(6, "0").slice(0, 6)) - 1n;
  const text = String(at).padStart(7, "0");
  return `${text.slice(0, -6)}.${text.slice(-6)}`;
}

function forgetThreads(
  known: ReadonlyMap<string, string>,
  set: (name: string, ts: undefined) => void,
): void {
  const threads = [...known].filter(([name]) => name.includes(":"));
  if (threads.length <= mostThreads) return;
  threads.sort(([, a], [, b]) => (a < b ? -1 : 1));
  for (const [name] of threads.slice(0, threads.length - mostThreads)) set(name, undefined);
}
