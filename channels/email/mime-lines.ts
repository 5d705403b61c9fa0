// The MIME parser goes by blanks that most signatures do not hold fast: whoever has a mail may change them. Not here.
import PostalMime from "postal-mime";

/** A part of a mail; no part of the parser's types. */
interface MimeNode {
  readonly state: string;
  feed(line: Uint8Array): void;
  decodeFlowedText(text: string): string;
}

/** In all mails that this thread takes apart from now on. */
export function readLinesAsSigned(): void {
  const { root } = new PostalMime() as unknown as { readonly root: object };
  const node = Object.getPrototypeOf(root) as MimeNode;
  const { feed } = node;
  if (typeof feed !== "function" || typeof node.decodeFlowedText !== "function")
    throw new Error("postal-mime reads its lines elsewhere");
  node.feed = function (this: MimeNode, line) {
    // An empty line ends a header. With a blank in it, it has the same signature.
    feed.call(this, this.state === "header" && isBlank(line) ? line.subarray(0, 0) : line);
  };
  // Lines that end with a blank would go on in the next one: a person's own words in those that they quote. So none do.
  node.decodeFlowedText = (text) => text.replace(/^ /gm, "");
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09);
}
