// A mail taken apart: its headers, its text, its attachments. Runs in the worker; what is odd beyond reason is refused.
import PostalMime, { type Attachment, addressParser, type Email, type Header } from "postal-mime";
import { anyBytes, dotExtension, plainMime } from "../../src/core/file-name.ts";
import type { HtmlText } from "./html.ts";
import { type Lightened, lightened } from "./long-runs.ts";
import { type Loose, looseFields, type Root } from "./loose.ts";
import type { Mailbox } from "./mail.ts";
import { marks } from "./trim.ts";

export const bounds = {
  parts: 200,
  depth: 20,
  header: 256 * 1024,
  attachments: 100,
  /** Characters of text that are looked at; new text is cut shorter still. */
  text: 2_000_000,
};

/** Of an inline image that the HTML shows: below it is a logo. */
const logo = 20 * 1024;

export interface Parts {
  readonly headers: readonly Header[];
  /** `multipart/report`, lower case. */
  readonly type: string;
  readonly email: Email;
  readonly text: string;
  readonly files: readonly File[];
  readonly unreadable: string | null;
  readonly loose: readonly Loose[];
}

export interface File {
  readonly name: string;
  readonly mime: string;
  readonly content: Uint8Array;
  /** It is named as a file of its own, not shown in the text. */
  readonly attached: boolean;
  /** Of a calendar: what it asks for. */
  readonly method: string | undefined;
}

export type TakenApart =
  | { readonly ok: true; readonly parts: Parts }
  | { readonly ok: false; readonly why: string };

export async function takeApart(
  raw: Uint8Array,
  htmlToText: (html: string) => HtmlText,
): Promise<TakenApart> {
  const odd = tooManyParts(raw);
  if (odd) return { ok: false, why: odd };
  const light = lightened(raw);
  let parsed = await parse(light.raw);
  if (parsed.ok && isTextIn(parsed.texts, light)) parsed = await parse(raw);
  if (!parsed.ok) return parsed;
  const { email, texts } = parsed;
  const type = typeOf(email.headers);
  const { text, named, problem } = textOf(texts, htmlToText);
  const shown = email.attachments.filter((one) => !isLogo(one, { html: email.html ?? "", light }));
  const files = [...shown.map((one) => fileOf(one, light)), ...named].filter(
    (file) => file !== null,
  );
  if (files.length > bounds.attachments)
    return { ok: false, why: `a mail with more than ${bounds.attachments} attachments` };
  const readable = problemOf({ type, text, files }) ?? (text.trim() === "" ? problem : null);
  const kept = readable === outlooks ? files.filter((file) => !isOutlooks(file)) : files;
  const { headers } = email;
  const loose = looseFields(parsed.root, raw);
  const body = { text, files: kept, unreadable: readable, loose };
  return { ok: true, parts: { headers, type, email, ...body } };
}

type Parsed =
  | { readonly ok: true; readonly email: Email; readonly texts: TextMap; readonly root: Root }
  | { readonly ok: false; readonly why: string };

async function parse(raw: Uint8Array): Promise<Parsed> {
  const parser = new PostalMime({
    forceRfc822Attachments: true,
    maxNestingDepth: bounds.depth,
    maxHeadersSize: bounds.header,
  });
  const email = await parser.parse(raw).catch((error: unknown) => String(error));
  if (typeof email === "string") return { ok: false, why: whyNot(email) };
  const { root } = parser as unknown as { readonly root: Root };
  return { ok: true, email, texts: textsIn(parser), root };
}

/** A text so long that it was taken for an attachment. */
function isTextIn(texts: TextMap, light: Lightened): boolean {
  return [...texts.values()].some(
    ({ plain, html }) => light.isIn(joined(plain)) || light.isIn(joined(html)),
  );
}

/** Before anything is allocated for them. */
function tooManyParts(raw: Uint8Array): string | null {
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString("latin1");
  const why = `a mail with more than ${bounds.parts} parts`;
  const boundaries = new Set<string>();
  for (const [, quoted, bare] of text.matchAll(boundaryParameter)) {
    boundaries.add(quoted ?? bare ?? "");
    if (boundaries.size > bounds.parts) return why;
  }
  let parts = 0;
  for (let at = boundaries.size > 0 ? text.indexOf("\n--") : -1; at >= 0; ) {
    const line = text.slice(at + 3, at + 103).split(/[\r\n]/, 1)[0] ?? "";
    if (boundaries.has(line.trimEnd())) parts += 1;
    if (parts > bounds.parts) return why;
    at = text.indexOf("\n--", at + 1);
  }
  return null;
}

const boundaryParameter = /boundary\s{0,99}=\s{0,99}(?:"([^"]{1,99})"|([^\s";]{1,99}))/gi;

function whyNot(error: string): string {
  if (error.includes("nesting depth")) return "a mail with parts nested too deeply in each other";
  if (error.includes("header size")) return "a mail whose headers are too long";
  return "a mail that is broken";
}

function typeOf(headers: readonly Header[]): string {
  const value = headers.find(({ key }) => key === "content-type")?.value ?? "";
  return plainMime(value.slice(0, 199)) ?? "text/plain";
}

interface TextPart {
  readonly plain?: readonly { readonly value: string }[];
  readonly html?: readonly { readonly value: string }[];
}

type TextMap = ReadonlyMap<TextNode, TextPart>;

interface TextNode {
  readonly contentType?: { readonly parsed?: { readonly params?: Record<string, string> } };
  readonly contentDisposition?: { readonly parsed?: { readonly params?: Record<string, string> } };
}

/**
 * The texts as they lie in the mail. What the parser offers instead has its own idea of HTML as text put in between, in
 * which hidden words are shown; the map is no part of its types.
 */
function textsIn(parser: PostalMime): TextMap {
  const { textMap } = parser as unknown as { readonly textMap?: unknown };
  if (!(textMap instanceof Map)) throw new Error("postal-mime keeps its texts elsewhere");
  return textMap as TextMap;
}

interface Texts {
  readonly text: string;
  /** Texts that have a file name are files, wherever they are shown. */
  readonly named: readonly File[];
  readonly problem: string | null;
}

function textOf(texts: TextMap, htmlToText: (html: string) => HtmlText): Texts {
  const shown: string[] = [];
  const named: File[] = [];
  let problem: string | null = null;
  for (const [node, part] of texts) {
    const plain = joined(part.plain);
    const html = joined(part.html);
    const name = nameOf(node);
    if (name) {
      const mime = part.html ? "text/html" : "text/plain";
      const content = new TextEncoder().encode(plain || html);
      named.push({ name: fileName(name, mime), mime, content, attached: true, method: undefined });
      continue;
    }
    if (html === "" || (plain.trim() !== "" && !isStub(plain))) {
      shown.push(plain.slice(0, bounds.text).replace(marks, ""));
      continue;
    }
    const read = htmlToText(html);
    if (!read.ok) problem = read.why;
    const text = read.ok ? read.text : plain;
    shown.push(text.trim() === "" ? plain : text);
  }
  return { text: shown.join("\n").slice(0, bounds.text), named, problem };
}

function joined(items: TextPart["plain"]): string {
  return (items ?? []).map(({ value }) => value).join("\n");
}

function nameOf({ contentType, contentDisposition }: TextNode): string | undefined {
  return contentDisposition?.parsed?.params?.filename || contentType?.parsed?.params?.name;
}

/** "Your program cannot show HTML." */
function isStub(plain: string): boolean {
  const text = plain.trim();
  return (
    text.length < 400 &&
    /\bhtml\b/i.test(text) &&
    /view|display|show|support|enable|browser|client|reader|anzeig|darstell|unterstütz|affich|visuali[sz]|weerge|ondersteun|vis(?:es|ning)|visas|näytt|wyświetl|просмотр|отображ/i.test(
      text,
    )
  );
}

function fileOf(one: Attachment, light: Lightened): File | null {
  const mime = plainMime(one.mimeType) ?? anyBytes;
  if (isSignature(mime)) return null;
  return {
    name: fileName(one.filename ?? "", mime),
    mime,
    content: light.restored(bytesOf(one)),
    attached: one.disposition === "attachment",
    method: one.method,
  };
}

const signatures = [
  "application/pgp-signature",
  "application/pkcs7-signature",
  "application/x-pkcs7-signature",
];

function isSignature(mime: string): boolean {
  return signatures.includes(mime);
}

function bytesOf({ content }: Attachment): Uint8Array {
  if (typeof content === "string") return new TextEncoder().encode(content);
  return content instanceof Uint8Array ? content : new Uint8Array(content);
}

const longestName = 255;

/** A mere name: no folders, nothing that cannot be seen. */
function fileName(named: string, mime: string): string {
  const base = named.slice(-4096).split(/[/\\]/).at(-1) ?? "";
  const name = base.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, "").trim();
  if (/^\.*$/.test(name)) return defaultName(mime);
  const whole = mime === "message/rfc822" && !/\.eml$/i.test(name) ? `${name}.eml` : name;
  return whole.slice(-longestName);
}

function defaultName(mime: string): string {
  if (mime === "message/rfc822") return "mail.eml";
  if (mime === "text/calendar") return "invitation.ics";
  return `attachment${dotExtension(mime)}`;
}

/** An image that the HTML shows by its Content-ID: part of how the mail looks. */
function isLogo(
  one: Attachment,
  { html, light }: { readonly html: string; readonly light: Lightened },
): boolean {
  const id = one.contentId?.replace(/^\s*<|>\s*$/g, "");
  if (!id || !one.mimeType.startsWith("image/") || one.disposition === "attachment") return false;
  return html.includes(`cid:${id}`) && light.restored(bytesOf(one)).byteLength < logo;
}

export const encrypted = "an encrypted mail";
export const outlooks = "an attachment in Outlook's own format (winmail.dat)";

function isOutlooks({ mime, name }: File): boolean {
  return /^application\/(?:vnd\.)?ms-tnef$/.test(mime) || name.toLowerCase() === "winmail.dat";
}

function problemOf({ type, text, files }: Pick<Parts, "type" | "text" | "files">): string | null {
  if (type === "multipart/encrypted" || isSealed(type, files)) return encrypted;
  const start = text.trimStart();
  if (start.startsWith("-----BEGIN PGP MESSAGE-----")) return encrypted;
  return start === "" && files.length > 0 && files.every(isOutlooks) ? outlooks : null;
}

/** S/MIME with the text inside; also where it is only signed, nothing of it can be read. */
function isSealed(type: string, files: readonly File[]): boolean {
  const sealed = /^application\/(?:x-)?pkcs7-mime$/;
  return sealed.test(type) || (files.length === 1 && sealed.test(files[0]?.mime ?? ""));
}

/** Of all headers of this name, groups taken apart. */
export function mailboxes(headers: readonly Header[], name: string): Mailbox[] {
  return headers
    .filter(({ key }) => key === name)
    .flatMap(({ value }) => addressParser(value, { flatten: true }))
    .slice(0, 2000)
    .map(({ name: shown, address }) => ({ name: shown, address: address ?? "" }));
}
