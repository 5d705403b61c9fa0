// One request from arrival to answer: token, faults, rate limits, the method, the record.
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { download } from "./telegram-documents.ts";
import type { Faults } from "./telegram-faults.ts";
import { answerFailure, answerOk, readBody, type Target, targetOf } from "./telegram-http.ts";
import type { RateLimiter } from "./telegram-limits.ts";
import { isPaced, METHODS } from "./telegram-methods.ts";
import type { Body } from "./telegram-multipart.ts";
import { flagParam, intParam, jsonParam } from "./telegram-params.ts";
import type { Platform } from "./telegram-people.ts";
import { ApiFailure, badRequest, type Call, type Params } from "./telegram-types.ts";

export interface Service extends Platform {
  token: string;
  /** Set when the bot's owner has revoked the token. */
  revoked: boolean;
  faults: Faults;
  limiter: RateLimiter;
  /** Undefined when calls are only counted. */
  calls: Call[] | undefined;
  onCall: ((call: Call) => void) | undefined;
  me: Record<string, unknown>;
}

const LOWER_CASE: Map<string, string> = new Map(
  [...Object.keys(METHODS), "deleteWebhook", "getMe", "getUpdates", "getWebhookInfo"].map(
    (name) => [name.toLowerCase(), name] as const,
  ),
);
const LONGEST_POLL_SECONDS = 50;

export async function serve(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const target = targetOf(request.url ?? "");
    checkToken(service, target);
    if (target.kind === "download") await serveFile(service, target.path, response);
    else await serveMethod(service, target, { request, response });
  } catch (error) {
    if (response.destroyed || request.socket.destroyed) return;
    if (!(error instanceof ApiFailure)) throw error;
    request.resume();
    answerFailure(response, error);
  }
}

function checkToken(service: Service, target: Target): asserts target is NonNullable<Target> {
  if (!target) throw new ApiFailure(404, "Not Found");
  if (target.token !== service.token || service.revoked) throw new ApiFailure(401, "Unauthorized");
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

async function serveFile(service: Service, path: string, response: ServerResponse): Promise<void> {
  const call = record(service, "download", { path });
  const fate = await meetFaults(service, call, response);
  if (fate === "taken") return;
  const bytes = download(service.world, path);
  await finish(service, call, { fate, response }, () => {
    response.writeHead(200, {
      "content-type": "application/octet-stream",
      "content-length": bytes.length,
    });
    response.end(bytes);
  });
}

async function serveMethod(
  service: Service,
  target: NonNullable<Target> & { kind: "method" },
  { request, response }: Exchange,
): Promise<void> {
  const body = await readBody(request, target.query);
  const method = LOWER_CASE.get(target.method.toLowerCase());
  if (!method) throw new ApiFailure(404, "Not Found: method not found");
  const call = record(service, method, shownParams(body));
  try {
    const fate = await meetFaults(service, call, response);
    if (fate === "taken") return;
    const result = await run(service, method, { body, response });
    await finish(service, call, { fate, response }, () => answerOk(response, result));
  } catch (error) {
    if (error instanceof ApiFailure) {
      call.status = error.code;
      service.world.counters.refused += 1;
      service.changed();
    }
    throw error;
  }
}

type Fate = "answer" | "drop" | "taken";

/** `taken`: nothing more is to be done for this call. A caller that died while held was never heard. */
async function meetFaults(service: Service, call: Call, response: ServerResponse): Promise<Fate> {
  const held = service.faults.hold(call, "before");
  if (held) {
    await held;
    if (response.destroyed) return "taken";
  }
  const fault = service.faults.take(call);
  if (!fault) return "answer";
  if (fault.kind === "slow") await sleep(fault.ms);
  if (fault.kind === "status")
    throw new ApiFailure(fault.code, fault.description, fault.parameters);
  if (fault.kind === "hang") return "taken";
  return fault.kind === "drop" ? "drop" : "answer";
}

/** The call has been carried out: what the bot hears of it is decided here. */
async function finish(
  service: Service,
  call: Call,
  { fate, response }: { fate: Fate; response: ServerResponse },
  answer: () => void,
): Promise<void> {
  if (fate === "answer") call.status = 200;
  service.changed();
  await service.faults.hold(call, "stored");
  if (fate === "drop") {
    response.destroy();
    return;
  }
  service.onCall?.(call);
  answer();
}

async function run(
  service: Service,
  method: string,
  { body, response }: { body: Body; response: ServerResponse },
): Promise<unknown> {
  const { world, queue, limiter } = service;
  const { params, uploads } = body;
  if (method === "getMe") return service.me;
  if (method === "getUpdates") return getUpdates(service, params, response);
  if (method === "getWebhookInfo") {
    const pending_update_count = queue.unconfirmed;
    return { url: "", has_custom_certificate: false, pending_update_count };
  }
  if (method === "deleteWebhook") {
    if (flagParam(params, "drop_pending_updates")) queue.drop();
    return true;
  }
  const chatId = intParam(params, "chat_id");
  if (chatId !== undefined && isPaced(method)) limiter.take(chatId, world.now());
  return METHODS[method]?.({ world, params, uploads });
}

function getUpdates(
  { queue, changed }: Service,
  params: Params,
  response: ServerResponse,
): Promise<unknown[]> {
  const allowed = jsonParam(params, "allowed_updates");
  if (allowed !== undefined) {
    if (!Array.isArray(allowed)) throw badRequest("expected an Array of String in allowed_updates");
    queue.allow(allowed.filter((kind) => typeof kind === "string"));
  }
  const seconds = Math.min(LONGEST_POLL_SECONDS, Math.max(0, intParam(params, "timeout") ?? 0));
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const poll = queue.poll(
    {
      offset: intParam(params, "offset") ?? 0,
      limit: Math.min(100, Math.max(1, intParam(params, "limit") ?? 100)),
      timeoutMs: seconds * 1_000,
    },
    gone.signal,
  );
  changed();
  return poll;
}

function record(service: Service, method: string, params: Params): Call {
  const { world, calls } = service;
  const call: Call = { method, params, at: world.now() };
  world.counters.calls[method] = (world.counters.calls[method] ?? 0) + 1;
  calls?.push(call);
  return call;
}

/** Uploads are shown by name and size. */
function shownParams({ params, uploads }: Body): Params {
  if (uploads.size === 0) return params;
  const files = [...uploads].map(([part, { name, bytes }]) => [part, { name, size: bytes.length }]);
  return { ...params, ...Object.fromEntries(files) };
}
