// A file as an attachment: streamed, inert in every browser, and under a name that a header can hold.
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";
import type { OutFile } from "../../core/channel.ts";
import { anyBytes, plainMime, safeFileName } from "../../core/file-name.ts";

/** What no browser runs, even if it were shown instead of saved. */
const inert =
  /^(?:(?:audio|font|image|video)\/[\w.+-]+|text\/(?:csv|markdown|plain)|application\/(?:gzip|json|pdf|zip|vnd\.[\w.+-]+))$/;
const active = /\+xml$|\/xml/;

/** Undefined: it is no longer there. */
export async function openFile({ path }: OutFile): Promise<FileHandle | undefined> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(ifMissing);
  if (handle === undefined || (await handle.stat()).isFile()) return handle;
  await handle.close();
  return undefined;
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ELOOP" || error.code === "ENOTDIR") return;
  throw error;
}

export async function attachment(request: Request, file: OutFile): Promise<Response> {
  const handle = await openFile(file);
  if (handle === undefined) return gone();
  const { size } = await handle.stat();
  const headers = headersOf(file, size);
  if (request.method === "HEAD") {
    await handle.close();
    return new Response(null, { headers });
  }
  // To its stated end: a file that grows meanwhile must not spill over its length.
  const stream = handle.createReadStream({ start: 0, ...(size > 0 ? { end: size - 1 } : {}) });
  return new Response(Readable.toWeb(stream) as ReadableStream<Uint8Array>, { headers });
}

function headersOf({ name, mime }: OutFile, size: number): Record<string, string> {
  return {
    "content-type": servedType(mime),
    "content-length": String(size),
    "content-disposition": dispositionOf(name),
    "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "cache-control": "private, no-store",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
  };
}

function servedType(claimed: string): string {
  const mime = plainMime(claimed) ?? anyBytes;
  if (!inert.test(mime) || active.test(mime)) return anyBytes;
  return mime.startsWith("text/") ? `${mime}; charset=utf-8` : mime;
}

/** RFC 6266: a plain name for the old, the whole one for all others. */
function dispositionOf(name: string): string {
  const safe = safeFileName(name);
  const plain = safe.replace(/[^A-Za-z0-9._ -]/gu, "_");
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(safe)}`;
}

export function notFound(): Response {
  return refusal(404, "There is no such file here, or it is not for you, or its link is too old.");
}

export function gone(): Response {
  return refusal(410, "This file is no longer kept. Ask the agent for it again.");
}

export function refusal(status: number, problem: string): Response {
  return Response.json({ problem }, { status, headers: { "cache-control": "no-store" } });
}
