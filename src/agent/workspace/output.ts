// Shows what a command writes while it writes it: as fenced text, in small pieces, with the middle left out when it is long.
import { StringDecoder } from "node:string_decoder";
import { cut, fenceFor, size } from "./markdown.ts";

const headBytes = 48_000;
const tailBytes = 16_000;
const pieceLength = 4_000;
const paceMs = 100;

export interface Output {
  write(bytes: Buffer): void;
  /** Shows what is left and closes the fence. */
  end(): void;
}

export function openOutput(say: (text: string) => void): Output {
  const page = openPage(say);
  const decoder = new StringDecoder("utf8");
  let headLeft = headBytes;
  let tail: Buffer = Buffer.alloc(0);
  let leftOut = 0;
  const keep = (bytes: Buffer) => {
    const all = Buffer.concat([tail, bytes]);
    // A copy: a part would keep the whole alive.
    tail = Buffer.from(all.subarray(-tailBytes));
    leftOut += all.length - tail.length;
  };
  return {
    write(bytes) {
      const head = bytes.subarray(0, headLeft);
      headLeft -= head.length;
      page.add(decoder.write(head));
      if (head.length < bytes.length) keep(bytes.subarray(head.length));
    },
    end() {
      if (leftOut === 0) {
        page.add(decoder.write(tail) + decoder.end());
      } else {
        page.note(`*Truncated: ${size(leftOut)} of the output are left out here.*`);
        page.add(fromCharacterOn(tail).toString("utf8"));
      }
      page.close();
    },
  };
}

/** Without the rest of a character whose start was left out. */
function fromCharacterOn(bytes: Buffer): Buffer {
  const start = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return bytes.subarray(Math.max(start, 0));
}

interface Page {
  add(text: string): void;
  note(text: string): void;
  close(): void;
}

/** Text that grows inside a fence. A fence that comes along in the text makes it close and go on in a longer one. */
function openPage(say: (text: string) => void): Page {
  let waiting = "";
  let fence = "";
  let lineEnd = "\n";
  let timer: NodeJS.Timeout | undefined;
  const shut = () => {
    if (fence !== "") say(`${lineEnd}${fence}\n\n`);
    fence = "";
  };
  const show = (text: string) => {
    if (text === "") return;
    const needed = fenceFor(text);
    if (needed.length > fence.length) {
      shut();
      fence = needed;
      say(`${fence}\n`);
    }
    for (const piece of pieces(text)) say(piece);
    lineEnd = text.endsWith("\n") ? "" : "\n";
  };
  const showAll = () => {
    clearTimeout(timer);
    timer = undefined;
    show(waiting);
    waiting = "";
  };
  const showSettled = () => {
    timer = undefined;
    // What follows may make a run of backticks longer than the fence.
    const [growing] = /`*$/.exec(waiting) ?? [""];
    show(waiting.slice(0, waiting.length - growing.length));
    waiting = growing;
  };
  return {
    add(text) {
      waiting += text;
      if (waiting !== "") timer ??= setTimeout(showSettled, paceMs);
    },
    note(text) {
      showAll();
      shut();
      say(`${text}\n\n`);
    },
    close() {
      showAll();
      shut();
    },
  };
}

function* pieces(text: string): Generator<string> {
  for (let rest = text; rest !== ""; ) {
    const piece = cut(rest, pieceLength);
    yield piece;
    rest = rest.slice(piece.length);
  }
}
