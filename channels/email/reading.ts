// Mails are taken apart in a worker of their own, one at a time: what one of them costs is bounded, and ends with it.
import type { Worker } from "node:worker_threads";
import type { Read, Reading } from "./mail.ts";
import { type Answer, answered, startWorker } from "./reading-thread.ts";
import type { Ask } from "./reading-worker.ts";

export interface Reader {
  read(raw: Uint8Array, share?: Share): Promise<Read>;
  /** What it is, without its text, which takes the most. */
  report(raw: Uint8Array): Promise<Read>;
  /** What the header alone says, and why there is no more of it; where it cannot be read either, the mail counts as automatic. */
  head(raw: Uint8Array, why: string | null): Promise<Reading>;
  /** The bytes of the attachment at this place in `attachments`; undefined: there is none, or the mail cannot be read. */
  attachment(raw: Uint8Array, index: number): Promise<Uint8Array | undefined>;
  stop(): Promise<void>;
}

/** Whose mail it is has only so much time. */
export interface Share {
  /** Asked when it is the mail's turn; what it says instead of true is why the mail is not read. */
  refuses(): string | null;
  /** Ms. */
  took(time: number): void;
}

export interface Bounds {
  /** For one mail, from handing it over to having the answer, ms. */
  readonly time: number;
  /** The worker ends after so long without a mail, ms. */
  readonly idle: number;
}

const usual: Bounds = { time: 2000, idle: 30_000 };
const stopped = "a mail while the mailbox is being closed";

/** Starts nothing yet: the worker starts with the first mail. */
export function createReader(bounds: Bounds = usual): Reader {
  const { inTurn, stop } = createPool(bounds);
  const ask = async (asked: Ask, share?: Share): Promise<Read> => {
    const answer = await inTurn(asked, share);
    if (answer.is === "read" || answer.is === "unreadable") return answer;
    throw new Error(`the reading worker answered ${answer.is}`);
  };
  return {
    read: (raw, share) => ask({ raw }, share),
    report: (raw) => ask({ raw, textless: true }),
    async head(raw, why) {
      const header = await ask({ raw: headerOf(raw), textless: true });
      return header.is === "read"
        ? { ...header.mail, text: "", attachments: [], unreadable: why, loose: [] }
        : { ...nothing, unreadable: why };
    },
    async attachment(raw, index) {
      const answer = await inTurn({ raw, index });
      return answer.is === "content" ? answer.content : undefined;
    },
    stop,
  };
}

interface Pool {
  inTurn(ask: Ask, share?: Share): Promise<Answer>;
  stop(): Promise<void>;
}

/** Of one. */
function createPool(bounds: Bounds): Pool {
  let running: Promise<Worker> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let ended = false;
  let last: Promise<unknown> = Promise.resolve();

  const dismiss = async () => {
    const worker = running;
    running = undefined;
    await worker?.then(
      (one) => one.terminate(),
      () => undefined,
    );
  };
  const started = (): Promise<Worker> => {
    if (running) return running;
    const starting = startWorker();
    running = starting;
    const forget = () => {
      if (running === starting) running = undefined;
    };
    starting.then((worker) => worker.once("exit", forget), forget);
    return starting;
  };
  const work = async (ask: Ask, share?: Share): Promise<Answer> => {
    clearTimeout(idle);
    const refused = ended ? stopped : share?.refuses();
    if (refused) return { is: "unreadable", why: refused };
    const worker = await started();
    const began = performance.now();
    const answer = await answered(worker, ask, bounds.time);
    share?.took(performance.now() - began);
    if (typeof answer === "string") {
      await dismiss();
      return { is: "unreadable", why: answer };
    }
    idle = setTimeout(() => void dismiss(), bounds.idle).unref();
    return answer;
  };
  return {
    inTurn(ask, share) {
      const turn = last.then(() => work(ask, share));
      last = turn.catch(() => undefined);
      return turn;
    },
    async stop() {
      ended = true;
      await last;
      clearTimeout(idle);
      await dismiss();
    },
  };
}

/** Longer ones prove nobody. */
const longestHeader = 64 * 1024;

function headerOf(raw: Uint8Array): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, longestHeader));
  const ends = ["\r\n\r\n", "\n\n"].map((end) => bytes.indexOf(end)).filter((at) => at >= 0);
  return bytes.subarray(0, Math.min(bytes.length, ...ends));
}

const nothing: Reading = {
  from: [],
  to: [],
  cc: [],
  subject: "",
  messageId: null,
  inReplyTo: [],
  references: [],
  text: "",
  attachments: [],
  automatic: "a mail whose header cannot be read",
  unreadable: null,
  loose: [],
};

/** One mail alone. */
export async function readMail(raw: Uint8Array): Promise<Read> {
  const reader = createReader();
  try {
    return await reader.read(raw);
  } finally {
    await reader.stop();
  }
}
