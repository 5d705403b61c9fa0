// A scripted model on loopback that speaks the APIs of three makers, and keeps what it was sent and with which key.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { anthropic } from "./model-anthropic.ts";
import { gemini } from "./model-gemini.ts";
import { chat, responses } from "./model-openai.ts";

export type ApiStep =
  | { readonly text: string }
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

export interface Spoken {
  readonly step: ApiStep;
  /** Of the request, from 1; 0 where it is not a turn's. */
  readonly number: number;
  readonly tokens: { readonly input: number; readonly output: number };
}

export interface Dialect {
  readonly name: "anthropic" | "responses" | "chat" | "gemini";
  /** Of the request's path. */
  readonly path: RegExp;
  /** The lines of the event stream. */
  speak(spoken: Spoken): readonly string[];
  /** The same as one answer, for a request that wants no stream. */
  whole(spoken: Spoken): unknown;
}

export interface AskedOfModel {
  readonly dialect: Dialect["name"];
  readonly path: string;
  /** As it came, whichever header or parameter it came in. */
  readonly key: string | undefined;
  readonly body: Fields;
}

export interface ModelApiServer {
  readonly url: string;
  /** The requests of turns, oldest first. */
  readonly asked: readonly AskedOfModel[];
  /** All keys that were ever sent, of any request. */
  readonly keys: ReadonlySet<string>;
  /** Requests to paths it does not know. */
  readonly strange: readonly string[];
  /** What is answered next, a step for each request of a turn; what is left of an earlier play is dropped. */
  play(...steps: ApiStep[]): void;
}

type Fields = Readonly<Record<string, unknown>>;

const dialects: readonly Dialect[] = [anthropic, responses, chat, gemini];
/** Said with each answer, to be found again where use is counted. */
export const tokensOfAnswer = { input: 11, output: 7 };

async function bodyOf(request: IncomingMessage): Promise<Fields> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString("utf8");
  return text.startsWith("{") ? (JSON.parse(text) as Fields) : {};
}

function keyOf({ headers }: IncomingMessage, url: URL): string | undefined {
  const bearer = headers.authorization?.replace(/^Bearer /, "");
  const named = headers["x-api-key"] ?? headers["x-goog-api-key"] ?? bearer;
  return (Array.isArray(named) ? named[0] : named) ?? url.searchParams.get("key") ?? undefined;
}

function isOfTurn({ tools }: Fields): boolean {
  return Array.isArray(tools) && tools.length > 0;
}

function isWhole(dialect: Dialect, url: URL, body: Fields): boolean {
  return dialect.name === "gemini" ? !url.pathname.includes("stream") : body.stream !== true;
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function sendEvents(response: ServerResponse, lines: readonly string[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const line of lines) response.write(`${line}\n\n`);
  response.end();
}

export async function startModelApi(t: TestContext): Promise<ModelApiServer> {
  const asked: AskedOfModel[] = [];
  const steps: ApiStep[] = [];
  const keys = new Set<string>();
  const strange: string[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://model");
    const key = keyOf(request, url);
    if (key !== undefined) keys.add(key);
    const body = await bodyOf(request);
    if (url.pathname.endsWith("/count_tokens")) return sendJson(response, 200, { input_tokens: 1 });
    if (request.method === "GET" && /\/models$/.test(url.pathname))
      return sendJson(response, 200, { object: "list", data: [], models: [], has_more: false });
    const dialect = dialects.find(({ path }) => path.test(url.pathname));
    if (dialect === undefined) {
      strange.push(`${request.method} ${url.pathname}`);
      return sendJson(response, 404, { error: { message: "not here", type: "not_found_error" } });
    }
    let spoken: Spoken = { step: { text: "A title" }, number: 0, tokens: tokensOfAnswer };
    if (isOfTurn(body)) {
      const number = asked.push({ dialect: dialect.name, path: url.pathname, key, body });
      spoken = { ...spoken, number, step: steps.shift() ?? { text: "The script is over." } };
    }
    if (isWhole(dialect, url, body)) sendJson(response, 200, dialect.whole(spoken));
    else sendEvents(response, dialect.speak(spoken));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const play = (...next: ApiStep[]) => void steps.splice(0, steps.length, ...next);
  return { url: `http://127.0.0.1:${port}`, asked, keys, strange, play };
}
