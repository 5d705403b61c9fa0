// The way out of one sandbox: an HTTP proxy for what the gate lets pass, with connections to public addresses only.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Log } from "../../core/log.ts";
import type { Forwarder } from "../../net/forward.ts";
import { createDoor } from "./door.ts";
import { explained, type Refusal, refusalOf } from "./gate.ts";
import { hasBody, passedOn } from "./headers.ts";
import { targetOfAuthority, targetOfUrl } from "./hosts.ts";
import { serveTunnel, type TunnelOptions } from "./tunnel.ts";

export interface ProxyOptions extends TunnelOptions {
  /** For plain http. */
  readonly forwarder: Forwarder;
  readonly connections: number;
  readonly log: Log;
}

const host: ReadonlySet<string> = new Set(["host"]);
const none: ReadonlySet<string> = new Set();

function say(response: ServerResponse, { status, text }: Refusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  response.end(`${text}\n`);
}

async function forward(
  { gate, forwarder }: ProxyOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = targetOfUrl(request.url ?? "");
  if (asked === undefined) {
    const text = "Sallyport: this is a proxy. Ask it for http://HOST/PATH, or CONNECT to HOST:443.";
    return say(response, { status: 400, text });
  }
  const gone = new AbortController();
  response.on("error", () => {}).on("close", () => gone.abort());
  const cut = () => response.destroy();
  const why = await gate.refusal({ target: asked.target, gone: gone.signal, cut });
  if (why !== undefined) return say(response, { status: 403, text: explained(asked.target, why) });
  try {
    const { status, headers, body } = await forwarder.send({
      url: asked.url,
      method: request.method ?? "GET",
      headers: passedOn(request.headers, host),
      body: hasBody(request.headers) ? request : null,
      signal: gone.signal,
    });
    response.writeHead(status, passedOn(headers, none)).flushHeaders();
    await pipeline(body, response);
  } catch (error) {
    say(response, refusalOf(error, asked.target, gate));
  }
}

/** Not yet listening. */
export function createProxy(options: ProxyOptions): Server {
  const { connections, idleMs, log } = options;
  const failed = (error: unknown) => log.error({ error: String(error) }, "the proxy failed");
  return createDoor(
    { idleMs, connections, requestMs: 0 },
    {
      request(request, response) {
        forward(options, request, response).catch(failed);
      },
      connect(request, client, head) {
        const target = targetOfAuthority(request.url ?? "");
        serveTunnel(options, target, { client, head }).catch(failed);
      },
    },
  );
}
