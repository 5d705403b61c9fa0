// Fields that say how a body is to be read are often not signed. Here: could the same body be read in another way with others?

/** Unless this field is signed, the body may say something else than its sender saw. */
export interface Loose {
  readonly field: "content-type" | "content-transfer-encoding" | "content-disposition";
  /** In words that fit "…, and its Content-Type is not signed". */
  readonly why: string;
}

/** The whole mail as the MIME parser understands it; no part of its types. */
export interface Root {
  readonly contentType: Structured & { readonly multipart: string | false };
  readonly contentTransferEncoding: { readonly encoding: string };
  readonly contentDisposition: Structured;
  /** Decoded. */
  readonly content: ArrayBuffer | null;
}

interface Structured {
  readonly parsed: { readonly value: string; readonly params: Readonly<Record<string, string>> };
}

export function looseFields(root: Root, raw: Uint8Array): readonly Loose[] {
  const whole = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const start = whole.indexOf("\r\n\r\n");
  const body = start < 0 ? "" : whole.toString("latin1", start + 4);
  const found = {
    "content-type": looseType(root, body),
    "content-transfer-encoding": looseEncoding(root, body),
    "content-disposition": looseDisposition(root),
  };
  return Object.entries(found).flatMap(([field, why]) =>
    why === null ? [] : [{ field: field as Loose["field"], why }],
  );
}

function looseType({ contentType, content }: Root, body: string): string | null {
  const { value, params } = contentType.parsed;
  if (contentType.multipart) return looseParts(params.boundary ?? "", body);
  if (value !== "text/plain" && value !== "text/html") return `it is said to be no text (${value})`;
  if (params.name || params.filename) return "its text is said to be a file";
  if (/^(?:utf-?16|utf-?32|utf-7|iso-2022|hz|csiso2022|unicode|ucs)/i.test(params.charset ?? ""))
    return "its letters can be read as others";
  const start = Buffer.from(content ?? new ArrayBuffer(0))
    .toString("latin1", 0, 2000)
    .trimStart();
  if (value === "text/html" && !/^<[!a-z]/i.test(start)) return "its HTML looks like text";
  if (value === "text/plain" && documents.test(start)) return "its text looks like HTML";
  return /^--\S[^\r\n]*\r?\n(?:content-|\r?\n)/i.test(start) ? "its text looks like parts" : null;
}

const documents =
  /^<(?:!doctype|html|head|body|meta|style|div|p|span|font|center|table|br)(?:[\s>/]|$)/i;

const preamble =
  /^\s*(?:this is an? (?:multi-?part|cryptographically signed|openpgp\/mime signed) message[^\r\n]{0,60}(?:\r\n[^\r\n-][^\r\n]{0,60})?\s*?\r\n)?\s*/i;

/** All of it lies in the parts: nothing before the first one, nothing after the last. */
function looseParts(boundary: string, body: string): string | null {
  const line = `--${boundary}`;
  const rest = body.slice(preamble.exec(body.slice(0, 2000))?.[0].length ?? 0);
  const next = rest.slice(line.length, line.length + 200);
  const begins = rest.startsWith(line) && /^[ \t]*\r\n(?:content-|[ \t]*\r\n)/i.test(next);
  const ends = body
    .slice(-(line.length + 1000))
    .trimEnd()
    .endsWith(`\n${line}--`);
  return boundary !== "" && begins && ends ? null : "its parts can be cut in another way";
}

const asIs = new Set(["", "7bit", "8bit", "binary"]);

function looseEncoding({ contentType, contentTransferEncoding }: Root, body: string) {
  const { encoding } = contentTransferEncoding;
  if (contentType.multipart || encoding === "base64") return null;
  if (encoding === "quoted-printable") {
    return /=0a/i.test(body) ? "its encoding hides line breaks" : null;
  }
  if (!asIs.has(encoding)) return `its encoding is unknown (${encoding.slice(0, 50)})`;
  return /=[ \t]*\r\n/.test(body) && !/=(?![0-9A-F]{2}|[ \t]*\r\n)/.test(body)
    ? "its lines look encoded"
    : null;
}

function looseDisposition({ contentType, contentDisposition }: Root): string | null {
  if (!contentType.multipart && !/^text\/(?:plain|html)$/.test(contentType.parsed.value))
    return null;
  const { value, params } = contentDisposition.parsed;
  const shown = (value === "" || value === "inline") && !params.filename;
  return shown ? null : "it is said to be a file";
}
