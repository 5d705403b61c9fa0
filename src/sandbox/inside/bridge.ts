// Runs inside the sandbox: an MCP server on stdin and stdout that is only a pipe to the gateway's socket.
import { connect } from "node:net";

const { SALLYPORT_TOOLS: path, SALLYPORT_TOOLS_SECRET: secret } = process.env;
const goodbyeMs = 1000;

function fail(why: string): never {
  process.stderr.write(`The tools of Sallyport cannot be reached: ${why}\n`);
  process.exit(1);
}

if (!path || !secret) fail("SALLYPORT_TOOLS and SALLYPORT_TOOLS_SECRET are not set");

const socket = connect(path);
socket.on("error", (error) => fail(error.message));
socket.on("close", () => process.exit(0));
socket.write(`${secret}\n`);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
// Whoever started it may be gone without a word.
process.stdout.on("error", () => process.exit(0));
process.stdin.on("error", () => socket.end());
process.stdin.on("end", () => setTimeout(() => process.exit(0), goodbyeMs).unref());
