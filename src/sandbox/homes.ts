// How large a home may get: looked at when an agent is to start in it, and now and then while one runs.
import { lstat, mkdir, rename, statfs } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Log } from "../core/log.ts";
import { type HomeSize, measureHome } from "./home-size.ts";
import { setAside } from "./set-aside.ts";

export interface HomesOptions {
  /** The folder that holds them all. */
  readonly homes: string;
  /** Asked at each look: a setting acts at once. */
  readonly maxMB: () => number;
  readonly log: Log;
  readonly everyMs?: number;
  /** How often the free space of the disk is looked at, which tells of a flood before the next look. */
  readonly floodMs?: number;
}

export type HomeCheck =
  | { readonly ok: true }
  /** A sentence for the chat. */
  | { readonly ok: false; readonly problem: string };

export interface Homes {
  /**
   * Before an agent starts in it, and while none runs in it. That of all strangers, which nobody looks after, is put
   * aside when it is of no use any more: then it is a fresh one, or not there yet.
   */
  check(home: string): Promise<HomeCheck>;
  /**
   * While one runs in it. `onOver` is called at most once, with a sentence for the chat: whoever gets it ends the
   * agent. What comes back ends the watch.
   */
  watch(home: string, onOver: (problem: string) => void): () => void;
}

const megabyte = 1024 * 1024;
/** A home above its limit by less than this may be started in, so that the agent can be asked to delete something. */
const leeway = 1.25;
const usualEvery = 30_000;
const usualFlood = 1000;
const more = "sallyport config set homes.maxMB N";
const reset = "sallyport agent reset NAME";
/** The home of whom we do not know. */
const strangers = "anonymous";

function unmeasured(trouble: string): string {
  return `The home of this sandbox cannot be measured: ${trouble}. The owner can start it afresh (${reset}), or put that right: sallyport doctor says where it lies.`;
}

function mayNotStart({ trouble }: HomeSize, maxMB: number): string {
  if (trouble !== undefined) return unmeasured(trouble);
  return `The home of this sandbox is larger than ${maxMB} MB by more than a quarter, so no agent starts in it. The owner can allow more (${more}), start it afresh (${reset}), or empty it: sallyport doctor says where it lies.`;
}

function mayNotStay({ trouble }: HomeSize, maxMB: number): string {
  if (trouble !== undefined) return unmeasured(trouble);
  return `The home of this sandbox is larger than ${maxMB} MB, so the agent was ended. Ask it to delete what it does not need there, or the owner can allow more: ${more}`;
}

interface Seen {
  /** When it is looked at again whatever happens, and before when not. */
  readonly until: number;
  readonly notBefore: number;
  /** What could still be written then, and what was free on the disk. */
  readonly room: number;
  readonly free: number;
}

/** One look at a home; undefined: `onOver` was told, or nobody is to be told any more. */
type Look = () => Promise<Seen | undefined>;

function repeat(look: Look, free: () => Promise<number>, { log, ...options }: HomesOptions) {
  const { everyMs = usualEvery, floodMs = usualFlood } = options;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function isDue({ until, notBefore, ...seen }: Seen): Promise<boolean> {
    const now = performance.now();
    return now >= until || (now >= notBefore && seen.free - (await free()) > seen.room);
  }
  async function step(last: Seen | null): Promise<void> {
    let seen: Seen | null | undefined = last;
    try {
      if (seen === null || (await isDue(seen))) seen = await look();
    } catch (error) {
      log.warn({ error: String(error) }, "a home could not be looked at");
    }
    if (stopped || seen === undefined) return;
    timer = setTimeout(() => void step(seen), Math.min(floodMs, everyMs));
    timer.unref();
  }
  void step(null);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** What people sent with the message that is to be answered lies in the inbox; an agent can write nothing there. */
async function takeInboxAlong(from: string, home: string, mostBytes: number): Promise<void> {
  const inbox = join(from, "inbox");
  const found = await lstat(inbox).catch(() => undefined);
  if (!found?.isDirectory() || !(await measureHome(inbox, mostBytes)).whole) return;
  await mkdir(home, { mode: 0o700 });
  await rename(inbox, join(home, "inbox"));
}

async function startAfresh(home: string, mostBytes: number, log: Log): Promise<void> {
  const aside = await setAside(home);
  if (aside === undefined) return;
  const { path, earlierGone } = aside;
  log.warn({ home, path }, "The home of strangers was of no use any more, and was put aside");
  await takeInboxAlong(path, home, mostBytes);
  void earlierGone.then((gone) => {
    if (!gone) log.warn({ home }, "A home that was put aside before could not be removed");
  });
}

export function createHomes(options: HomesOptions): Homes {
  const { homes, maxMB, log, everyMs = usualEvery } = options;
  const free = async () => {
    const { bavail, bsize } = await statfs(homes);
    return bavail * bsize;
  };

  return {
    async check(home) {
      const most = maxMB();
      const size = await measureHome(home, most * leeway * megabyte);
      if (size.whole) return { ok: true };
      if (basename(home) !== strangers) return { ok: false, problem: mayNotStart(size, most) };
      await startAfresh(home, most * megabyte, log);
      return { ok: true };
    },
    watch(home, onOver) {
      let factor: number | undefined;
      let told = false;
      const look: Look = async () => {
        const began = performance.now();
        const most = maxMB();
        // Only one that was too large when its agent started has the leeway.
        factor ??= (await measureHome(home, most * megabyte)).whole ? 1 : leeway;
        const size = await measureHome(home, most * megabyte * factor);
        const now = performance.now();
        const pause = 10 * (now - began);
        const room = most * megabyte * factor - size.bytes;
        const until = now + Math.max(everyMs, pause);
        if (size.whole) return { until, notBefore: now + pause, room, free: await free() };
        if (!told) onOver(mayNotStay(size, most));
        told = true;
        return undefined;
      };
      const stop = repeat(look, free, options);
      return () => {
        told = true;
        stop();
      };
    },
  };
}
