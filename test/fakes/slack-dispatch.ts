// One request to the fake Slack from arrival to answer: token, faults, rate limits, the method, the record.
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { checkBlocks } from "./slack-blocks.ts";
import { DIES, type SlackFaults } from "./slack-faults.ts";
import { download, loginPage, takeUpload } from "./slack-files.ts";
import { answerFailure, answerJson, readBytes, readParams, write } from "./slack-http.ts";
import type { SlackLimiter } from "./slack-limits.ts";
import { checkScope, METHODS } from "./slack-methods.ts";
import type { Platform } from "./slack-posting.ts";
import { respond } from "./slack-pressing.ts";
import type { Sockets } from "./slack-sockets.ts";
import { type SlackCall, SlackFailure } from "./slack-types.ts";
import { readMultipart } from "./telegram-multipart.ts";
import type { Params } from "./telegram-types.ts";

export interface SlackService extends Platform {
  readonly token: string;
  readonly appToken: string;
  /** What Slack says of tokens that no longer count. */
  readonly revoked: Map<string, string>;
  readonly faults: SlackFaults;
  readonly limiter: SlackLimiter;
  readonly sockets: Sockets;
  /** Undefined when calls are only counted. */
  readonly calls: SlackCall[] | undefined;
  onCall: ((call: SlackCall) => void) | undefined;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

const responseUses = 5;
const responseMs = 30 * 60_000;

export async function serve(service: SlackService, exchange: Omit<Exchange, "url">): Promise<void> {
  const url = new URL(exchange.request.url ?? "", "http://localhost");
  const whole = { ...exchange, url };
  try {
    await route(service, whole);
  } catch (error) {
    if (exchange.response.destroyed || exchange.request.socket.destroyed) return;
    if (!(error instanceof SlackFailure)) throw error;
    service.world.counters.refused += 1;
    service.changed();
    exchange.request.resume();
    if (error.failure.status === DIES) exchange.response.destroy();
    else answerFailure(exchange.response, error);
  }
}

function route(service: SlackService, exchange: Exchange): Promise<void> {
  const { pathname } = exchange.url;
  if (pathname.startsWith("/api/")) return serveMethod(service, exchange);
  if (pathname.startsWith("/upload/v1/")) return serveUpload(service, exchange);
  if (pathname.startsWith("/files-pri/")) return serveDownload(service, exchange);
  if (pathname.startsWith("/actions/")) return serveResponse(service, exchange);
  throw new SlackFailure("not_found", { status: 404 });
}

async function serveMethod(service: SlackService, exchange: Exchange): Promise<void> {
  const { request, response, url } = exchange;
  const type = request.headers["content-type"] ?? "";
  const { token: given, ...params } = readParams(await readBytes(request), type, url.searchParams);
  const method = url.pathname.slice("/api/".length);
  const opens = method === "apps.connections.open";
  const token = bearerOf(request) ?? given;
  await carryOut(service, { method, params, response }, () => {
    checkToken(service, token, opens ? service.appToken : service.token);
    if (opens) return { ok: true, url: service.sockets.ticket(service.url()) };
    const run = METHODS[method];
    if (!run) throw new SlackFailure("unknown_method");
    checkScope(service, method, params);
    service.limiter.take(method, params.channel, service.world.now());
    return { ok: true, ...run(service, params) };
  });
}

function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
}

function checkToken(
  { revoked, token, appToken }: SlackService,
  given: unknown,
  wanted: string,
): void {
  if (given === undefined || given === "") throw new SlackFailure("not_authed");
  if (given !== token && given !== appToken) throw new SlackFailure("invalid_auth");
  if (given !== wanted) throw new SlackFailure("not_allowed_token_type");
  const why = revoked.get(wanted);
  if (why !== undefined) throw new SlackFailure(why);
}

interface Request {
  readonly method: string;
  readonly params: Params;
  readonly response: ServerResponse;
  /** Other than as JSON. */
  readonly answer?: () => void;
}

/** Faults before and after; an answer that the caller may never get. */
async function carryOut(service: SlackService, request: Request, run: () => Params): Promise<void> {
  const { method, params, response, answer } = request;
  const { faults, world, changed } = service;
  const call: SlackCall = { method, params, at: world.now() };
  service.calls?.push(call);
  try {
    const held = faults.hold(call, "before");
    if (held) {
      await held;
      // A caller that died meanwhile was never heard.
      if (response.destroyed) return;
    }
    const fault = faults.take(call);
    if (fault?.kind === "slow") await sleep(fault.ms);
    if (fault?.kind === "hang") return;
    if (fault?.kind === "status") throw failureOf(fault);
    const result = run();
    if (fault?.kind !== "drop") call.status = 200;
    changed();
    await faults.hold(call, "stored");
    if (fault?.kind === "drop") {
      response.destroy();
      return;
    }
    service.onCall?.(call);
    if (answer) answer();
    else answerJson(response, result, { "x-oauth-scopes": [...service.scopes].join(",") });
  } catch (error) {
    if (error instanceof SlackFailure && error.failure.status !== DIES) {
      call.status = error.failure.status ?? 200;
      call.error = error.message;
    }
    throw error;
  }
}

interface StatusFault {
  readonly code: number;
  readonly description: string;
  readonly parameters?: { readonly retry_after?: number };
}

function failureOf({ code, description, parameters }: StatusFault): SlackFailure {
  const retryAfter = parameters?.retry_after;
  return new SlackFailure(description, {
    status: code,
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

/** Raw, or the only file of a form. */
async function serveUpload(service: SlackService, { request, response, url }: Exchange) {
  const secret = url.pathname.slice("/upload/v1/".length);
  const type = request.headers["content-type"] ?? "";
  const body = await readBytes(request);
  const form = type.startsWith("multipart/form-data") ? readMultipart(body, type) : undefined;
  const bytes = form ? [...form.uploads.values()][0]?.bytes : new Uint8Array(body);
  if (!bytes) throw new SlackFailure("no_file_data", { status: 400 });
  let text = "";
  const answer = () => write(response, 200, text, { "content-type": "text/plain" });
  const params = { size: bytes.length };
  await carryOut(service, { method: "upload", params, response, answer }, () => {
    text = takeUpload(service, secret, bytes);
    return {};
  });
}

async function serveDownload(service: SlackService, { request, response, url }: Exchange) {
  request.resume();
  const allowed = bearerOf(request) === service.token && !service.revoked.has(service.token);
  const file = allowed ? download(service, url.pathname) : undefined;
  const answer = () =>
    file
      ? write(response, 200, file.bytes, { "content-type": file.mime })
      : write(response, 200, loginPage, { "content-type": "text/html; charset=utf-8" });
  const params = { path: url.pathname };
  await carryOut(service, { method: "download", params, response, answer }, () => ({}));
}

async function serveResponse(service: SlackService, { request, response, url }: Exchange) {
  const type = request.headers["content-type"] ?? "";
  const params = readParams(await readBytes(request), type, url.searchParams);
  const { world } = service;
  const answer = () => write(response, 200, "ok", { "content-type": "text/html" });
  await carryOut(service, { method: "respond", params, response, answer }, () => {
    const target = world.responses.get(url.pathname.split("/").at(-1) ?? "");
    if (!target) throw new SlackFailure("invalid_url", { status: 404 });
    const old = world.now() - target.at > responseMs;
    if (old) throw new SlackFailure("expired_url", { status: 404 });
    if (target.uses >= responseUses) throw new SlackFailure("used_url", { status: 404 });
    if (params.blocks !== undefined) checkBlocks(params.blocks);
    if (!params.text && !params.blocks && params.delete_original !== true)
      throw new SlackFailure("no_text", { status: 500 });
    target.uses += 1;
    respond(service, { ...target, room: world.roomOf(target.room) }, params);
    return {};
  });
}
