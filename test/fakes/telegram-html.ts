// Telegram's HTML parse mode: a strict reader that gives text and entities, or says what is wrong and at which byte.
import type { Entity } from "./telegram-types.ts";

export type ParsedHtml = { text: string; entities: Entity[] } | { problem: string };

interface OpenTag {
  name: string;
  argument: string;
  offset: number;
}

interface Reader {
  source: string;
  at: number;
  text: string;
  open: OpenTag[];
  entities: Entity[];
}

const ENTITY_OF_TAG: Record<string, string> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  "tg-spoiler": "spoiler",
  span: "spoiler",
  "tg-emoji": "custom_emoji",
  blockquote: "blockquote",
  a: "text_link",
  code: "code",
  pre: "pre",
};
const NAMED: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };
const REFERENCE = /&(?:#x([0-9a-f]+)|#(\d+)|([a-z]+));?/iy;

class Problem extends Error {}

export function parseHtml(source: string): ParsedHtml {
  const reader: Reader = { source, at: 0, text: "", open: [], entities: [] };
  try {
    while (reader.at < source.length) readPiece(reader);
  } catch (error) {
    if (error instanceof Problem) return { problem: error.message };
    throw error;
  }
  const unclosed = reader.open.at(-1);
  if (unclosed)
    return { problem: `Can't find end tag corresponding to start tag "${unclosed.name}"` };
  if (hasLoneSurrogate(reader.text))
    return { problem: "Text contains invalid Unicode characters after decoding HTML entities" };
  return { text: reader.text, entities: tidy(reader.entities) };
}

function readPiece(reader: Reader): void {
  const { source, at } = reader;
  if (source[at] === "<") {
    if (source[at + 1] === "/") readEndTag(reader);
    else readStartTag(reader);
  } else if (source[at] === "&") {
    const reference = readReference(source, at);
    reader.text += reference?.text ?? "&";
    reader.at = reference?.end ?? at + 1;
  } else {
    const next = source.slice(at).search(/[<&]/);
    const end = next < 0 ? source.length : at + next;
    reader.text += source.slice(at, end);
    reader.at = end;
  }
}

/** A reference that Telegram does not know stays in the text as it is. */
function readReference(source: string, at: number): { text: string; end: number } | undefined {
  REFERENCE.lastIndex = at;
  const match = REFERENCE.exec(source);
  if (!match) return undefined;
  const end = at + match[0].length;
  if (match[3] !== undefined) {
    const text = NAMED[match[3]];
    return text === undefined ? undefined : { text, end };
  }
  const code = match[1] === undefined ? Number(match[2]) : Number.parseInt(match[1], 16);
  if (code === 0 || code >= 0x10ffff || match[0].length > 10) return undefined;
  return { text: String.fromCodePoint(code), end };
}

function readStartTag(reader: Reader): void {
  const { source, at: begin } = reader;
  const end = scan(source, begin + 1, (c) => isSpace(c) || c === ">");
  if (end >= source.length) fail(reader, "Unclosed start tag", begin);
  const name = source.slice(begin + 1, end).toLowerCase();
  if (!Object.hasOwn(ENTITY_OF_TAG, name)) fail(reader, `Unsupported start tag "${name}"`, begin);
  reader.at = end;
  let argument = "";
  for (;;) {
    reader.at = scan(source, reader.at, (c) => !isSpace(c));
    if (reader.at >= source.length) fail(reader, "Unclosed start tag", begin);
    if (source[reader.at] === ">") break;
    const attribute = readAttribute(reader, name, begin);
    argument = argumentOf(name, attribute) ?? argument;
  }
  reader.at += 1;
  if (name === "span" && argument !== "spoiler")
    fail(reader, 'Tag "span" must have class "tg-spoiler"', begin);
  reader.open.push({ name, argument, offset: reader.text.length });
}

interface Attribute {
  name: string;
  value: string;
}

function readAttribute(reader: Reader, tag: string, begin: number): Attribute {
  const { source } = reader;
  const nameAt = reader.at;
  const nameEnd = scan(source, nameAt, (c) => isSpace(c) || c === "=" || c === ">");
  const name = source.slice(nameAt, nameEnd);
  if (name === "") fail(reader, `Empty attribute name in the tag "${tag}"`, begin);
  reader.at = scan(source, nameEnd, (c) => !isSpace(c));
  if (source[reader.at] !== "=") {
    if (tag === "blockquote" && name === "expandable") return { name, value: "" };
    fail(reader, `Expected equal sign in declaration of an attribute of the tag "${tag}"`, begin);
  }
  reader.at = scan(source, reader.at + 1, (c) => !isSpace(c));
  const quote = source[reader.at];
  if (quote === undefined) fail(reader, `Unclosed start tag "${tag}"`, begin);
  if (quote === '"' || quote === "'") return { name, value: readQuoted(reader, quote, begin) };
  const valueAt = reader.at;
  reader.at = scan(source, valueAt, (c) => !/[a-z0-9.-]/i.test(c));
  const after = source[reader.at];
  if (after !== undefined && !isSpace(after) && after !== ">")
    fail(reader, "Unexpected end of name token", valueAt);
  return { name, value: source.slice(valueAt, reader.at).toLowerCase() };
}

function readQuoted(reader: Reader, quote: string, begin: number): string {
  const { source } = reader;
  let value = "";
  reader.at += 1;
  while (reader.at < source.length && source[reader.at] !== quote) {
    const reference = source[reader.at] === "&" ? readReference(source, reader.at) : undefined;
    value += reference?.text ?? source[reader.at];
    reader.at = reference?.end ?? reader.at + 1;
  }
  if (reader.at >= source.length) fail(reader, "Unclosed start tag", begin);
  reader.at += 1;
  return value;
}

function argumentOf(tag: string, { name, value }: Attribute): string | undefined {
  if (tag === "a" && name === "href") return value;
  if (tag === "code" && name === "class" && value.startsWith("language-")) return value.slice(9);
  if (tag === "span" && name === "class" && value.startsWith("tg-")) return value.slice(3);
  if (tag === "tg-emoji" && name === "emoji-id") return value;
  if (tag === "blockquote" && name === "expandable") return "expandable";
  return undefined;
}

function readEndTag(reader: Reader): void {
  const { source, at: begin } = reader;
  const tag = reader.open.pop();
  if (!tag) throw problemAt(reader, "Unexpected end tag", begin);
  const nameEnd = scan(source, begin + 2, (c) => isSpace(c) || c === ">");
  const name = source.slice(begin + 2, nameEnd).toLowerCase();
  const end = scan(source, nameEnd, (c) => !isSpace(c));
  if (source[end] !== ">") fail(reader, "Unclosed end tag", begin);
  if (name !== "" && name !== tag.name) {
    const where = `Unmatched end tag at byte offset ${byteOffset(source, begin)}`;
    throw new Problem(`${where}, expected "</${tag.name}>", found "</${name}>"`);
  }
  reader.at = end + 1;
  const length = reader.text.length - tag.offset;
  if (length > 0) addEntity(reader, tag, length);
}

function addEntity(reader: Reader, tag: OpenTag, length: number): void {
  const { offset, argument } = tag;
  const inner = reader.entities.at(-1);
  const sameRange = inner?.offset === offset && inner.length === length;
  if (tag.name === "pre" && sameRange && inner.type === "code" && inner.language) {
    inner.type = "pre";
  } else if (tag.name === "code" && sameRange && inner.type === "pre" && argument) {
    inner.language = argument;
  } else if (tag.name === "a") {
    const url = checkedLink(argument || reader.text.slice(offset));
    if (url) reader.entities.push({ type: "text_link", offset, length, url });
  } else {
    const type = ENTITY_OF_TAG[tag.name] ?? tag.name;
    const entity: Entity = { type, offset, length };
    if (tag.name === "code" && argument) entity.language = argument;
    if (tag.name === "tg-emoji") entity.custom_emoji_id = argument;
    if (tag.name === "blockquote" && argument) entity.type = "expandable_blockquote";
    reader.entities.push(entity);
  }
}

/** Like Telegram: a link that is none loses its entity and keeps its text. */
function checkedLink(url: string): string | undefined {
  const full = /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `http://${url}`;
  if (!/^(https?|tg|ton|tonsite):/i.test(full) || !URL.canParse(full)) return undefined;
  const { protocol, hostname } = new URL(full);
  if (protocol.startsWith("http") && !/[.:]|^localhost$/.test(hostname)) return undefined;
  return full;
}

/** Code and pre hold no other entity; a language on a bare code means nothing. */
function tidy(entities: Entity[]): Entity[] {
  for (const entity of entities) if (entity.type === "code") delete entity.language;
  const solid = entities.filter((entity) => entity.type === "code" || entity.type === "pre");
  const kept = entities.filter(
    (entity) =>
      !solid.some(
        (outer) =>
          outer !== entity &&
          outer.offset <= entity.offset &&
          outer.offset + outer.length >= entity.offset + entity.length,
      ),
  );
  return kept.sort((a, b) => a.offset - b.offset || b.length - a.length);
}

export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

function scan(source: string, from: number, stop: (character: string) => boolean): number {
  let at = from;
  while (at < source.length && !stop(source[at] ?? "")) at += 1;
  return at;
}

function isSpace(character: string): boolean {
  return /[ \t\r\n\v\f]/.test(character);
}

function fail(reader: Reader, what: string, at: number): never {
  throw problemAt(reader, what, at);
}

function problemAt(reader: Reader, what: string, at: number): Problem {
  return new Problem(`${what} at byte offset ${byteOffset(reader.source, at)}`);
}

function byteOffset(source: string, at: number): number {
  return Buffer.byteLength(source.slice(0, at));
}
