// The way to the model: a reverse proxy that takes this sandbox's placeholder and puts the real key in its place.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Transform } from "node:stream";
import type { ModelUse } from "../../core/egress.ts";
import type { Log } from "../../core/log.ts";
import { createSeldom } from "../../core/seldom.ts";
import type { Forwarder } from "../../net/forward.ts";
import { isRefused } from "../../net/tunnel.ts";
import { createDoor } from "./door.ts";
import { createForeground } from "./foreground.ts";
import { hasBody, passedOn } from "./headers.ts";
import { type Account, passAnswer } from "./model-answer.ts";
import { errorOf, keyHeader } from "./model-api.ts";
import {
  type Admission,
  type Admitted,
  admit,
  background,
  type ModelRefusal,
  type RefusedRequest,
  tokenHeaders,
  tooLarge,
} from "./model-request.ts";

export interface ModelProxyOptions extends Admission {
  /** For the root of an endpoint. Throws Refused for one that is never reached. */
  readonly forwarder: (root: string) => Forwarder;
  readonly onUse: (use: ModelUse) => void;
  readonly onRefused: (why: ModelRefusal) => void;
  /** Longer than any silence of a model. */
  readonly idleMs: number;
  readonly connections: number;
  readonly log: Log;
}

const replaced: ReadonlySet<string> = new Set([
  ...["host", "cookie", "accept-encoding", ...tokenHeaders],
]);
/** Servers differ in where such a request ends, and connections to the model are shared. */
const withoutBody: ReadonlySet<string> = new Set([
  ...[...replaced, "content-length", "content-type", "content-encoding"],
]);

type Shown = Omit<RefusedRequest, "why">;
type Way = ModelProxyOptions & { readonly seldom: ReturnType<typeof createSeldom> };

/** In the API's own form, or no agent would show it. */
function say(
  { model }: ModelProxyOptions,
  response: ServerResponse,
  { status, message }: Shown,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // Asking again would change nothing where we refuse.
  const again = status < 500 ? { "x-should-retry": "false" } : {};
  response.writeHead(status, { "content-type": "application/json", ...again });
  response.end(errorOf(model()?.api, status, message));
}

function counted({ request, account, admitted }: Exchange, most: number): Transform {
  const isBackground = admitted.foreground ? createForeground() : () => false;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      account.bytesIn += chunk.length;
      if (account.bytesIn > most) account.refused = tooLarge(most);
      else if (isBackground(chunk)) account.refused = background;
      done(account.refused ? new Error(account.refused.message) : null, chunk);
    },
  });
  counter.on("error", () => {});
  return request.pipe(counter);
}

function failure(error: unknown, { url }: Admitted, { log, seldom }: Way): Shown {
  if (isRefused(error)) {
    if (seldom("address", url.host))
      log.warn({ host: url.host }, "the model's host leads to an address of another kind");
    const message = `Sallyport: blocked address: ${url.host} leads to an address that it must not lead to.`;
    return { status: 502, message };
  }
  const code = error instanceof Error && "code" in error ? ` (${error.code})` : "";
  return { status: 502, message: `Sallyport: the model at ${url.host} cannot be reached${code}.` };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly admitted: Admitted;
  readonly account: Account;
}

async function send(options: Way, exchange: Exchange): Promise<Shown | undefined> {
  const { request, response, admitted, account } = exchange;
  const { endpoint, url } = admitted;
  const isGet = request.method === "GET";
  const gone = new AbortController();
  response.on("error", () => {}).on("close", () => gone.abort());
  try {
    const answer = await options.forwarder(endpoint.url).send({
      url,
      method: request.method ?? "GET",
      headers: {
        ...passedOn(request.headers, isGet ? withoutBody : replaced),
        "accept-encoding": "identity",
        ...keyHeader(endpoint.api, endpoint.key),
      },
      body: !isGet && hasBody(request.headers) ? counted(exchange, options.bodyBytes) : null,
      signal: gone.signal,
    });
    if (answer.status >= 300 && answer.status < 400 && answer.status !== 304) {
      answer.body.on("error", () => {}).destroy();
      const message = `Sallyport: the model at ${url.host} redirects, which is not followed. The owner should set its real address.`;
      return { status: 502, message };
    }
    await passAnswer(answer, response, { account, key: endpoint.key });
    return undefined;
  } catch (error) {
    return failure(error, admitted, options);
  }
}

async function serve(
  options: Way,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const admitted = admit(request, options);
  const refuse = ({ why, ...shown }: RefusedRequest) => {
    options.onRefused(why);
    say(options, response, shown);
  };
  if ("why" in admitted) return refuse(admitted);
  const account: Account = { bytesIn: 0, bytesOut: 0, complete: false, tokens: () => ({}) };
  const failed = await send(options, { request, response, admitted, account });
  const { bytesIn, bytesOut, complete, tokens } = account;
  options.onUse({ scope: options.scope, bytesIn, bytesOut, complete, ...tokens() });
  if (account.refused !== undefined) return refuse(account.refused);
  if (failed !== undefined) say(options, response, failed);
}

/** Not yet listening. */
export function createModelProxy(options: ModelProxyOptions): Server {
  const { connections, idleMs, log } = options;
  const way = { ...options, seldom: createSeldom({ most: 5 }) };
  const request = (request: IncomingMessage, response: ServerResponse) => {
    serve(way, request, response).catch((error: unknown) => {
      if (way.seldom("failed", String(error)))
        log.error({ error: String(error) }, "the way to the model failed");
      response.destroy();
    });
  };
  return createDoor({ idleMs, connections }, { request });
}
