// Our tools in a real container: its main process is the bridge, and the MCP client speaks to it from outside.
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import type { TestContext } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { MadeFile } from "../../src/core/agent.ts";
import { systemClock } from "../../src/core/clock.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { createTools } from "../../src/tools/tools.ts";
import { type DockerRig, dockerRig } from "./docker-rig.ts";
import { bridge } from "./tools-rig.ts";

export interface ContainerTools {
  readonly rig: DockerRig;
  readonly sent: MadeFile[];
  /** The answer's text; a failed one begins with "failed: ". */
  sendFile(path: string): Promise<string>;
}

const inside = "/run/sallyport";

/** `prepare`: a shell script that ran in the sandbox before. */
export async function containerTools(t: TestContext, prepare: string): Promise<ContainerTools> {
  const sent: MadeFile[] = [];
  let folder = "";
  const rig = dockerRig(t, {
    companion: async () => ({
      binds: [{ source: folder, target: inside, readOnly: true }],
      env: {},
      close: async () => {},
    }),
  });
  folder = join(rig.folder, "door");
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  copyFileSync(bridge, join(folder, "bridge.ts"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const store = openSqlite(join(rig.folder, "server.db"));
  t.after(() => store.close());
  const tools = createTools({
    store,
    log: rig.log,
    clock: systemClock,
    inletFor: (_, conversation) => ({
      conversation,
      over: new AbortController().signal,
      sendFile: (file) => void sent.push(file),
      askForm: async () => ({ action: "cancel" }),
      askOwner: async () => "cancelled",
    }),
    readFile: rig.sandbox.readFile,
    socketInside: () => ({
      program: "node",
      args: [`${inside}/bridge.ts`],
      socket: `${inside}/tools.sock`,
    }),
  });
  const scope = rig.scope();
  const server = createServer((connection) => tools.serve(connection, scope));
  server.listen({ path: join(folder, "tools.sock"), readableAll: true, writableAll: true });
  t.after(() => server.close());
  await rig.run(prepare);
  const given = tools.toolsFor({ conversation: "c1", scope });
  if (given === undefined) throw new Error("no tools");
  const agent = await rig.sandbox.spawn(scope, given);
  const client = new Client({ name: "test", version: "0" });
  const [from, to] = [Readable.fromWeb(agent.stdout as never), Writable.fromWeb(agent.stdin)];
  await client.connect(new StdioServerTransport(from, to));
  return {
    rig,
    sent,
    async sendFile(path) {
      const answer = await client.callTool({ name: "send_file", arguments: { path } });
      const [content] = answer.content as { text?: string }[];
      return `${answer.isError ? "failed: " : ""}${content?.text}`;
    },
  };
}
