// A POST through the whole guard against a bare fastify echo beside it, in turn: `node test/bench/http.ts [--rounds 5 --quick]`.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fastify } from "fastify";
import type { GuardedRoute } from "../../src/http/guard/route.ts";
import { written } from "../fakes/http-raw.ts";
import { goodRequest, httpRig } from "../fakes/http-rig.ts";
import { aligned, shown } from "./table.ts";

const echo: GuardedRoute = {
  method: "POST",
  path: "/echo",
  access: "caller",
  body: "json",
  handle: async (request) => Response.json(await request.json()),
};
const connections = 16;

/** In a process of its own: serves until it is told to end, and tells the CPU it has used when asked. */
async function serve(kind: string): Promise<void> {
  if (kind === "guard") {
    const rig = await httpRig({ routes: [echo] });
    process.send?.({ port: rig.port, request: written(goodRequest(echo, rig)) });
  } else {
    const app = fastify();
    app.post("/echo", async (request) => request.body);
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    const port = Number(new URL(url).port);
    const request = goodRequest(echo, {
      port,
      cookieName: "sallyport",
      url: "",
      stop: async () => {},
    });
    process.send?.({ port, request: written(request) });
  }
  process.on("message", () => process.send?.(process.cpuUsage()));
  process.on("disconnect", () => process.exit());
}

interface Subject {
  readonly child: ChildProcess;
  readonly port: number;
  readonly request: string;
}

async function start(kind: string): Promise<Subject> {
  const child = fork(fileURLToPath(import.meta.url), ["--serve", kind]);
  const [{ port, request }] = await once(child, "message");
  return { child, port, request };
}

async function cpu({ child }: Subject): Promise<number> {
  child.send("cpu");
  const [{ user, system }] = await once(child, "message");
  return user + system;
}

/** One request after the other on each connection. */
async function load({ port, request }: Subject, count: number): Promise<void> {
  const one = async () => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    for (let left = count / connections; left > 0; left -= 1) {
      socket.write(request);
      const [answer] = await once(socket, "data");
      if (!String(answer).startsWith("HTTP/1.1 200")) throw new Error(String(answer));
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, one));
}

interface Round {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

async function measure(subject: Subject, count: number): Promise<Round> {
  const [before, begun] = [await cpu(subject), performance.now()];
  await load(subject, count);
  const seconds = (performance.now() - begun) / 1000;
  return { perSecond: count / seconds, cpuMicros: ((await cpu(subject)) - before) / count };
}

async function compare(rounds: number, count: number): Promise<void> {
  const [guard, bare] = [await start("guard"), await start("bare")];
  const [ours, floor]: [Round[], Round[]] = [[], []];
  try {
    await Promise.all([load(guard, count), load(bare, count)]);
    for (let round = 0; round < rounds; round += 1) {
      ours.push(await measure(guard, count));
      floor.push(await measure(bare, count));
    }
  } finally {
    guard.child.disconnect();
    bare.child.disconnect();
  }
  console.log(
    `\nPOST of JSON by a session, ${connections} connections, medians of ${rounds} rounds of ${count}\n`,
  );
  const line = (name: string, of: keyof Round) => {
    const [a, b] = [median(ours, of), median(floor, of)];
    return [name, shown(a), shown(b), (a / b).toFixed(2)];
  };
  const head = ["", "guard", "bare fastify", "ratio"];
  console.log(
    aligned([head, line("requests a second", "perSecond"), line("CPU µs a request", "cpuMicros")]),
  );
}

function median(rounds: readonly Round[], of: keyof Round): number {
  const values = rounds.map((round) => round[of]).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? 0;
}

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    /** Tiny numbers: shows that it runs, measures nothing. */
    quick: { type: "boolean", default: false },
    serve: { type: "string" },
  },
});
if (flags.serve !== undefined) await serve(flags.serve);
else await compare(flags.quick ? 1 : Number(flags.rounds), flags.quick ? 320 : 8000);
