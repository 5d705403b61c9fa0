// The worker that takes mails apart, seen from outside: its start, its bounds, and one question at a time.
import { Worker } from "node:worker_threads";
import type { Read } from "./mail.ts";
import type { Ask } from "./reading-worker.ts";

/** To load the parsers, on a machine that does other things too, ms. */
const startTime = 20_000;
const limits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 2 };

const tooSlow = "a mail that takes too long to take apart";
const tooMuch = "a mail that takes too much memory to take apart";
export type Answer =
  | Read
  | { readonly is: "content"; readonly content: Uint8Array }
  | { readonly is: "none" };

/** As it is from a clone, compiled in the published package. */
export function startWorker(): Promise<Worker> {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./reading-worker.${extension}`, import.meta.url), {
    resourceLimits: limits,
    // Nothing of ours is in there that a mail could reach.
    env: {},
    name: "mail",
  });
  return new Promise((resolve, reject) => {
    const ready = () => {
      worker.unref();
      done(() => resolve(worker));
    };
    const failed = (why: unknown) => done(() => reject(why));
    const ended = () => failed(new Error("the worker that reads mails ended at its start"));
    const late = setTimeout(() => {
      void worker.terminate();
      failed(new Error("the worker that reads mails does not start"));
    }, startTime);
    const done = (settle: () => void) => {
      clearTimeout(late);
      worker.off("message", ready).off("error", failed).off("exit", ended);
      settle();
    };
    // What happens between two mails shows with the next one.
    worker.on("error", () => undefined);
    worker.once("message", ready).once("error", failed).once("exit", ended);
  });
}

/** A text: why there is none. The worker is of no use then. */
export function answered(
  worker: Worker,
  { raw, ...ask }: Ask,
  time: number,
): Promise<Answer | string> {
  return new Promise((resolve) => {
    const done = (answer: Answer | string) => {
      clearTimeout(late);
      worker.off("message", done).off("error", broken).off("exit", gone);
      worker.unref();
      resolve(answer);
    };
    const broken = (error: unknown) => done(reasonOf(error));
    const gone = () => done(tooMuch);
    // An answer that waits to be heard because this process was busy still counts.
    const late = setTimeout(() => setImmediate(() => done(tooSlow)), time);
    worker.on("message", done).on("error", broken).on("exit", gone);
    worker.ref();
    // A copy goes there and is let go of here: the caller keeps its own.
    const copy = new Uint8Array(raw);
    worker.postMessage({ ...ask, raw: copy }, [copy.buffer]);
  });
}

function reasonOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return code === "ERR_WORKER_OUT_OF_MEMORY" ? tooMuch : "a mail that is broken";
}
