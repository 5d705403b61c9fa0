// The agent's socket: who connects is told apart by a secret, and is served while a turn of its conversation runs.
import type { Duplex } from "node:stream";
import type { PromptRequest, ToolServer } from "../core/agent.ts";
import { isOfStrangers, type SandboxScope } from "../core/sandbox.ts";
import { askUser } from "./ask-user.ts";
import { listTasks } from "./list-tasks.ts";
import { createPace, type Pace } from "./pace.ts";
import { createPasses, type Pass, type Passes } from "./passes.ts";
import type { ToolPorts } from "./ports.ts";
import { createRefuse, type Refuse } from "./refusals.ts";
import { readSecret } from "./secret-line.ts";
import { sendFile } from "./send-file.ts";
import { openServer } from "./server.ts";
import { failed, type Tool, type ToolAnswer } from "./tool.ts";

export interface Tools {
  /** For one connection to the socket of this sandbox; it is closed when it is refused. */
  serve(connection: Duplex, scope: SandboxScope): void;
  /** For a session that is opened now. Undefined: its agent gets no tools. */
  toolsFor(request: Pick<PromptRequest, "conversation" | "scope">): ToolServer | undefined;
}

const tools: readonly Tool[] = [sendFile, askUser, listTasks];

const connectionsMost = 32;
const callsMost = 8;
const secretMs = 5000;

/** What one sandbox takes up. */
interface Use {
  connections: number;
  calls: number;
  readonly pace: Pace;
}

interface Parts {
  readonly ports: ToolPorts;
  readonly passes: Passes;
  readonly refuse: Refuse;
}

interface Call {
  readonly scope: SandboxScope;
  readonly pass: Pass;
  readonly name: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
}

export function createTools(ports: ToolPorts): Tools {
  const parts: Parts = { ports, passes: createPasses(), refuse: createRefuse(ports) };
  const uses = new Map<string, Use>();

  const useOf = (key: string): Use => {
    const use = uses.get(key) ?? { connections: 0, calls: 0, pace: createPace() };
    uses.set(key, use);
    return use;
  };
  const forgetUnused = () => {
    for (const [key, { connections, calls, pace }] of uses)
      if (connections === 0 && calls === 0 && pace.isFresh()) uses.delete(key);
  };
  const serve = (connection: Duplex, scope: SandboxScope) => {
    // Its end is seen by its close.
    connection.on("error", () => {});
    const use = useOf(scope.key);
    use.connections += 1;
    const served =
      use.connections > connectionsMost
        ? Promise.resolve(parts.refuse(scope, "too many connections"))
        : admit(parts, { connection, scope, use });
    void served
      .catch((error: unknown) => {
        ports.log.error({ error, scope: scope.key }, "A tools connection failed");
      })
      .then(() => {
        connection.destroy();
        // Only now: one that leaves while it has to wait makes no room for the next.
        use.connections -= 1;
        forgetUnused();
      });
  };
  return {
    serve,
    toolsFor({ conversation, scope }) {
      const inside = isOfStrangers(scope) ? undefined : ports.socketInside(scope);
      if (inside === undefined) return undefined;
      const { program, args, socket } = inside;
      const secret = parts.passes.give(conversation, scope);
      const env = { SALLYPORT_TOOLS: socket, SALLYPORT_TOOLS_SECRET: secret };
      return { name: "sallyport", program, args, env };
    },
  };
}

interface Arrival {
  readonly connection: Duplex;
  readonly scope: SandboxScope;
  readonly use: Use;
}

/** Until it ends. */
async function admit(parts: Parts, { connection, scope, use }: Arrival): Promise<void> {
  const { ports, refuse } = parts;
  await use.pace.next();
  const pass = await identify(parts, connection, scope);
  if (pass === undefined) return;
  await openServer({
    connection,
    tools,
    pace: use.pace,
    log: ports.log,
    async call(name, input, signal) {
      if (use.calls >= callsMost) {
        refuse(scope, "too many calls at once", name);
        return failed("Too many calls run at once. Wait until one of them has its answer.");
      }
      use.calls += 1;
      try {
        return await call(parts, { scope, pass, name, input, signal });
      } finally {
        use.calls -= 1;
      }
    },
  });
}

async function identify(
  { ports, passes, refuse }: Parts,
  connection: Duplex,
  scope: SandboxScope,
): Promise<Pass | undefined> {
  if (isOfStrangers(scope)) {
    refuse(scope, "callers without a pairing have no tools");
    return undefined;
  }
  const line = await readSecret(connection, ports.secretMs ?? secretMs);
  if (line === "gone") return undefined;
  if (line === "none") {
    refuse(scope, "no secret came");
    return undefined;
  }
  const pass = passes.find(line.secret);
  if (pass?.scopeKey === scope.key) return pass;
  refuse(scope, pass === undefined ? "unknown secret" : "secret of another sandbox");
  return undefined;
}

async function call(
  { ports, passes, refuse }: Parts,
  { scope, pass, name, input, signal }: Call,
): Promise<ToolAnswer> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) {
    refuse(scope, "no such tool", name);
    const known = tools.map((one) => one.name).join(", ");
    return failed(`There is no tool ${JSON.stringify(name.slice(0, 100))}. There are: ${known}.`);
  }
  if (passes.find(pass.secret) === undefined) {
    refuse(scope, "its session was replaced", name);
    return failed("The session of these tools is over: a newer one has taken its place.");
  }
  const inlet = ports.inletFor(scope.key, pass.conversation);
  if (inlet === undefined) {
    refuse(scope, "no turn of its conversation runs", name);
    return failed(
      "Nothing is being worked on in this conversation now. Wait for its next message.",
    );
  }
  try {
    return await tool.call(input, { ports, scope, inlet, signal });
  } catch (error) {
    ports.log.error({ error, tool: name }, "A tool failed");
    return failed(`${name} failed in the gateway, whose log says more. Try again, or do without.`);
  }
}
