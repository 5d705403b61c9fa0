// Runs in the sandbox before the agent: leads two local ports to the gateway's sockets, writes our files, is the agent's parent.
// Usage: node shim.ts -- PROGRAM ARGS. It has what the agent has, so it holds nothing that the agent may not have.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeSync } from "node:fs";
import { connect, createServer } from "node:net";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeHomeFiles } from "./home-files.ts";
import { pair } from "./pair.ts";
import { egressSocket, filesList, modelPort, modelSocket, proxyPort } from "./ports.ts";

const folder = dirname(fileURLToPath(import.meta.url));
/** As shells have it. */
const notStarted = { missing: 127, notExecutable: 126, ours: 125 };
const passedOn = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const;

/** Not through process.stderr: that would change the agent's own end of it. */
function giveUp(code: number, why: string): never {
  writeSync(2, `sallyport: ${why}\n`);
  process.exit(code);
}

async function lead(port: number, socket: string): Promise<void> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    pair(client, connect({ path: join(folder, socket), allowHalfOpen: true }));
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
}

function start(program: string, args: readonly string[]): void {
  const child = spawn(program, args, { stdio: "inherit" });
  child.on("error", (error: NodeJS.ErrnoException) => {
    if (child.pid !== undefined) return;
    if (error.code === "ENOENT")
      giveUp(notStarted.missing, `there is no program ${program} in this sandbox`);
    giveUp(notStarted.notExecutable, `${program} cannot be run in this sandbox (${error.code})`);
  });
  child.on("exit", (code, signal) => {
    process.exit(signal === null ? (code ?? 0) : 128 + constants.signals[signal]);
  });
  for (const signal of passedOn) process.on(signal, () => child.kill(signal));
}

const [, , , program, ...args] = process.argv;
if (program === undefined) giveUp(notStarted.ours, "no program was named");
try {
  const files: Record<string, string> = JSON.parse(readFileSync(join(folder, filesList), "utf8"));
  writeHomeFiles(process.env.HOME ?? "", files);
  await Promise.all([lead(proxyPort, egressSocket), lead(modelPort, modelSocket)]);
} catch (error) {
  giveUp(notStarted.ours, `the sandbox could not be made ready: ${(error as Error).message}`);
}
start(program, args);
