// Codex has a tool of a server in two parts, a namespace and a name. The scripted model says one: it is parted on its way.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { TestContext } from "node:test";
import type { ModelApiServer } from "./model-api.ts";

const whole = /"name":"(mcp__[a-z]+)__(\w+)"/g;

/** The same model, at an address of its own. */
export async function withNamespaces(
  t: TestContext,
  model: ModelApiServer,
): Promise<ModelApiServer> {
  const server = createServer(async (request, response) => {
    const { "content-type": type = "", authorization = "" } = request.headers;
    const answer = await fetch(new URL(request.url ?? "/", model.url), {
      method: request.method ?? "GET",
      headers: { "content-type": type, authorization },
      ...(request.method === "POST" ? { body: await buffer(request) } : {}),
    });
    const text = await answer.text();
    response.writeHead(answer.status, {
      "content-type": answer.headers.get("content-type") ?? "text/plain",
    });
    response.end(text.replaceAll(whole, '"namespace":"$1","name":"$2"'));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { ...model, url: `http://127.0.0.1:${port}` };
}
