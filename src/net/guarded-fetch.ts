// The HTTP client for every request that a stranger can influence: where it goes, how long and how much are bounded.
import {
  Agent,
  type Dispatcher,
  EnvHttpProxyAgent,
  type Response as UndiciResponse,
  fetch as undiciFetch,
} from "undici";
import type { Fetch } from "../core/channel.ts";
import { limitBytes, type OutBody, outBody } from "./body.ts";
import {
  type Connect,
  directConnect,
  guardedConnector,
  type Lookup,
  resolve,
} from "./connector.ts";
import { checkUrl, publicReach, type Reach, reachOf } from "./reach.ts";
import { Refused } from "./refused.ts";

export interface GuardLimits {
  readonly connectMs: number;
  /** From the request to the head of the answer; must outlast a long poll. */
  readonly headersMs: number;
  /** Between two pieces of the body. */
  readonly bodyMs: number;
  readonly totalMs: number;
  /** Of the decoded body. */
  readonly bytes: number;
  readonly redirects: number;
}

export interface GuardOptions {
  /** `public`: for URLs of callers. A root: for what the operator configured; its class of address and no other. */
  readonly allow: "public" | { readonly root: string };
  readonly limits?: Partial<GuardLimits>;
  readonly lookup?: Lookup;
  readonly connect?: Connect;
  /** URLs of proxies, or "". Through one the address of a name is the proxy's to find: only the URL itself is checked then. */
  readonly proxies?: { readonly http: string; readonly https: string; readonly no: string };
}

export interface GuardedClient {
  /** Rejects with Refused for what is not allowed. With `redirects: 0` a redirect is an answer like any other. */
  readonly fetch: Fetch;
  close(): Promise<void>;
}

interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: OutBody["body"];
}

const callersLimits: GuardLimits = {
  connectMs: 10_000,
  headersMs: 30_000,
  bodyMs: 30_000,
  totalMs: 120_000,
  bytes: 10 * 1024 * 1024,
  redirects: 5,
};
const rootLimits: GuardLimits = {
  ...callersLimits,
  headersMs: 90_000,
  totalMs: 300_000,
  bytes: 64 * 1024 * 1024,
  redirects: 0,
};
/** Answers up to this size are read at once: most are, and then no timer outlives the call. */
const smallBytes = 64 * 1024;

const redirecting: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const secretHeaders = ["authorization", "cookie", "proxy-authorization"];

function parseUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null) throw new Refused("The URL cannot be read.");
  return url;
}

function nextHop(hop: Hop, response: UndiciResponse): Hop | null {
  const location = response.headers.get("location");
  if (!redirecting.has(response.status) || location === null) return null;
  const url = parseUrl(location, hop.url);
  if (hop.url.protocol === "https:" && url.protocol === "http:") {
    throw new Refused("The answer redirects from https to http.");
  }
  const headers = new Headers(hop.headers);
  if (url.origin !== hop.url.origin) for (const name of secretHeaders) headers.delete(name);
  const keepsMethod = response.status > 303 || hop.method === "GET" || hop.method === "HEAD";
  if (!keepsMethod) {
    headers.delete("content-type");
    return { url, headers, method: "GET", body: null };
  }
  if (hop.body instanceof ReadableStream) throw new Refused("A stream cannot be sent twice.");
  return { ...hop, url, headers };
}

/** Why a request failed is buried in the client's own error. */
function unwrapped(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Refused ? cause : error;
}

async function firstHop(address: string, init: RequestInit): Promise<Hop> {
  const { body, type } = await outBody(init.body);
  const headers = new Headers(init.headers);
  if (type !== null && !headers.has("content-type")) headers.set("content-type", type);
  // Nobody may make us unpack what we did not ask to be packed; what is packed anyway is bounded unpacked.
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  return { url: parseUrl(address), method: (init.method ?? "GET").toUpperCase(), headers, body };
}

interface Call {
  readonly reach: Reach;
  readonly limits: GuardLimits;
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
}

async function follow(first: Hop, { reach, limits, dispatcher, signal }: Call) {
  let hop = first;
  for (let redirects = 0; ; redirects++) {
    checkUrl(hop.url, reach);
    const { method, headers, body } = hop;
    const response = await undiciFetch(hop.url, {
      method,
      headers: [...headers],
      body,
      redirect: "manual",
      dispatcher,
      signal,
      ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
    });
    const next = limits.redirects === 0 ? null : nextHop(hop, response);
    if (next === null) return response;
    await response.body?.cancel();
    if (redirects >= limits.redirects) throw new Refused("The answer redirects too often.");
    hop = next;
  }
}

/** As the platform's own Response, with a body that ends at the limit. */
async function bounded(response: UndiciResponse, limit: number, finished: () => void) {
  const { status, statusText } = response;
  const headers = new Headers([...response.headers]);
  const length = Number(headers.get("content-length") ?? Number.NaN);
  if (length > limit) {
    await response.body?.cancel();
    throw new Refused(`The answer is larger than ${limit} bytes.`);
  }
  if (response.body === null) {
    finished();
    return new Response(null, { status, statusText, headers });
  }
  const body = limitBytes(response.body as ReadableStream<Uint8Array>, limit, finished);
  const answer = new Response(body, { status, statusText, headers });
  if (!(length <= smallBytes) || headers.has("content-encoding")) return answer;
  return new Response(await answer.arrayBuffer(), { status, statusText, headers });
}

/** Of our own: a proxy of the environment counts only when it was given, and what others set globally never does. */
function dispatcherOf(bounds: Agent.Options, proxies: GuardOptions["proxies"]): Dispatcher {
  if (!proxies?.http && !proxies?.https) return new Agent(bounds);
  const { http: httpProxy, https: httpsProxy, no: noProxy } = proxies;
  return new EnvHttpProxyAgent({ ...bounds, httpProxy, httpsProxy, noProxy });
}

export function createGuardedFetch(options: GuardOptions): GuardedClient {
  const forCallers = options.allow === "public";
  const reach = options.allow === "public" ? publicReach : reachOf(options.allow.root);
  const limits = { ...(forCallers ? callersLimits : rootLimits), ...options.limits };
  const { lookup = resolve, connect = directConnect(limits.connectMs) } = options;
  const bounds = {
    connect: guardedConnector({ reach, lookup, connect }),
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyMs,
    maxHeaderSize: 32 * 1024,
  };
  const dispatcher = dispatcherOf(bounds, options.proxies);

  async function guarded(address: string, init: RequestInit = {}): Promise<Response> {
    const stop = new AbortController();
    const tooLong = new Refused(`The request took longer than ${limits.totalMs} ms.`);
    const timer = setTimeout(() => stop.abort(tooLong), limits.totalMs).unref();
    const callerStops = () => stop.abort(init.signal?.reason);
    init.signal?.addEventListener("abort", callerStops);
    const finished = () => {
      clearTimeout(timer);
      init.signal?.removeEventListener("abort", callerStops);
    };
    try {
      if (init.signal?.aborted) callerStops();
      const hop = await firstHop(address, init);
      const response = await follow(hop, { reach, limits, dispatcher, signal: stop.signal });
      return await bounded(response, limits.bytes, finished);
    } catch (error) {
      finished();
      stop.abort(error);
      throw unwrapped(error);
    }
  }

  return { fetch: guarded, close: () => dispatcher.destroy() };
}
