// Keeps one connection to the mailbox: opened, listened to, and opened anew when it broke. Nothing ends that but stop.
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../src/core/log.ts";
import type { EmailConfig } from "./config.ts";
import type { Cursor } from "./cursor.ts";
import type { Health } from "./health.ts";
import type { Hearing } from "./hearing.ts";
import { type Folder, openFolder } from "./imap.ts";
import { untilDue } from "./later.ts";
import { troubleOf } from "./trouble.ts";

export interface Connection {
  /** Resolves when the mailbox was opened, or could not be, or does not answer yet: a slow server holds up nobody. */
  start(hearing: Hearing): Promise<void>;
  /** The mailbox as it is open now, or as soon as it is; rejects with a sentence when that takes too long. */
  folder(): Promise<Folder>;
  stop(): Promise<void>;
}

export interface ConnectionPorts {
  readonly config: EmailConfig;
  readonly cursor: Cursor;
  readonly health: Health;
  readonly log: Log;
  /** Ends all of it. */
  readonly stopping: AbortController;
}

const patience = { start: 3000, stop: 5000 };

interface State extends ConnectionPorts {
  open: Folder | undefined;
  /** The connection there is now has been of use. */
  useful: boolean;
  readonly waiting: Set<(folder: Folder) => void>;
}

export function createConnection(ports: ConnectionPorts): Connection {
  const it: State = { ...ports, open: undefined, useful: false, waiting: new Set() };
  let loop: Promise<void> = Promise.resolve();
  return {
    async start(hearing) {
      const tried = new Promise<void>((resolve) => {
        loop = run(it, hearing, resolve);
      });
      await within(patience.start, tried);
    },
    folder: () => folderOf(it),
    async stop() {
      it.stopping.abort();
      await within(patience.stop, loop);
      it.open?.drop();
      it.health.stopped();
    },
  };
}

async function run(it: State, hearing: Hearing, tried: () => void): Promise<void> {
  const { signal } = it.stopping;
  for (let failures = 0; !signal.aborted; failures += 1) {
    it.useful = false;
    try {
      await connect(it);
      tried();
      await listen(it, hearing);
    } catch (error) {
      if (signal.aborted) break;
      if (it.useful) failures = 0;
      it.open?.drop();
      tried();
      await recover(it, error, failures);
    }
  }
  await it.open?.leave();
  tried();
}

async function connect(it: State): Promise<void> {
  const { config, cursor, health, log, stopping } = it;
  const folder = await openFolder(config, health.contact, stopping.signal);
  it.open = folder;
  await cursor.open(folder);
  health.connected();
  log.info({}, "The mailbox is open");
  for (const next of it.waiting) next(folder);
  it.waiting.clear();
}

async function listen(it: State, hearing: Hearing): Promise<void> {
  const { config, cursor, health, stopping } = it;
  const folder = it.open;
  const before = cursor.next();
  while (folder && !stopping.signal.aborted) {
    await hearing.takeIn(folder).finally(() => {
      it.useful ||= cursor.next() !== before;
    });
    health.waiting(cursor.waiting().length);
    const ms = untilDue(cursor.waiting(), Date.now(), config.idleSeconds * 1000);
    await folder.wait(ms, stopping.signal);
    it.useful = true;
  }
}

async function recover(it: State, error: unknown, failures: number): Promise<void> {
  const { config, health, log, stopping } = it;
  it.open = undefined;
  const { state, why, wait } = troubleOf(error, config, failures);
  const before = health.read().lastError;
  health.trouble(state, why);
  const { lastError } = health.read();
  // Once for each kind of trouble, however often it is met.
  if (lastError !== before) log.warn({ why: lastError }, "The mailbox is not heard");
  await pause(wait, stopping.signal);
}

function folderOf(it: State): Promise<Folder> {
  const { open, waiting, config, stopping } = it;
  if (open?.isOpen()) return Promise.resolve(open);
  return new Promise((resolve, reject) => {
    const { signal } = stopping;
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", late);
      waiting.delete(found);
    };
    const found = (folder: Folder) => {
      done();
      resolve(folder);
    };
    const late = () => {
      done();
      reject(new Error("The mailbox cannot be reached now: try again later."));
    };
    const timer = setTimeout(late, config.answerSeconds * 1000);
    signal.addEventListener("abort", late);
    waiting.add(found);
    if (signal.aborted) late();
  });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  await Promise.race([work, pause(ms, timer.signal)]);
  timer.abort();
}
