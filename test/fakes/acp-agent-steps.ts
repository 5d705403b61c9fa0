// What the fake agent can be told to do, one step a line; a line that is no step is said back.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import type { FakeSession } from "./acp-agent.ts";
import type { ToolsClient } from "./tools-client.ts";

type Json = Readonly<Record<string, unknown>>;

export interface StepTools {
  readonly session: FakeSession;
  readonly say: (sessionId: string, text: string) => void;
  readonly update: (sessionId: string, content: Json) => void;
  readonly ask: (method: string, params: Json) => Promise<Json>;
  readonly write: (raw: string | Uint8Array) => void;
  readonly send: (message: Json) => void;
}

export type Step = (line: string) => Promise<string | undefined>;
export interface Steps {
  readonly runStep: (line: string, tools: StepTools) => Promise<string | undefined>;
}

/** What it returns counts only when it is a text: the prompt then fails with it. */
type Run = (rest: string, tools: StepTools) => unknown;

export const usualOptions = [
  { optionId: "once", name: "Allow", kind: "allow_once" },
  { optionId: "always", name: "Always allow", kind: "allow_always" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

function untilCancelled({ session }: StepTools): Promise<void> {
  if (session.cancelled && !session.ignoreCancel) return Promise.resolve();
  return new Promise((resolve) => {
    session.onCancel = resolve;
  });
}

async function untilExists(path: string, tools: StepTools): Promise<void> {
  const cancelled = untilCancelled(tools).then(() => true);
  while (!existsSync(path)) {
    const pause = new Promise<false>((resolve) => setTimeout(resolve, 5, false));
    if (await Promise.race([cancelled, pause])) return;
  }
}

/** Killed, but not yet noticed by its parent, is not running. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    return error instanceof Error && "path" in error && process.platform !== "linux";
  }
}

/** The numbers that a file holds, one a line. */
export function pidsIn(path: string): number[] {
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  return text.split("\n").filter(Boolean).map(Number);
}

let calls = 0;

/** Asks to append a line to `path`, and does it when allowed. `announced`: with a tool_call before the question. */
async function change(
  { path, options, announced }: { path: string; options: unknown; announced: boolean },
  { session, update, ask, say }: StepTools,
): Promise<void> {
  const toolCallId = `call-${process.pid}-${calls++}`;
  const whole = {
    toolCallId,
    title: `Append to ${path}`,
    kind: "edit",
    locations: [{ path }],
    content: [{ type: "diff", path, oldText: null, newText: "did\n" }],
  };
  if (announced) update(session.id, { sessionUpdate: "tool_call", status: "pending", ...whole });
  const toolCall = announced ? { toolCallId } : whole;
  const params = { sessionId: session.id, toolCall, options };
  const answer = await ask("session/request_permission", params);
  const outcome = ((answer.result ?? {}) as Json).outcome as Json | undefined;
  const chosen = (options as Json[]).find((option) => option.optionId === outcome?.optionId);
  const allowed = String(chosen?.kind).startsWith("allow");
  if (allowed) appendFileSync(path, "did\n");
  const status = allowed ? "completed" : "failed";
  if (announced) update(session.id, { sessionUpdate: "tool_call_update", toolCallId, status });
  say(session.id, `answer: ${outcome?.optionId ?? outcome?.outcome}\n`);
}

/** In two writes, the second later: for lines that arrive in pieces. */
async function inPieces(bytes: Buffer, at: number, tools: StepTools): Promise<void> {
  tools.write(bytes.subarray(0, at));
  await new Promise((resolve) => setTimeout(resolve, 20));
  tools.write(bytes.subarray(at));
}

function chunkLine(tools: StepTools, text: string): Buffer {
  const content = { type: "text", text };
  const params = {
    sessionId: tools.session.id,
    update: { sessionUpdate: "agent_message_chunk", content },
  };
  return Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })}\n`);
}

function toolUpdate(rest: string, { session, update }: StepTools): void {
  update(session.id, { sessionUpdate: "tool_call_update", ...JSON.parse(rest) });
}

const clients = new WeakMap<FakeSession, Promise<ToolsClient>>();

/** Of the first MCP server that the session was given, started once. */
function toolsOf(session: FakeSession): Promise<ToolsClient> {
  const started = clients.get(session) ?? startTools(session);
  clients.set(session, started);
  return started;
}

async function startTools({ servers: [server] }: FakeSession): Promise<ToolsClient> {
  if (server === undefined) throw new Error("no MCP server was given");
  const { connectTools } = await import("./tools-client.ts");
  return await connectTools(server);
}

const steps: Readonly<Record<string, Run>> = {
  echo: (text, { session, say }) => say(session.id, text),
  stream(count, { session, say }) {
    for (let n = 1; n <= Number(count); n++) say(session.id, `${n} `);
  },
  /** `text N`: N characters in chunks of 64 kB. */
  text(count, { session, say }) {
    for (let left = Number(count); left > 0; left -= 65536)
      say(session.id, "x".repeat(Math.min(left, 65536)));
  },
  /** Any content block as JSON. */
  content: (json, { session, update }) =>
    update(session.id, { sessionUpdate: "agent_message_chunk", content: JSON.parse(json) }),
  /** `file <bytes> <uri>`: a file of zeros. */
  file(rest, { session, update }) {
    const [, bytes = "0", uri = ""] = /^(\d+) (.*)$/s.exec(rest) ?? [];
    const resource = { uri, blob: Buffer.alloc(Number(bytes)).toString("base64") };
    const content = { type: "resource", resource };
    update(session.id, { sessionUpdate: "agent_message_chunk", content });
  },
  do: (path, tools) => change({ path, options: usualOptions, announced: true }, tools),
  dobare: (path, tools) => change({ path, options: usualOptions, announced: false }, tools),
  /** `dowith <options as JSON> <path>` */
  dowith(rest, tools) {
    const end = rest.lastIndexOf("]") + 1;
    const options: unknown = JSON.parse(rest.slice(0, end));
    return change({ path: rest.slice(end).trim(), options, announced: true }, tools);
  },
  /** Asks for permission with these parameters, and says nothing of the answer. */
  permit: (json, { session, ask }) =>
    ask("session/request_permission", { sessionId: session.id, ...JSON.parse(json) }),
  /** Does it without a question. */
  sneak(path, { session, update }) {
    const toolCallId = `call-${process.pid}-${calls++}`;
    const call = { toolCallId, title: `Append to ${path}`, kind: "edit", locations: [{ path }] };
    update(session.id, { sessionUpdate: "tool_call", status: "in_progress", ...call });
    appendFileSync(path, "did\n");
    update(session.id, { sessionUpdate: "tool_call_update", toolCallId, status: "completed" });
  },
  tool: toolUpdate,
  stall: untilExists,
  touch: (path) => writeFileSync(path, ""),
  hang: (_, tools) => untilCancelled(tools),
  ignorecancel(_, { session }) {
    session.ignoreCancel = true;
  },
  /** Waits for the cancel, then goes on talking before it ends. */
  async aftercancel(text, tools) {
    await untilCancelled(tools);
    tools.say(tools.session.id, text);
  },
  crash(code) {
    process.stderr.write("Error: the fake agent was told to crash\n");
    process.exit(Number(code || 1));
  },
  die: () => process.kill(process.pid, "SIGKILL"),
  error: (message) => message || "told to fail",
  async lastwords(text, tools) {
    tools.write(chunkLine(tools, text).subarray(0, -1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.exit(0);
  },
  junk(count, { write }) {
    for (let n = 0; n < Number(count); n++) write(`not a message ${n}\n`);
  },
  raw: (text, { write }) => write(`${text}\n`),
  big: (megabytes, tools) => tools.write(chunkLine(tools, "y".repeat(Number(megabytes) * 1048576))),
  async split(text, tools) {
    const line = chunkLine(tools, text);
    const inside = line.findIndex((byte) => byte >= 0x80) + 1;
    await inPieces(line, inside, tools);
  },
  stderr: (bytes) => process.stderr.write("e".repeat(Number(bytes))),
  mode: (id, { session, update }) =>
    update(session.id, { sessionUpdate: "current_mode_update", currentModeId: id }),
  async form(schema, { session, ask, say }) {
    const params = { mode: "form", message: "Which one?", sessionId: session.id };
    const answer = await ask("elicitation/create", {
      ...params,
      requestedSchema: JSON.parse(schema),
    });
    say(session.id, JSON.stringify(answer.result ?? answer.error));
  },
  async url(url, { session, ask, say }) {
    const params = { mode: "url", message: "Open it", elicitationId: "e1", url };
    const answer = await ask("elicitation/create", { ...params, sessionId: session.id });
    say(session.id, JSON.stringify(answer.result ?? answer.error));
  },
  /** `mcp <tool> <input as JSON>`: says what the tool answered. */
  async mcp(rest, { session, say }) {
    const [, name = "", input = ""] = /^(\S+) ?(.*)$/s.exec(rest) ?? [];
    try {
      const answer = await (await toolsOf(session)).call(name, JSON.parse(input || "{}"));
      say(session.id, `${name}: ${answer}\n`);
    } catch (error) {
      say(session.id, `${name} broke: ${String(error)}\n`);
    }
  },
  /** `servers <path>`: writes which MCP servers the session was given. */
  servers: (path, { session }) => writeFileSync(path, JSON.stringify(session.servers)),
  /** `roll <path>`: our pid goes to the file, and to `<path>.met` each earlier one that still runs. */
  roll(path) {
    for (const pid of pidsIn(path).filter(isRunning)) appendFileSync(`${path}.met`, `${pid}\n`);
    appendFileSync(path, `${process.pid}\n`);
  },
  /** `child <path>`: a process in a session of its own that outlives us; its pid goes to the file. */
  child(path) {
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    child.unref();
    writeFileSync(path, String(child.pid));
  },
};

export async function runStep(line: string, tools: StepTools): Promise<string | undefined> {
  // Where several people write, the author stands before each line: what is said back keeps it.
  const [word = "", ...rest] = line.replace(/^[a-z0-9-]+: /, "").split(" ");
  const step = Object.hasOwn(steps, word) ? steps[word] : undefined;
  const result: unknown = await (step ?? steps.echo)?.(step ? rest.join(" ") : line, tools);
  return typeof result === "string" ? result : undefined;
}
