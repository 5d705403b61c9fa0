// Reads bodies within their bounds, and no byte more.
import type { IncomingMessage } from "node:http";
import type { BodyTrouble } from "./later.ts";

export interface Bounds {
  readonly most: number;
  readonly ms: number;
}

/** All of it, or why not; `gone`: the caller went away. What is not read keeps the connection from being used again. */
export function readAll(
  from: IncomingMessage,
  { most, ms }: Bounds,
): Promise<Buffer | BodyTrouble | "gone"> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let size = 0;
    const end = (result: Buffer | BodyTrouble | "gone") => {
      clearTimeout(timer);
      from.off("data", take).off("end", finish).off("close", leave).pause();
      resolve(result);
    };
    const take = (piece: Buffer) => {
      size += piece.length;
      if (size > most) end("too-big");
      else pieces.push(piece);
    };
    const finish = () => end(Buffer.concat(pieces, size));
    const leave = () => end("gone");
    const timer = setTimeout(() => end("too-slow"), ms);
    // Whoever goes away is no error of ours, also later.
    from.on("error", leave);
    from.on("data", take).on("end", finish).on("close", leave);
    if (from.destroyed && !from.readableEnded) leave();
  });
}

/** JSON in UTF-8 is what it says it is; undefined when it is not. */
export function jsonText(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    JSON.parse(text);
    return text;
  } catch {
    return undefined;
  }
}

export interface Passing {
  readonly stream: ReadableStream<Uint8Array>;
  /** Why it broke off. */
  trouble(): BodyTrouble | "gone" | undefined;
}

/** Passes a body on as it comes, only as fast as it is taken. */
export function passOn(from: IncomingMessage, { most, ms }: Bounds): Passing {
  let [size, over] = [0, false];
  let trouble: BodyTrouble | "gone" | undefined;
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    over = true;
    clearTimeout(timer);
    from.removeAllListeners("data").pause();
  };
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const fail = (why: BodyTrouble | "gone") => {
        if (over) return;
        trouble = why;
        stop();
        controller.error(new Error(`The file broke off: ${why}`));
      };
      const wait = () => {
        clearTimeout(timer);
        if (!over) timer = setTimeout(() => fail("too-slow"), ms);
      };
      from.on("data", (piece: Buffer) => {
        size += piece.length;
        if (size > most) return fail("too-big");
        controller.enqueue(piece);
        wait();
        if ((controller.desiredSize ?? 0) > 0) return;
        clearTimeout(timer);
        from.pause();
      });
      from.on("end", () => {
        if (over) return;
        stop();
        controller.close();
      });
      from.on("close", () => fail("gone")).on("error", () => fail("gone"));
      from.pause();
      from.on("resume", wait);
    },
    pull() {
      if (!over) from.resume();
    },
    cancel: stop,
  });
  return { stream, trouble: () => trouble };
}
