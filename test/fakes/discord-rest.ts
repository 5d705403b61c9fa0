// Serves the fake REST API: finds the route, applies faults and limits, writes the answer.
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Call, type Fault, type Faults, tooMany } from "./discord-faults.ts";
import { readRequest } from "./discord-http.ts";
import type { RateLimiter } from "./discord-limits.ts";
import type { Request } from "./discord-messages.ts";
import { type Answer, type Place, ROUTES, type Route } from "./discord-routes.ts";
import { RestFailure, refusals } from "./discord-types.ts";

export interface Service extends Place {
  token: string;
  revoked: boolean;
  faults: Faults;
  limiter: RateLimiter;
  calls: Call[] | undefined;
  onCall: ((call: Call) => void) | undefined;
}

const TABLE = Object.entries(ROUTES as Record<string, Route>).map(([name, route]) => {
  const pattern = route.path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)");
  return { name, route, pattern: new RegExp(`^/api/v10${pattern}$`) };
});

export async function serve(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://fake");
  if (url.pathname.startsWith("/cdn/")) return await download(service, url, response);
  const found = match(request.method ?? "", url.pathname);
  const asked = await readRequest(request, url);
  if (!found || asked instanceof RestFailure) {
    return answerFailure(response, asked instanceof RestFailure ? asked : refusals.noRoute());
  }
  const { name, route, path } = found;
  const wanted: Request = { ...asked, path };
  const params = { ...wanted.body, ...Object.fromEntries(url.searchParams), ...path };
  const call: Call = { route: name, method: route.method, params, at: service.world.now() };
  count(service, call);
  const fault = service.faults.take(call);
  if (fault && (await spoil(fault, { call, response }))) return;
  const held = service.faults.hold(call, "before");
  if (held) {
    await held;
    // A caller that died meanwhile was never heard.
    if (response.destroyed) return;
  }
  const { token, revoked } = service;
  const authorised = route.open || (!revoked && request.headers.authorization === `Bot ${token}`);
  const outcome = carryOut(service, { call, route, request: wanted, authorised });
  await finish(service, { call, response, outcome, fault });
}

function count({ calls, world }: Service, call: Call): void {
  calls?.push(call);
  const counted = world.counters.calls;
  counted[call.route] = (counted[call.route] ?? 0) + 1;
}

function match(method: string, pathname: string) {
  for (const { name, route, pattern } of TABLE) {
    if (route.method !== method) continue;
    const groups = pattern.exec(pathname)?.groups;
    if (!groups && !pattern.test(pathname)) continue;
    const entries = Object.entries(groups ?? {});
    const path = Object.fromEntries(
      entries.map(([key, value]) => [key, decodeURIComponent(value)]),
    );
    return { name, route, path };
  }
  return undefined;
}

/** True when the call ends here. */
async function spoil(
  fault: Fault,
  { call, response }: { call: Call; response: ServerResponse },
): Promise<boolean> {
  if (fault.kind === "hang") return true;
  if (fault.kind === "slow") await new Promise((resolve) => setTimeout(resolve, fault.ms));
  if (fault.kind === "limit" || fault.kind === "status") {
    const failure = failureOf(fault);
    call.status = failure.status;
    call.code = failure.code;
    answerFailure(response, failure);
    return true;
  }
  return false;
}

function failureOf(fault: Fault & { kind: "limit" | "status" }): RestFailure {
  if (fault.kind === "limit") return tooMany(fault.retryAfter, fault.scope);
  const { status, code = 0, message = `${status}: Server Error` } = fault;
  return new RestFailure(status, { code, message });
}

type Outcome = { answer: Answer; headers: Record<string, string> } | { failure: RestFailure };

interface Carrying {
  call: Call;
  route: Route;
  request: Request;
  authorised: boolean;
}

function carryOut(service: Service, { call, route, request, authorised }: Carrying): Outcome {
  try {
    if (!authorised) throw refusals.unauthorised();
    const channel = request.path.channel ?? "";
    // Answers to interactions are not counted.
    const now = service.world.now();
    const headers = route.open ? {} : service.limiter.take(call.route, channel, now);
    const answer = route.run(service, request);
    call.status = answer === undefined ? 204 : 200;
    return { answer, headers };
  } catch (failure) {
    if (!(failure instanceof RestFailure)) throw failure;
    call.status = failure.status;
    call.code = failure.code;
    return { failure };
  }
}

interface Finishing {
  call: Call;
  response: ServerResponse;
  outcome: Outcome;
  fault: Fault | undefined;
}

async function finish(service: Service, { call, response, outcome, fault }: Finishing) {
  service.onCall?.(call);
  service.changed();
  await service.faults.hold(call, "stored");
  if (fault?.kind === "drop") {
    delete call.status;
    response.destroy();
  } else if ("failure" in outcome) answerFailure(response, outcome.failure);
  else write(response, { status: call.status ?? 200, ...outcome });
}

async function download(service: Service, url: URL, response: ServerResponse): Promise<void> {
  const { world, faults } = service;
  const [, , , channel, id = ""] = url.pathname.split("/");
  const file = world.files.get(id);
  const call: Call = { route: "download", method: "GET", params: { channel, id }, at: world.now() };
  count(service, call);
  const fault = faults.take(call);
  if (fault && (await spoil(fault, { call, response }))) return;
  await faults.hold(call, "before");
  const signed = file && new URL(file.url).searchParams.get("hm") === url.searchParams.get("hm");
  if (!file || !signed) {
    call.status = 404;
    response.writeHead(404, { "content-type": "text/plain" });
    response.end("This content is no longer available.");
    return;
  }
  call.status = 200;
  response.writeHead(200, { "content-type": file.mime, "content-length": file.size });
  if (fault?.kind === "drop") response.write(Buffer.alloc(1), () => response.destroy());
  else response.end(file.bytes ?? Buffer.alloc(file.size));
}

function answerFailure(response: ServerResponse, failure: RestFailure): void {
  const { status, code, message, more, headers } = failure;
  write(response, { status, answer: { message, code, ...more }, headers });
}

function write(
  response: ServerResponse,
  { status, answer, headers }: { status: number; answer: Answer; headers: Record<string, string> },
): void {
  if (answer === undefined) {
    response.writeHead(204, headers);
    response.end();
    return;
  }
  const bytes = Buffer.from(JSON.stringify(answer));
  const type = { "content-type": "application/json", "content-length": bytes.length };
  response.writeHead(status, { ...headers, ...type });
  response.end(bytes);
}
