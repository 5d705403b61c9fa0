// One mailbox: what hears and what sends, put together.
import type { Accept, ChannelContext, Listener } from "../../src/core/channel.ts";
import type { EmailConfig } from "./config.ts";
import { createConnection } from "./connection.ts";
import { createCursor } from "./cursor.ts";
import { createResolver, dnsAnswers } from "./dns.ts";
import { createFiles } from "./files.ts";
import { createHealth } from "./health.ts";
import { createHearing } from "./hearing.ts";
import { patienceOf } from "./later.ts";
import { createReader } from "./reading.ts";
import { createSender, paceOf, type Sender } from "./sending.ts";
import { createShares } from "./shares.ts";
import { createStoring } from "./storing.ts";
import { openThreads, type Threads } from "./threads.ts";
import { tokenFrom } from "./token.ts";
import { createTranslator } from "./translating.ts";

const minute = 60_000;
const hour = 60 * minute;
/** A task at work for so long is worth one further mail. */
const progressAfter = 10 * minute;
/** Who answers a mail after so long begins anew. */
const threadsKept = 365 * 24 * hour;

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
  return {
    id,
    async start(accept) {
      await known.open();
      known.tidy();
      await connection.start(parts.hearing(accept));
    },
    async send(to, part, key) {
      await known.open();
      // What is written after the end still goes out.
      sender ??= openSender();
      return await sender.send(to, part, key);
    },
    health: health.read,
    async stop() {
      known.close();
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

/** What hears, in the order of one mail: connection, hearing, translating, storing. */
function openParts(config: EmailConfig, { notes, log }: ChannelContext, threads: Threads) {
  const health = createHealth(config.deafSeconds);
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

/** The threads: usable once they were opened, and tidied up every hour. */
function createKnown(config: EmailConfig, { notes, log }: ChannelContext) {
  let opening: Promise<void> | undefined;
  let opened: Threads | undefined;
  let timer: NodeJS.Timeout | undefined;
  const get = () => {
    if (!opened) throw new Error("the threads are not open yet");
    return opened;
  };
  const threads: Threads = {
    threadOf: (...given) => get().threadOf(...given),
    isOurs: (id) => get().isOurs(id),
    messageId: (own) => get().messageId(own),
    newThread: (own) => get().newThread(own),
    heard: (mail) => get().heard(mail),
    of: (...given) => get().of(...given),
    forget: (olderThan) => get().forget(olderThan),
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
    tidy() {
      const forget = () =>
        threads.forget(new Date(Date.now() - threadsKept)).catch((error) => {
          log.warn({ error }, "Old threads could not be forgotten");
        });
      timer ??= setInterval(() => void forget(), hour).unref();
      void forget();
    },
    close: () => clearInterval(timer),
  };
}
