// The wire of the fake Bot API: addresses, JSON, form and multipart bodies, answers.
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Body, readMultipart } from "./telegram-multipart.ts";
import { isRecord } from "./telegram-params.ts";
import { ApiFailure, badRequest, type Params, type Upload } from "./telegram-types.ts";

export type Target =
  | { kind: "method"; token: string; method: string; query: URLSearchParams }
  | { kind: "download"; token: string; path: string }
  | undefined;

const BODY_LIMIT = 64 * 1024 * 1024;
const NO_UPLOADS: ReadonlyMap<string, Upload> = new Map();

export function targetOf(url: string): Target {
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const file = /^\/file\/bot([^/]+)\/(.+)$/.exec(path);
  if (file) return { kind: "download", token: file[1] ?? "", path: file[2] ?? "" };
  const method = /^\/bot([^/]+)\/(\w+)$/.exec(path);
  if (!method) return undefined;
  const query = new URLSearchParams(mark < 0 ? "" : url.slice(mark));
  return { kind: "method", token: method[1] ?? "", method: method[2] ?? "", query };
}

export async function readBody(request: IncomingMessage, query: URLSearchParams): Promise<Body> {
  const bytes = await readBytes(request);
  const type = request.headers["content-type"] ?? "";
  if (bytes.length > 0 && type.startsWith("multipart/form-data")) return readMultipart(bytes, type);
  let params: Params = {};
  if (bytes.length > 0 && type.startsWith("application/json")) params = readJson(bytes);
  else if (bytes.length > 0) params = Object.fromEntries(new URLSearchParams(bytes.toString()));
  if (query.size > 0) params = { ...Object.fromEntries(query), ...params };
  return { params, uploads: NO_UPLOADS as Map<string, Upload> };
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_LIMIT) chunks.push(chunk);
    });
    request.once("error", reject);
    request.once("end", () => {
      if (size > BODY_LIMIT) reject(new ApiFailure(413, "Request Entity Too Large"));
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
  });
}

function readJson(bytes: Buffer): Params {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    throw badRequest("can't parse request body as JSON");
  }
  if (!isRecord(value)) throw badRequest("object expected");
  return value;
}

export function answerOk(response: ServerResponse, result: unknown): void {
  write(response, 200, { ok: true, result });
}

export function answerFailure(response: ServerResponse, failure: ApiFailure): void {
  const { code, message, parameters } = failure;
  write(response, code, {
    ok: false,
    error_code: code,
    description: message,
    ...(parameters && { parameters }),
  });
}

function write(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": bytes.length,
  });
  response.end(bytes);
}
