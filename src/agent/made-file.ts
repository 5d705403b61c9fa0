// Files that an agent sends inside its answer: embedded resources, images and sounds, within bounds.
import type { MadeFile } from "../core/agent.ts";
import { anyBytes, dotExtension, mimeOf, plainMime, safeFileName } from "../core/file-name.ts";
import { visibleLine } from "../core/visible.ts";
import type { Markdown } from "../core/words.ts";
import type { AgentLimits } from "./limits.ts";
import { type Fields, isFields } from "./tool-call.ts";

type Bounds = Pick<AgentLimits, "fileBytes" | "files" | "filesBytes">;

const shownNames = 5;
const shownChars = 500;

/** The files of one turn: what is over the bounds is left out, and named at the end. */
export class MadeFiles {
  readonly #bounds: Bounds;
  /** The first few; the rest is counted. */
  readonly #leftOut: string[] = [];
  #leftOutCount = 0;
  #seen = 0;
  #taken = 0;
  #bytes = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Undefined: it is no file, or was left out. */
  take(content: Fields): MadeFile | undefined {
    const claim = claimOf(content);
    if (claim === undefined) return undefined;
    this.#seen += 1;
    const name = nameOf(claim, this.#seen);
    const why = this.#refusal(claim);
    const bytes = why === undefined ? decode(claim) : undefined;
    if (bytes === undefined) {
      this.#leaveOut(`${name} (${why ?? "its content could not be read"})`);
      return undefined;
    }
    this.#count(bytes);
    return { name, mime: claim.mime ?? mimeOf(name), bytes };
  }

  /** A file that did not come in the answer. Why it is refused hears who sent it, and can do something about it. */
  add({ name, mime, bytes }: MadeFile): MadeFile | string {
    const why = this.#refusal({ size: bytes.byteLength });
    if (why !== undefined) return `The file was not sent: ${why}.`;
    this.#count(bytes);
    const safe = safeFileName(name);
    return { name: safe, mime: plainMime(mime) ?? mimeOf(safe), bytes };
  }

  #count(bytes: Uint8Array): void {
    this.#taken += 1;
    this.#bytes += bytes.byteLength;
  }

  /** A sentence for people, or undefined when nothing is missing. */
  get leftOut(): Markdown | undefined {
    if (this.#leftOutCount === 0) return undefined;
    const named = this.#leftOut.map((one) => `\n- ${escaped(one)}`);
    const unnamed = this.#leftOutCount - named.length;
    const more = unnamed > 0 ? `\n- and ${unnamed} more` : "";
    return `\n\n⚠️ Not sent along:\n${named.join("")}${more}`;
  }

  #leaveOut(what: string): void {
    this.#leftOutCount += 1;
    if (this.#leftOut.length < shownNames) this.#leftOut.push(what);
  }

  #refusal({ size }: Pick<Claim, "size">): string | undefined {
    const { fileBytes, files, filesBytes } = this.#bounds;
    if (size === 0) return "it is empty";
    if (size > fileBytes) return `larger than ${inMegabytes(fileBytes)}`;
    if (this.#taken >= files) return `more than ${files} files in one answer`;
    if (this.#bytes + size > filesBytes)
      return `more than ${inMegabytes(filesBytes)} in one answer`;
    return undefined;
  }
}

interface Claim {
  readonly uri: string | undefined;
  readonly mime: string | undefined;
  readonly data: string;
  readonly encoding: "base64" | "utf8";
  /** Bytes; of base64 a little too many, never too few. */
  readonly size: number;
  /** What it is called when its sender gave no name. */
  readonly stem: string;
}

function claimOf(content: Fields): Claim | undefined {
  const { type } = content;
  if (type === "resource" && isFields(content.resource)) return resourceOf(content.resource);
  if ((type !== "image" && type !== "audio") || typeof content.data !== "string") return undefined;
  return base64Of(content, content.data, type);
}

function resourceOf(resource: Fields): Claim | undefined {
  const { blob, text } = resource;
  if (typeof blob === "string") return base64Of(resource, blob, "file");
  if (typeof text !== "string") return undefined;
  const size = Buffer.byteLength(text);
  return { ...headOf(resource), data: text, encoding: "utf8", size, stem: "file" };
}

function base64Of(head: Fields, data: string, stem: string): Claim {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  const size = Math.floor(((data.length - padding) * 3) / 4);
  return { ...headOf(head), data, encoding: "base64", size, stem };
}

function headOf({ uri, mimeType }: Fields) {
  return { uri: typeof uri === "string" ? uri : undefined, mime: plainMime(mimeType) };
}

function decode({ data, encoding }: Claim): Uint8Array | undefined {
  // Buffer skips what is no base64, and a mangled file is worse than a missing one.
  if (encoding === "base64" && /[^A-Za-z0-9+/=_-]/.test(data)) return undefined;
  return Buffer.from(data, encoding);
}

/** The last piece of the URI's path: what a folder is, only the agent knows. */
function nameOf({ uri, mime, stem, encoding }: Claim, nth: number): string {
  const path = uri?.split(/[?#]/, 1)[0]?.replace(/^[a-z][a-z0-9+.-]*:/i, "") ?? "";
  const last = decoded(path.split("/").at(-1) ?? "");
  if (last.trim() !== "") return safeFileName(last);
  const fallback = encoding === "utf8" ? ".txt" : "";
  const known = mime === undefined || mime === anyBytes ? "" : dotExtension(mime);
  return `${stem}-${nth}${known || fallback}`;
}

function decoded(piece: string): string {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}

/** A link is told, never followed: whose path it is we cannot know. */
export function linkText({ type, uri, name }: Fields): Markdown | undefined {
  if (type !== "resource_link" || typeof uri !== "string") return undefined;
  const shown = [name, uri]
    .filter((one) => typeof one === "string" && one.trim() !== "")
    .map((one) => inCode(String(one)));
  return `\n\n📎 ${[...new Set(shown)].join(" ")}\n\n`;
}

function inCode(text: string): Markdown {
  const line = visibleLine(text.slice(0, shownChars)).replaceAll("`", "'");
  return `\`${line}\``;
}

function escaped(text: string): Markdown {
  return text.replace(/[\\`*_[\]<>~]/g, "\\$&");
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
