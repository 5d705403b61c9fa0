// Reads multipart/form-data as loosely as the real server: file names may come without quotes.
import { badRequest, type Params, type Upload } from "./telegram-types.ts";

export interface Body {
  params: Params;
  uploads: Map<string, Upload>;
}

const HEAD_END = "\r\n\r\n";

export function readMultipart(bytes: Buffer, contentType: string): Body {
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  if (!boundary) throw badRequest("boundary field not found");
  const body: Body = { params: {}, uploads: new Map() };
  const mark = Buffer.from(`--${boundary}`);
  let at = bytes.indexOf(mark);
  for (;;) {
    const start = at + mark.length + 2;
    const next = at < 0 ? -1 : bytes.indexOf(mark, start);
    if (next < 0) return body;
    // A part ends before the line break that belongs to the next mark.
    readPart(bytes.subarray(start, next - 2), body);
    at = next;
  }
}

function readPart(part: Buffer, { params, uploads }: Body): void {
  const headEnd = part.indexOf(HEAD_END);
  if (headEnd < 0) throw badRequest("wrong multipart part");
  const head = part.subarray(0, headEnd).toString();
  const content = part.subarray(headEnd + HEAD_END.length);
  const name = field(head, "name") ?? "";
  const fileName = field(head, "filename");
  if (fileName === undefined) {
    params[name] = content.toString();
    return;
  }
  const mime = /^content-type:\s*(\S+)/im.exec(head)?.[1] ?? "application/octet-stream";
  const shortName = fileName.split(/[\\/]/).at(-1) ?? fileName;
  uploads.set(name, { name: shortName, mime, bytes: new Uint8Array(content) });
}

/** A value without quotes ends at a semicolon, which is how odd file names get cut on the real server. */
function field(head: string, name: string): string | undefined {
  const match = new RegExp(`[;\\s]${name}=(?:"([^"\\r\\n]*)"|([^;\\r\\n]*))`, "i").exec(head);
  return match?.[1] ?? match?.[2];
}
