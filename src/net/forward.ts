// Sends requests on for somebody else: streamed both ways, nothing followed, nothing unpacked, nothing sent twice.
import type { Readable } from "node:stream";
import { Agent } from "undici";
import { ownAddresses } from "./address.ts";
import { type Connect, guardedConnector, type Lookup } from "./connector.ts";
import { checkUrl, type Reach, reachOf } from "./reach.ts";
import { anyPublic } from "./tunnel.ts";

export interface ForwardOptions {
  /** A root: for what the operator configured; its class of address and no other. */
  readonly allow: "public" | { readonly root: string };
  /** Of silence, before an answer's head and between two pieces of its body. */
  readonly silenceMs: number;
  /** False: a connection serves one request, so that no two senders share one. */
  readonly keepAlive: boolean;
  readonly lookup: Lookup;
  readonly connect: Connect;
  /** Addresses of this machine, which are never reached where all public ones are. */
  readonly own?: () => readonly string[];
}

export type ForwardHeaders = Record<string, string | string[]>;

export interface ForwardRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: ForwardHeaders;
  readonly body: Readable | null;
  readonly signal: AbortSignal;
}

export interface ForwardAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
}

export interface Forwarder {
  /** Rejects with Refused for where it may not lead. */
  send(request: ForwardRequest): Promise<ForwardAnswer>;
  /** Cuts off what is still under way. */
  close(): Promise<void>;
}

/** Whether an operator's own URL stands for a public server. Throws Refused for what is never reached. */
export function isPublicRoot(root: string): boolean {
  return reachOf(root).classes.has("public");
}

export function createForwarder(options: ForwardOptions): Forwarder {
  const { allow, silenceMs, lookup, connect, own = ownAddresses } = options;
  const reach: Reach = allow === "public" ? { ...anyPublic, own } : reachOf(allow.root);
  const agent = new Agent({
    connect: guardedConnector({ reach, lookup, connect }),
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    maxHeaderSize: 32 * 1024,
    pipelining: options.keepAlive ? 1 : 0,
  });
  return {
    async send({ url, method, headers, body, signal }) {
      checkUrl(url, reach);
      const { origin, pathname, search } = url;
      const answer = await agent.request({
        origin,
        path: `${pathname}${search}`,
        method: method as "GET",
        headers,
        body,
        signal,
      });
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    },
    close: () => agent.destroy(),
  };
}
