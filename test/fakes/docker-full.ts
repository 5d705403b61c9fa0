// A Docker whose disk is full: it answers, but makes no container.
import { once } from "node:events";
import { createServer } from "node:http";

const answers: Readonly<Record<string, unknown>> = {
  "/_ping": "OK",
  "/info": { NCPU: 2, SecurityOptions: [] },
  "/containers/json": [],
};

/** Listens at a path; the result closes it. */
export async function openFullDocker(path: string): Promise<() => void> {
  const server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
    const [route = ""] = (request.url ?? "").split("?");
    const answer = answers[route];
    response.statusCode = answer === undefined ? 500 : 200;
    const full = { message: "mkdir /var/lib/docker/overlay2/x: no space left on device" };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answer ?? full));
  });
  server.listen(path);
  await once(server, "listening");
  return () => {
    server.closeAllConnections();
    server.close();
  };
}
