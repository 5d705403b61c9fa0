// Names and media types of files that others named: safe to write to disk, to show, and to put into a header.

const mostChars = 100;
/** Of UTF-8: file systems allow 255, and something may be put in front. */
const mostBytes = 180;

/** No folders, no control or bidi characters, not hidden, not long; the end, with the extension, stays. */
export function safeFileName(name: string): string {
  const base = name.slice(-4096).split(/[/\\]/).at(-1) ?? "";
  const safe = base
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._ -]/gu, "_")
    .replace(/^\.+/, "_");
  return endOf(safe).trim() || "file";
}

function endOf(text: string): string {
  let end = "";
  let bytes = 0;
  for (const character of [...text].reverse()) {
    bytes += utf8Length(character.codePointAt(0) ?? 0);
    if (bytes > mostBytes || end.length + character.length > mostChars) break;
    end = character + end;
  }
  return end;
}

function utf8Length(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

const mimes: Readonly<Record<string, string>> = {
  txt: "text/plain",
  log: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  html: "text/html",
  htm: "text/html",
  json: "application/json",
  xml: "application/xml",
  pdf: "application/pdf",
  zip: "application/zip",
  gz: "application/gzip",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  ogg: "audio/ogg",
  mp4: "video/mp4",
  mmd: "text/vnd.mermaid",
  mermaid: "text/vnd.mermaid",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
};
export const anyBytes = "application/octet-stream";

/** Lower case, without the dot; empty when there is none. */
export function extensionOf(name: string): string {
  return /\.([^.]{1,16})$/.exec(name)?.[1]?.toLowerCase() ?? "";
}

/** What the name says. */
export function mimeOf(name: string): string {
  const extension = extensionOf(name);
  return (Object.hasOwn(mimes, extension) ? mimes[extension] : undefined) ?? anyBytes;
}

/** A usual extension with its dot, or nothing. */
export function dotExtension(mime: string): string {
  const [extension] = Object.entries(mimes).find(([, known]) => known === mime) ?? [];
  return extension === undefined ? "" : `.${extension}`;
}

/** A media type without parameters, in lower case; undefined: it is none. */
export function plainMime(claimed: unknown): string | undefined {
  if (typeof claimed !== "string" || claimed.length > 200) return undefined;
  const type = claimed.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return /^[a-z0-9][\w.+-]{0,63}\/[a-z0-9][\w.+-]{0,100}$/.test(type) ? type : undefined;
}
