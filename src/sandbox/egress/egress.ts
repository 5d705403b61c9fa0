// What a sandbox without a network may reach all the same: for each one a proxy to allowed hosts, and the way to the model.
import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import type { EgressRequest, ModelEndpoint, ModelUse, OnEgress } from "../../core/egress.ts";
import type { Log } from "../../core/log.ts";
import type { SandboxScope } from "../../core/sandbox.ts";
import { ownAddresses } from "../../net/address.ts";
import { type Connect, directConnect, type Lookup, resolve } from "../../net/connector.ts";
import { createForwarder, type Forwarder } from "../../net/forward.ts";
import { createGate, type HostRefusal } from "./gate.ts";
import { createModelProxy } from "./model-proxy.ts";
import type { ModelRefusal } from "./model-request.ts";
import { createProxy } from "./proxy.ts";

export interface EgressLimits {
  /** How long a request waits for an owner's answer. */
  readonly askMs: number;
  /** How often it is looked whether the settings still allow what is open. */
  readonly recheckMs: number;
  /** After so long without a byte a connection through the proxy is closed. */
  readonly idleMs: number;
  /** Of a model. */
  readonly silenceMs: number;
  readonly connectMs: number;
  /** Of one sandbox, to each of the two. */
  readonly connections: number;
  /** Of one request to the model. */
  readonly bodyBytes: number;
}

const defaultLimits: EgressLimits = {
  askMs: 120_000,
  recheckMs: 2000,
  idleMs: 600_000,
  silenceMs: 900_000,
  connectMs: 10_000,
  connections: 64,
  bodyBytes: 50 * 1024 * 1024,
};

export type EgressRefusal = HostRefusal | ModelRefusal;

/** Where a request was refused: on the way to a host, or to the model. */
export type Way = "egress" | "model";

export interface EgressOptions {
  /** Read at each request: host, *.host, host:port; without a port the web's two are meant. */
  readonly allow: (scope: SandboxScope) => readonly string[];
  /** Read at each request. */
  readonly model: () => ModelEndpoint | undefined;
  readonly onEgress?: OnEgress;
  /** After each request that went out to the model. */
  readonly onUse?: (use: ModelUse) => void;
  /** Asked before each. A sentence for people: why this scope may ask the model for nothing more. */
  readonly overBudget?: (scope: SandboxScope) => string | undefined;
  readonly onRefused?: (request: EgressRequest, why: EgressRefusal, way: Way) => void;
  readonly log: Log;
  readonly lookup?: Lookup;
  readonly connect?: Connect;
  /** Addresses of this machine, which no sandbox reaches. */
  readonly own?: () => readonly string[];
  readonly limits?: Partial<EgressLimits>;
}

/** Of one sandbox. Whoever opened them listens, and closes them. */
export interface Doors {
  readonly proxy: Server;
  readonly model: Server;
  /** What the agent has for a key. */
  readonly placeholder: string;
}

export interface Egress {
  open(scope: SandboxScope): Doors;
  /** Cuts off what is still under way. */
  close(): Promise<void>;
}

export function createEgress(options: EgressOptions): Egress {
  const { allow, model, onEgress, overBudget, log } = options;
  const { onUse = () => {}, onRefused = () => {} } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const { idleMs, silenceMs, connections, bodyBytes, askMs, recheckMs } = limits;
  const { lookup = resolve, connect = directConnect(limits.connectMs) } = options;
  const ports = { lookup, connect, own: options.own ?? ownAddresses };
  const plain = createForwarder({
    ...{ allow: "public", silenceMs: idleMs, keepAlive: false },
    ...ports,
  });
  const roots = new Map<string, Forwarder>();

  const forwarder = (root: string) => {
    const known = roots.get(root);
    const made =
      known ?? createForwarder({ allow: { root }, silenceMs, keepAlive: true, ...ports });
    roots.set(root, made);
    return made;
  };
  const modelRefused = (scope: SandboxScope) => (why: ModelRefusal) => {
    const url = URL.parse(model()?.url ?? "");
    const port = Number(url?.port || (url?.protocol === "http:" ? 80 : 443));
    onRefused({ scope, host: url?.hostname ?? "model", port }, why, "model");
  };

  return {
    open(scope) {
      const placeholder = `sallyport-${randomBytes(24).toString("hex")}`;
      const gate = createGate({
        scope,
        allow: () => allow(scope),
        onEgress,
        onRefused: (request, why) => onRefused(request, why, "egress"),
        ...{ askMs, recheckMs, log },
      });
      const proxy = createProxy({ gate, forwarder: plain, ports, idleMs, connections, log });
      const modelProxy = createModelProxy({
        ...{ scope, placeholder, model, overBudget, bodyBytes, forwarder, onUse },
        ...{ onRefused: modelRefused(scope), idleMs: silenceMs, connections, log },
      });
      return { proxy, model: modelProxy, placeholder };
    },
    async close() {
      await Promise.all([plain, ...roots.values()].map((one) => one.close()));
    },
  };
}
