// The worker in which mails are taken apart: whatever a mail does there ends with it. See reading.ts.
import { parentPort } from "node:worker_threads";
import { htmlToText } from "./html.ts";
import { takeApart } from "./parts.ts";
import { useQuickBlobs } from "./quick-blob.ts";
import { readingOf } from "./read.ts";

/** `index`: only this attachment's bytes are wanted. */
export interface Ask {
  readonly raw: Uint8Array;
  readonly index?: number;
}

const port = parentPort;
if (!port) throw new Error("runs in a worker only");
useQuickBlobs();
const convert = htmlToText();

port.on("message", ({ raw, index }: Ask) => {
  void answer(raw, index).then((said) => port.postMessage(said));
});
port.postMessage("ready");

async function answer(raw: Uint8Array, index: number | undefined) {
  try {
    const apart = await takeApart(raw, convert);
    if (index === undefined)
      return apart.ok
        ? { is: "read", mail: readingOf(apart.parts) }
        : { is: "unreadable", why: apart.why };
    const content = apart.ok ? apart.parts.files[index]?.content : undefined;
    // A copy: the parser may have cut it out of something larger.
    return content ? { is: "content", content: content.slice() } : { is: "none" };
  } catch {
    return { is: "unreadable", why: "a mail that is broken" };
  }
}
