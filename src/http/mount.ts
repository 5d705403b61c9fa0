// Mounts web-standard routes of channels on fastify.
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Route } from "../core/channel.ts";
import type { Log } from "../core/log.ts";

export function mount(app: FastifyInstance, routes: readonly Route[], log: Log): void {
  for (const { method, path, handle } of routes)
    app.route({
      method,
      url: path,
      async handler(incoming, reply) {
        const gone = new AbortController();
        reply.raw.once("close", () => gone.abort());
        try {
          return await reply.send(await handle(toRequest(incoming, gone.signal)));
        } catch (error) {
          if (gone.signal.aborted) return reply;
          log.error({ path, error }, "A request failed");
          return reply
            .code(500)
            .send({ problem: "The gateway could not do it; its log says why." });
        }
      },
    });
}

function toRequest(incoming: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers.set(name, String(value));
  const body = incoming.method === "GET" ? {} : { body: JSON.stringify(incoming.body ?? null) };
  return new Request(new URL(incoming.url, "http://gateway.invalid"), {
    method: incoming.method,
    headers,
    signal,
    ...body,
  });
}
