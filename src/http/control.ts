// The control socket: what the operator's own programs say to a running gateway, over a unix socket that only they can open.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Route } from "../core/channel.ts";
import type { Log } from "../core/log.ts";
import { mount } from "./mount.ts";

export interface ControlOptions {
  /** control.sock in the state directory, whose lock the caller holds. */
  readonly path: string;
  /** Where to write which socket is really used, when `path` is too long for the system. */
  readonly record: string;
  /** Where a short one may be made. */
  readonly runtimeDir: string;
  readonly log: Log;
  readonly routes: readonly Route[];
  /** JSON in, JSON out; undefined when there is no such operation. */
  admin(name: string, input: unknown): Promise<unknown>;
}

export interface Control {
  readonly path: string;
  stop(): Promise<void>;
}

/** sockaddr_un holds 104 to 108 bytes; longer paths are cut without a word. */
const longestPath = 100;

export async function openControl(options: ControlOptions): Promise<Control> {
  const { fastify } = await import("fastify");
  const app = fastify({ bodyLimit: 1_000_000, forceCloseConnections: true, logger: false });
  mount(app, options.routes, options.log);
  mountAdmin(app, options);
  const { path, remove } = placeFor(options);
  await app.listen({ path });
  chmodSync(path, 0o600);
  return {
    path,
    async stop() {
      await app.close();
      remove();
    },
  };
}

function mountAdmin(app: FastifyInstance, { admin, log }: ControlOptions): void {
  app.post<{ Params: { name: string } }>("/admin/:name", async (request, reply) => {
    try {
      const answer = await admin(request.params.name, request.body ?? {});
      return answer === undefined
        ? reply.code(404).send({ problem: "there is no such operation" })
        : answer;
    } catch (error) {
      log.error({ operation: request.params.name, error }, "An operation failed");
      return reply.code(500).send({
        problem: "The gateway could not do it; its log says why. Try `sallyport doctor`.",
      });
    }
  });
}

function placeFor({ path, record, runtimeDir }: ControlOptions): {
  path: string;
  remove: () => void;
} {
  rmSync(path, { force: true });
  rmSync(record, { force: true });
  if (Buffer.byteLength(path) <= longestPath)
    return { path, remove: () => rmSync(path, { force: true }) };
  // A new folder each time: nobody can have made it before us.
  const folder = mkdtempSync(join(runtimeDir, "sallyport-"));
  const short = join(folder, "control.sock");
  writeFileSync(record, short, { mode: 0o600 });
  return {
    path: short,
    remove() {
      rmSync(folder, { recursive: true, force: true });
      rmSync(record, { force: true });
    },
  };
}
