// Requests to the fake Slack: bodies read as Slack reads them, answers written as Slack writes them.
import type { IncomingMessage, ServerResponse } from "node:http";
import { SlackFailure } from "./slack-types.ts";
import type { Params } from "./telegram-types.ts";

const jsonFields = ["attachments", "blocks", "files", "metadata", "view"];

export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** From a form, JSON or the address. */
export function readParams(bytes: Buffer, type: string, query: URLSearchParams): Params {
  const given = Object.fromEntries(query);
  if (type.startsWith("application/json")) {
    const json = parsed(bytes.toString());
    if (typeof json !== "object" || json === null) throw new SlackFailure("invalid_json");
    return { ...given, ...json };
  }
  const form = Object.fromEntries(new URLSearchParams(bytes.toString()));
  const entries = Object.entries({ ...given, ...form });
  return Object.fromEntries(entries.map(([key, value]) => [key, fieldOf(key, value)]));
}

function fieldOf(key: string, value: string): unknown {
  if (value === "true" || value === "false") return isText(key) ? value : value === "true";
  if (!jsonFields.includes(key)) return value;
  const json = parsed(value);
  if (json === undefined)
    throw new SlackFailure(key === "blocks" ? "invalid_blocks_format" : "invalid_arguments");
  return json;
}

function isText(key: string): boolean {
  return ["text", "initial_comment", "filename"].includes(key);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function answerJson(response: ServerResponse, body: Params, headers: Params = {}): void {
  write(response, 200, JSON.stringify(body), {
    "content-type": "application/json; charset=utf-8",
    ...headers,
  });
}

export function answerFailure(response: ServerResponse, error: SlackFailure): void {
  const { status = 200, retryAfter, more } = error.failure;
  const body = JSON.stringify({ ok: false, error: error.message, ...more });
  write(response, status, body, {
    "content-type": "application/json; charset=utf-8",
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
  });
}

export function write(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array,
  headers: Params,
): void {
  if (response.destroyed || response.headersSent) return;
  const length = Buffer.byteLength(body as string);
  response.writeHead(status, { "content-length": length, ...(headers as Record<string, string>) });
  response.end(body);
}
