// The worker in which mails are taken apart: whatever a mail does there ends with it. See reading.ts.
import { parentPort } from "node:worker_threads";
import { type HtmlText, htmlToText } from "./html.ts";
import { readLinesAsSigned } from "./mime-lines.ts";
import { takeApart } from "./parts.ts";
import { useQuickBlobs } from "./quick-blob.ts";
import { readingOf } from "./read.ts";

/** `index`: only this attachment's bytes are wanted. */
export interface Ask {
  readonly raw: Uint8Array;
  readonly index?: number;
  /** Nobody will read its text. */
  readonly textless?: boolean;
}

const port = parentPort;
if (!port) throw new Error("runs in a worker only");
useQuickBlobs();
readLinesAsSigned();
const convert = htmlToText();

const silence = (): HtmlText => ({ ok: true, text: "" });

port.on("message", (ask: Ask) => {
  void answer(ask).then((said) => port.postMessage(said));
});
port.postMessage("ready");

async function answer({ raw, index, textless = false }: Ask) {
  try {
    const apart = await takeApart(raw, textless || index !== undefined ? silence : convert);
    if (index === undefined) {
      if (!apart.ok) return { is: "unreadable", why: apart.why };
      return { is: "read", mail: readingOf(textless ? { ...apart.parts, text: "" } : apart.parts) };
    }
    const content = apart.ok ? apart.parts.files[index]?.content : undefined;
    // A copy: the parser may have cut it out of something larger.
    return content ? { is: "content", content: content.slice() } : { is: "none" };
  } catch {
    return { is: "unreadable", why: "a mail that is broken" };
  }
}
