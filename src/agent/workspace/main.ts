// The built-in workspace agent as a program: ACP over stdin and stdout, until stdin ends.
import { Readable, Writable } from "node:stream";
import { parseArgs } from "node:util";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { createWorkspaceAgent } from "./server.ts";

const { values } = parseArgs({ options: { "run-seconds": { type: "string", default: "600" } } });
const seconds = Number(values["run-seconds"]);
if (!(seconds > 0 && seconds <= 86_400)) {
  process.stderr.write("--run-seconds must be a number between 1 and 86400.\n");
  process.exit(2);
}

const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
const stream = ndJsonStream(Writable.toWeb(process.stdout), input);
const connection = createWorkspaceAgent({ runLimitMs: seconds * 1000 }).connect(stream);
await connection.closed;
// Whatever still runs ends with this process: see shell.ts.
process.exit(0);
