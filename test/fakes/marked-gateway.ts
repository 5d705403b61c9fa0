// Stands for a gateway that is killed: starts agents in the local sandbox, says so on stdout, and waits for its end.
// Usage: node marked-gateway.ts STATE_DIR STATE_HASH PROGRAM ARGS…
import { join } from "node:path";
import { createLocalSandbox } from "../../src/sandbox/local/sandbox.ts";

const [stateDir = "", stateHash = "", program = "", ...args] = process.argv.slice(2);
const silent = () => {};
const log = { debug: silent, info: silent, warn: silent, error: silent };
const sandbox = createLocalSandbox({ stateDir, stateHash, log, environment: process.env });
const scope = {
  key: "p-ana",
  pairing: null,
  workspace: stateDir,
  workspaceMode: "rw",
  home: join(stateDir, "home"),
} as const;
const agent = await sandbox.spawn(scope, { program, args, env: {} });
const reader = agent.stdout.getReader();
const { value } = await reader.read();
process.stdout.write(value ?? "");
await agent.ended;
