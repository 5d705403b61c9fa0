// One connection to the mailbox: every command is answered in time or the connection counts as dead. It never comes back
// by itself, and nothing is ever taken for empty because it broke.
import type { Readable } from "node:stream";
import { ImapFlow } from "imapflow";
import type { EmailConfig } from "./config.ts";
import { imapOptions } from "./imap-options.ts";

export interface Head {
  readonly uid: number;
  /** As the server says. */
  readonly size: number;
  /** When it came in, by the server's clock. */
  readonly arrived: Date;
}

export interface Folder {
  readonly uidValidity: string;
  /** What the next mail will have at least. */
  readonly uidNext: number;
  /** Those that are there from this one on, ascending; about what came in since then, where a time is given. */
  uidsFrom(first: number, since?: Date): Promise<number[]>;
  /** One that is missing was not told. */
  heads(uids: readonly number[]): Promise<Head[]>;
  /** At most so many bytes of each; one that is missing was not told. */
  sources(uids: readonly number[], most: number): Promise<Map<number, Buffer>>;
  /** Null: it is not there. */
  header(uid: number): Promise<Buffer | null>;
  /** All of it, piece by piece, up to so many bytes; `use` takes it while it comes. */
  stream<T>(uid: number, most: number, use: (raw: Readable) => Promise<T>): Promise<T>;
  markSeen(uids: readonly number[]): Promise<void>;
  /** Until something may have come, but at most so long. The next command shows whether the server is still there. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  isOpen(): boolean;
  /** Politely, as far as the server answers. */
  leave(): Promise<void>;
  /** At once. */
  drop(): void;
}

interface State {
  readonly client: ImapFlow;
  readonly config: EmailConfig;
  readonly contact: () => void;
  /** Something came since the last look. */
  news: boolean;
  commands: number;
  refusesIdle: boolean;
  /** What made the connection end. */
  failure?: Error;
}

export const headerMost = 256 * 1024;
const pollMs = 60_000;
const closedByServer = "the mail server closed the connection";

export class Silence extends Error {
  constructor() {
    super("the mail server does not answer");
    this.name = "Silence";
  }
}

/** Rejects with what imapflow says, or with Silence; nothing stays open then. */
export async function openFolder(
  config: EmailConfig,
  contact: () => void,
  signal: AbortSignal,
): Promise<Folder> {
  const options = await imapOptions(config);
  signal.throwIfAborted();
  const client = new ImapFlow(options);
  const state: State = {
    ...{ client, config, contact, news: false, commands: 0, refusesIdle: false },
  };
  // It also comes as the rejection of what was asked; without a listener it would end the process.
  client.on("error", (error) => {
    state.failure ??= error;
  });
  const abort = () => client.close();
  signal.addEventListener("abort", abort, { once: true });
  try {
    await answered(state, () => client.connect());
    const mailbox = await answered(state, () => client.mailboxOpen(config.folder));
    client.on("exists", () => {
      state.news = true;
      contact();
    });
    const uidNext = mailbox.uidNext || (await highest(state)) + 1;
    return folderOf(state, { uidValidity: String(mailbox.uidValidity), uidNext });
  } catch (error) {
    client.close();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** For servers that do not say what comes next. */
async function highest(state: State): Promise<number> {
  const last = await answered(state, () => state.client.fetchOne("*", { uid: true }));
  return last ? last.uid : 0;
}

function folderOf(state: State, at: Pick<Folder, "uidValidity" | "uidNext">): Folder {
  const { client } = state;
  return {
    ...at,
    uidsFrom: (first, since) => uidsFrom(state, first, since),
    async heads(uids) {
      const query = { uid: true, size: true, internalDate: true };
      const rows = await answered(state, () => client.fetchAll(rangeOf(uids), query, byUid));
      return rows.flatMap(({ uid, size, internalDate }) => {
        if (size === undefined || !uids.includes(uid)) return [];
        return [{ uid, size, arrived: new Date(internalDate ?? Date.now()) }];
      });
    },
    async sources(uids, most) {
      const query = { uid: true, source: { start: 0, maxLength: most } };
      const rows = await answered(state, () => client.fetchAll(rangeOf(uids), query, byUid));
      const known = rows.flatMap(({ uid, source }): [number, Buffer][] =>
        source && uids.includes(uid) ? [[uid, source]] : [],
      );
      return new Map(known);
    },
    async header(uid) {
      const query = { uid: true, bodyParts: [{ key: "HEADER", start: 0, maxLength: headerMost }] };
      const row = await answered(state, () => client.fetchOne(String(uid), query, byUid));
      if (!row) return null;
      // What is asked for by this name is told apart from other parts.
      if (!row.headers) throw new Error("the mail server does not hand out a header");
      return row.headers;
    },
    stream: (uid, most, use) =>
      answered(state, async () => {
        const { content } = await client.download(String(uid), undefined, {
          ...{ uid: true, maxBytes: most, chunkSize: 1024 * 1024 },
        });
        if (!content) throw new Error("the mail is not there any more");
        try {
          return await use(content);
        } finally {
          content.destroy();
        }
      }),
    async markSeen(uids) {
      if (uids.length === 0) return;
      await answered(state, () =>
        client.messageFlagsAdd(rangeOf(uids), ["\\Seen"], { uid: true, silent: true }),
      );
      // It says no more than false when the connection broke; a folder that may not be changed stays as it is.
      if (!client.usable) throw state.failure ?? new Error(closedByServer);
    },
    wait: (ms, signal) => wait(state, ms, signal),
    isOpen: () => client.usable,
    drop: () => client.close(),
    async leave() {
      if (client.usable) await answered(state, () => client.logout()).catch(() => undefined);
      client.close();
    },
  };
}

const byUid = { uid: true } as const;

function rangeOf(uids: readonly number[]): string {
  return uids.join(",");
}

async function uidsFrom(state: State, first: number, since?: Date): Promise<number[]> {
  state.news = false;
  const query = { uid: `${first}:*`, ...(since ? { since } : {}) };
  const found = await answered(state, () => state.client.search(query, byUid));
  if (!found) throw new Error("the mail server refused to search");
  // A range that begins behind the last mail means the last mail.
  return found.filter((uid) => uid >= first).sort((a, b) => a - b);
}

/** A server that says something, however slowly, is not dead; but neither may it take for ever. */
const mostWaits = 20;

async function answered<T>(state: State, work: () => Promise<T>): Promise<T> {
  const { client, config, contact } = state;
  state.commands += 1;
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    let [bytes, waits] = [client.stats().received, 0];
    timer = setInterval(() => {
      const now = client.stats().received;
      waits += 1;
      if (now !== bytes && waits < mostWaits) {
        bytes = now;
        return;
      }
      client.close();
      reject(new Silence());
    }, config.answerSeconds * 1000);
  });
  try {
    const result = await Promise.race([work(), silence]);
    contact();
    return result;
  } catch (error) {
    // What broke the connection says more than that it is broken.
    throw error instanceof Silence ? error : (state.failure ?? error);
  } finally {
    clearInterval(timer);
  }
}

async function wait(state: State, ms: number, signal: AbortSignal): Promise<void> {
  const { client } = state;
  if (state.news || signal.aborted || ms <= 0) return;
  const idles = client.capabilities.has("IDLE") && !state.refusesIdle;
  const most = Math.min(ms, idles ? ms : pollMs);
  const [began, before] = [Date.now(), state.commands];
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => end(), most);
    const end = () => {
      clearTimeout(timer);
      client.off("exists", end);
      client.off("close", end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    client.on("exists", end);
    client.on("close", end);
    signal.addEventListener("abort", end);
    if (!client.usable) end();
    const ended = () => {
      // Ended by itself and at once: it is looked now and then from here on.
      const refused = state.commands === before && Date.now() - began < 1000 && client.usable;
      if (refused) state.refusesIdle = true;
      else end();
    };
    if (idles) client.idle().then(ended, ended);
  });
  if (signal.aborted) return;
  if (!client.usable) throw state.failure ?? new Error(closedByServer);
  // Without IDLE many a server looks for new mail only when it has nothing else to do.
  if (!idles) await answered(state, () => client.noop());
}
