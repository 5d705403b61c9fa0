// Reads the body of a REST call: JSON, or a form with `payload_json` and files.
import type { IncomingMessage } from "node:http";
import type { Request, Upload } from "./discord-messages.ts";
import { type Json, RestFailure, refusals } from "./discord-types.ts";

const BODY_LIMIT = 64 * 1024 * 1024;

type Read = Pick<Request, "query" | "body" | "files">;

export async function readRequest(request: IncomingMessage, url: URL): Promise<Read | RestFailure> {
  const query = url.searchParams;
  const bytes = await readBytes(request);
  if (bytes instanceof RestFailure) return bytes;
  const type = request.headers["content-type"] ?? "";
  if (bytes.length === 0) return { query, body: {}, files: [] };
  try {
    if (!type.startsWith("multipart/form-data"))
      return { query, body: bodyOf(JSON.parse(bytes.toString())), files: [] };
    const form = await new Response(new Uint8Array(bytes), {
      headers: { "content-type": type },
    }).formData();
    const payload = form.get("payload_json");
    const body = typeof payload === "string" ? bodyOf(JSON.parse(payload)) : {};
    // An interaction's answer has its message one level deeper, and its files beside it.
    return { query, body, files: await filesOf(form) };
  } catch {
    return new RestFailure(400, {
      code: 50109,
      message: "The request body contains invalid JSON.",
    });
  }
}

function bodyOf(value: unknown): Json {
  return Array.isArray(value) ? { list: value } : (value as Json);
}

async function filesOf(form: FormData): Promise<Upload[]> {
  const files: Upload[] = [];
  for (const [field, value] of form) {
    const index = /^files\[(\d+)\]$/.exec(field)?.[1];
    if (index === undefined || typeof value === "string") continue;
    const bytes = new Uint8Array(await value.arrayBuffer());
    files.push({ index, name: value.name, mime: value.type || "application/octet-stream", bytes });
  }
  return files;
}

function readBytes(request: IncomingMessage): Promise<Buffer | RestFailure> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_LIMIT) chunks.push(chunk);
    });
    request.once("error", reject);
    request.once("end", () => {
      resolve(size > BODY_LIMIT ? refusals.tooLarge() : Buffer.concat(chunks));
    });
  });
}
