// The TCP server, only when asked for: for now it answers nothing but a health check for the owner of this machine.
import { isIP } from "node:net";
import type { Log } from "../core/log.ts";
import { bindProblem } from "../core/loopback.ts";

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  /** Is this the local owner's token? */
  isOwner(token: string): Promise<boolean>;
  health(): unknown;
}

export interface Server {
  /** With the port that was really bound. */
  readonly url: string;
  stop(): Promise<void>;
}

export async function openServer(options: ServerOptions): Promise<Server> {
  const problem = bindProblem(options.host);
  if (problem) throw new Error(problem);
  const { fastify } = await import("fastify");
  const app = fastify({
    bodyLimit: 65_536,
    requestTimeout: 10_000,
    forceCloseConnections: true,
    logger: false,
  });
  app.addHook("onRequest", async (request, reply) => {
    if (!isOurName(request.headers.host, options.host))
      await reply.code(403).send({ problem: "this host name is not served here" });
  });
  app.setNotFoundHandler((_, reply) => reply.code(404).send({ problem: "not found" }));
  app.get("/health", async (request, reply) => {
    const [, token] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
    if (token && (await options.isOwner(token))) return options.health();
    return reply
      .code(401)
      .header("www-authenticate", "Bearer")
      .send({ problem: "a token is needed" });
  });
  const url = await app.listen({ host: options.host, port: options.port });
  return { url, stop: () => app.close() };
}

/** An IP literal we are bound to, or localhost: another name is a page that was rebound to us. */
function isOurName(header: string | undefined, bound: string): boolean {
  const name = (header ?? "")
    .replace(/:\d+$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase();
  return name === "localhost" || (isIP(name) !== 0 && name === bound);
}
