// One mailbox: what hears and what sends, put together.
import {
  type Accept,
  type ChannelContext,
  type Listener,
  SendError,
} from "../../src/core/channel.ts";
import type { EmailConfig } from "./config.ts";
import { createConnection } from "./connection.ts";
import { createCursor } from "./cursor.ts";
import { createResolver, dnsAnswers } from "./dns.ts";
import { createFiles } from "./files.ts";
import { createHealth, type Health } from "./health.ts";
import { createHearing } from "./hearing.ts";
import { patienceOf } from "./later.ts";
import { createReader } from "./reading.ts";
import { createSender, paceOf, type Sender } from "./sending.ts";
import { createShares } from "./shares.ts";
import { createStoring } from "./storing.ts";
import { openThreads, type Threads } from "./threads.ts";
import { tokenFrom } from "./token.ts";
import { createTranslator } from "./translating.ts";

/** A task at work for so long, ms, is worth one further mail. */
const progressAfter = 10 * 60_000;

export function openListener(config: EmailConfig, context: ChannelContext): Listener {
  const { log, listener: id } = context;
  const known = createKnown(config, context);
  const openSender = () =>
    createSender({ config, threads: known.threads, log, accessToken: tokenFrom });
  // Now, so that settings that cannot work are told now.
  let sender: Sender | undefined = openSender();
  const parts = openParts(config, context, known.threads);
  const { connection, health, reader } = parts;
  const pace = paceOf(config);
  const hint = config.tokenCommand ? "" : ` (sallyport secret set ${id}.password)`;
  return {
    id,
    async start(accept) {
      await known.open();
      await connection.start(parts.hearing(accept));
    },
    async send(to, part, key) {
      await known.open();
      // What is written after the end still goes out.
      sender ??= openSender();
      return await watched(health, sender.send(to, part, key), hint);
    },
    health: health.read,
    async stop() {
      // What was handed over just now waits for the same, and goes out first.
      await known.open().catch(() => undefined);
      const closing = sender;
      sender = undefined;
      await Promise.all([connection.stop(), closing?.close()]);
      await reader.stop();
    },
    openDirect: async (account) => ({ listener: id, chat: account }),
    fetchFile: createFiles({ folder: connection.folder, attachment: reader.attachment }),
    ...(pace ? { pace: () => pace } : {}),
    ...(config.progress === "on" ? { progressAfter } : {}),
  };
}

/** What is wrong with one mail or its recipient says nothing about the next one. */
async function watched<T>(health: Health, sending: Promise<T>, hint: string): Promise<T> {
  try {
    const sent = await sending;
    health.unsent(undefined);
    return sent;
  } catch (error) {
    if (error instanceof SendError && error.kind !== "rejected" && error.kind !== "gone")
      health.unsent(`${error.message}${error.kind === "unauthorised" ? hint : ""}`);
    throw error;
  }
}

/** What hears, in the order of one mail: connection, hearing, translating, storing. */
function openParts(
  config: EmailConfig,
  { listener, notes, log }: ChannelContext,
  threads: Threads,
) {
  const health = createHealth(listener, config.deafSeconds);
  const cursor = createCursor(notes, log);
  const stopping = new AbortController();
  const { signal } = stopping;
  const reader = createReader();
  const resolve = createResolver(config.dns);
  const connection = createConnection({ config, cursor, health, log, stopping });
  const hearing = (accept: Accept) =>
    createHearing({
      ...{ cursor, log, signal },
      patience: patienceOf(config.retrySeconds),
      storing: createStoring({ cursor, health, log, signal, accept }),
      translate: createTranslator({ config, resolve, reader, threads, shares: createShares() }),
      dnsAnswers: () => dnsAnswers(resolve, config.address.replace(/^.*@/, "")),
    });
  return { connection, health, reader, hearing };
}

/** The threads, usable once they were opened. */
function createKnown(config: EmailConfig, { notes }: ChannelContext) {
  let opening: Promise<void> | undefined;
  let opened: Threads | undefined;
  const get = () => {
    if (!opened) throw new Error("the threads are not open yet");
    return opened;
  };
  const threads: Threads = {
    threadOf: (...given) => get().threadOf(...given),
    isOurs: (id) => get().isOurs(id),
    messageId: (own) => get().messageId(own),
    newThread: (own) => get().newThread(own),
  };
  return {
    threads,
    open() {
      opening ??= openThreads(notes, config.address).then(
        (all) => {
          opened = all;
        },
        (error) => {
          opening = undefined;
          throw error;
        },
      );
      return opening;
    },
  };
}
