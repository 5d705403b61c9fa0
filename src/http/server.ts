// The TCP server of the page and of programs: fastify, with the guard before every route.
import { isIP } from "node:net";
import type { FastifyError, FastifyInstance } from "fastify";
import type { Log } from "../core/log.ts";
import { bindProblem } from "../core/loopback.ts";
import { plainAddress, proxiesFrom } from "./guard/address.ts";
import { refuse } from "./guard/answer.ts";
import { watchConnections } from "./guard/connections.ts";
import { createCrowd } from "./guard/crowd.ts";
import {
  cookieNameFor,
  createGuard,
  failed,
  type Guard,
  type Mounted,
  type Passed,
  type Visitors,
} from "./guard/guard.ts";
import { type Limits, usualLimits } from "./guard/limits.ts";
import type { GuardedRoute } from "./guard/route.ts";
import { siteOf } from "./guard/site.ts";

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  /** Nobody chose the port: if it is taken, any other will do. */
  readonly anyFreeOtherwise: boolean;
  readonly allowOpenBind: boolean;
  readonly publicUrl?: string | undefined;
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly routes: readonly GuardedRoute[];
  readonly visitors: Visitors;
  readonly log: Log;
  readonly limits?: Partial<Limits>;
}

export interface Server {
  /** Of this machine, with the port that was really bound. */
  readonly url: string;
  readonly port: number;
  /** Browsers share cookies between ports, so the name has ours. */
  readonly cookieName: string;
  stop(): Promise<void>;
}

declare module "fastify" {
  interface FastifyContextConfig {
    mounted?: Mounted;
  }
  interface FastifyRequest {
    passed: Passed | null;
  }
}

/** Throws with a message for the operator when it cannot listen there, or should not. */
export async function openServer(options: ServerOptions): Promise<Server> {
  const problem = bindProblem(options);
  if (problem) throw new Error(problem);
  const limits = { ...usualLimits, ...options.limits };
  const isProxy = proxiesFrom(options.trustedProxies);
  const crowd = createCrowd(limits);
  const routes: readonly Mounted[] = options.routes;
  const { app, guard } = await newApp(options, (server) =>
    createGuard({
      log: options.log,
      visitors: options.visitors,
      limits,
      crowd,
      site: siteOf(options),
      connections: watchConnections(server, { limits, isProxy }),
      allowed: methodsOf(routes),
    }),
  );
  mountAll(app, { guard, routes });
  const port = await listen(app, options);
  return {
    url: `http://${reachable(options.host)}:${port}`,
    port,
    cookieName: cookieNameFor(port),
    async stop() {
      crowd.close();
      guard.endStreams();
      await within(limits.stopMs, crowd.empty());
      await app.close();
    },
  };
}

async function newApp(
  { trustedProxies, log, ...options }: ServerOptions,
  guardOf: (server: FastifyInstance["server"]) => Guard,
): Promise<{ app: FastifyInstance; guard: Guard }> {
  const limits = { ...usualLimits, ...options.limits };
  const { fastify } = await import("fastify");
  const app = fastify({
    logger: false,
    forceCloseConnections: true,
    trustProxy: trustedProxies.length > 0 && proxiesFrom(trustedProxies),
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.idleMs,
    keepAliveTimeout: limits.keepAliveMs,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: limits.target },
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.lookMs,
      // The guard says what is wrong with a request that names no host.
      requireHostHeader: false,
    },
    // Connections that speak no HTTP are answered where they are watched.
    clientErrorHandler() {},
    frameworkErrors: (_, request, reply) => void guard.admit(request, reply, undefined),
  });
  const guard = guardOf(app.server);
  // Bodies are the guard's to read: fastify passes them by.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_, payload, done) => done(null, payload));
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const { statusCode: status = 500 } = error;
    if (status >= 400 && status < 500) return refuse(reply, { status, say: error.message });
    log.error({ route: request.routeOptions.url, error }, "A request failed");
    return refuse(reply, failed);
  });
  return { app, guard };
}

function mountAll(
  app: FastifyInstance,
  { guard, routes }: { guard: Guard; routes: readonly Mounted[] },
): void {
  app.decorateRequest("passed", null);
  app.addHook("onRequest", async (request, reply) => {
    const passed = await guard.admit(request, reply, request.routeOptions.config.mounted);
    if (!passed) return reply;
    request.passed = passed;
  });
  for (const route of routes)
    app.route({
      method: route.method,
      url: route.path,
      config: { mounted: route },
      handler: (request, reply) =>
        request.passed
          ? guard.serve(request, reply, { route, passed: request.passed })
          : refuse(reply, failed),
    });
}

function methodsOf(routes: readonly Mounted[]): (path: string) => readonly string[] {
  const known = routes.map(({ method, path }) => {
    const parts = path.split("/").map((part) => {
      if (part === "*") return ".*";
      return part.startsWith(":") ? "[^/]+" : part.replace(/[^\w-]/g, "\\$&");
    });
    return { method, is: new RegExp(`^${parts.join("/")}$`) };
  });
  return (path) => known.filter(({ is }) => is.test(path)).map(({ method }) => method);
}

async function listen(
  app: FastifyInstance,
  { host, port, anyFreeOtherwise }: ServerOptions,
): Promise<number> {
  // fastify would open a second server for the other address of that name, which nobody watches.
  const bound = host === "localhost" ? "127.0.0.1" : host;
  const attempt = (wanted: number) => app.listen({ host: bound, port: wanted });
  try {
    await attempt(port).catch((error: NodeJS.ErrnoException) => {
      if (!anyFreeOtherwise || error.code !== "EADDRINUSE") throw error;
      return attempt(0);
    });
  } catch (error) {
    await app.close();
    throw new Error(adviceOn(error as NodeJS.ErrnoException, { host, port }), { cause: error });
  }
  const [address] = app.addresses();
  return typeof address === "object" ? address.port : port;
}

function adviceOn(
  { code, message }: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
): string {
  if (code === "EADDRINUSE")
    return `Port ${port} on ${host} is taken. End what uses it, or choose another: --port N, or sallyport config set http.port N.`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `${host} is no address of this machine. Choose another: --host 127.0.0.1, or sallyport config set http.host 127.0.0.1.`;
  if (code === "EACCES")
    return `Port ${port} on ${host} needs rights that this process lacks. Choose one above 1023: --port N, or sallyport config set http.port N.`;
  return `The page cannot be served on ${host}, port ${port}: ${message}. Choose others with --host and --port.`;
}

/** What to put into a URL to get there from this machine. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  const plain = plainAddress(host);
  return isIP(plain) === 6 ? `[${plain === "::" ? "::1" : plain}]` : plain;
}

async function within(ms: number, done: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([done, over]);
  clearTimeout(timer);
}
