// The middle with an agent that has our tools: a real unix socket per sandbox, the real bridge, the real MCP client.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join, resolve } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/core/clock.ts";
import type { SandboxScope } from "../../src/core/sandbox.ts";
import { type AuditRow, listAudit } from "../../src/store/audit.ts";
import { createTools, type Tools } from "../../src/tools/tools.ts";
import { temporaryFolder } from "./agent-rig.ts";
import { type Spine, type SpineOptions, startSpine } from "./spine.ts";
import { connectTools, type GivenServer, type ToolsClient } from "./tools-client.ts";

export const bridge = fileURLToPath(new URL("../../src/sandbox/inside/bridge.ts", import.meta.url));

/** Where the agent of a conversation was told to connect. */
export interface Given {
  readonly socket: string;
  readonly secret: string;
}

export interface ToolsRig extends Spine {
  /** What the agent is given for this person's direct chat. */
  given(account: string): Promise<Given>;
  /** Connects as any program in the sandbox could. */
  connect(given: Given): Promise<ToolsClient>;
  /** Whatever was refused at the sockets, the newest first. */
  refusals(): Promise<AuditRow[]>;
}

export function givenIn(path: string): Given {
  const [server]: readonly GivenServer[] = JSON.parse(readFileSync(path, "utf8"));
  const env = Object.fromEntries((server?.env ?? []).map(({ name, value }) => [name, value]));
  return { socket: env.SALLYPORT_TOOLS ?? "", secret: env.SALLYPORT_TOOLS_SECRET ?? "" };
}

/** Of the sandbox `local`, which has no door of its own: what the agent names, in the workspace. */
async function readIn(workspace: string, path: string, most: number) {
  const bytes = await readFile(resolve(workspace, path)).catch(() => undefined);
  if (bytes === undefined) return `There is no file ${path}.`;
  return bytes.length > most ? "That file is too large." : bytes;
}

/** `secretMs`: how long a connection may take to say its secret. */
export async function toolsRig(
  t: TestContext,
  { secretMs = 300, ...options }: SpineOptions & { readonly secretMs?: number } = {},
): Promise<ToolsRig> {
  const sockets = temporaryFolder(t);
  const servers = new Map<string, Server>();
  const socketOf = (key: string) => join(sockets, key);
  let tools: Tools | undefined;
  const openSocket = (scope: SandboxScope) => {
    if (servers.has(scope.key)) return;
    const server = createServer((connection) => tools?.serve(connection, scope));
    servers.set(scope.key, server.listen(socketOf(scope.key)));
    t.after(() => server.close());
  };
  const spine = await startSpine(t, {
    ...options,
    agent: { toolsFor: (request) => tools?.toolsFor(request) },
  });
  const { store, log, gateway, workspace } = spine;
  tools = createTools({
    store,
    log,
    clock: systemClock,
    inletFor: (key, conversation) =>
      gateway.ports.agent.inlets(key).find((one) => one.conversation === conversation),
    readFile: (_, path, most) => readIn(workspace, path, most),
    socketInside(scope) {
      openSocket(scope);
      return { program: process.execPath, args: [bridge], socket: socketOf(scope.key) };
    },
    secretMs,
  });
  return {
    ...spine,
    async given(account) {
      const mark = `given-${randomUUID()}`;
      const path = join(sockets, mark);
      await spine.desk.say(account, `servers ${path}\n${mark}`);
      await spine.desk.until(new RegExp(mark), account);
      return givenIn(path);
    },
    async connect({ socket, secret }) {
      const env = { SALLYPORT_TOOLS: socket, SALLYPORT_TOOLS_SECRET: secret };
      const client = await connectTools({
        name: "sallyport",
        command: process.execPath,
        args: [bridge],
        env: Object.entries(env).map(([name, value]) => ({ name, value })),
      });
      t.after(() => client.close());
      return client;
    },
    refusals: () => store.run(() => listAudit(50, { action: "tools" })),
  };
}
