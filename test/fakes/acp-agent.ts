// A scriptable ACP agent: `node acp-agent.ts [echo | options as JSON]`. With `echo` it only repeats; else each line of a
// prompt is a step of acp-agent-steps.ts. It writes its protocol by hand, so that it can break it, and starts fast.
import type { Step, Steps } from "./acp-agent-steps.ts";
import type { GivenServer } from "./tools-client.ts";

export interface FakeAgentOptions {
  /** `exit`: before the answer to initialize, with a word on stderr. `hang`: never answers it. */
  readonly initialize?: "exit" | "hang";
  readonly session?: "hang" | "refuse";
  /** What session/load does; absent: not offered. `replay` sends old updates first. */
  readonly load?: "replay" | "refuse" | "hang";
  /** Lines of noise on stdout before anything else. */
  readonly noise?: number;
  readonly stderrBytes?: number;
  readonly mode?: string;
  readonly modes?: readonly string[];
  /** Offer the modes as a config option instead. */
  readonly modeAsOption?: boolean;
  /** Tell of a switch to this mode right after each prompt's start. */
  readonly strayTo?: string;
  /** Append every message that comes in to this file. */
  readonly record?: string;
  readonly embeds?: boolean;
}

type Json = Readonly<Record<string, unknown>>;

export interface FakeSession {
  readonly id: string;
  /** The MCP servers that it was told to start. */
  readonly servers: readonly GivenServer[];
  cancelled: boolean;
  ignoreCancel: boolean;
  onCancel: (() => void) | undefined;
}

const argument = process.argv[2] ?? "{}";
const bare = argument === "echo";
const options: FakeAgentOptions = bare ? {} : JSON.parse(argument);
const sessions = new Map<string, FakeSession>();
const waiting = new Map<number, (answer: Json) => void>();
const ids = { session: 0, request: 0 };

export function write(raw: string | Uint8Array): void {
  process.stdout.write(raw);
}

function send(message: Json): void {
  write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function update(sessionId: string, content: Json): void {
  send({ method: "session/update", params: { sessionId, update: content } });
}

function say(sessionId: string, text: string): void {
  update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
}

/** Asks the client; resolves with the whole answer, result or error. */
function ask(method: string, params: Json): Promise<Json> {
  const id = ids.request++;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

function modesOf(): Json {
  const { modes, mode = "ask", modeAsOption } = options;
  if (modes === undefined) return {};
  if (!modeAsOption) {
    const availableModes = modes.map((id) => ({ id, name: id }));
    return { modes: { currentModeId: mode, availableModes } };
  }
  const choices = modes.map((value) => ({ value, name: value }));
  const option = { type: "select", id: "mode", name: "Mode", category: "mode" };
  return { configOptions: [{ ...option, currentValue: mode, options: choices }] };
}

function openSession(id: string, { mcpServers }: Json): void {
  const servers = (mcpServers ?? []) as GivenServer[];
  sessions.set(id, { id, servers, cancelled: false, ignoreCancel: false, onCancel: undefined });
}

function textOf(prompt: unknown): string {
  if (!Array.isArray(prompt)) return "";
  return prompt.map((block: Json) => (block.type === "text" ? block.text : "")).join("\n");
}

async function runPrompt(id: unknown, session: FakeSession, text: string): Promise<void> {
  if (bare) {
    say(session.id, text);
    return send({ id, result: { stopReason: "end_turn" } });
  }
  session.cancelled = false;
  session.ignoreCancel = false;
  if (options.strayTo !== undefined) {
    update(session.id, { sessionUpdate: "current_mode_update", currentModeId: options.strayTo });
  }
  const steps: Steps = await import("./acp-agent-steps.ts");
  const tools = { session, say, update, ask, write, send };
  const step: Step = (line) => steps.runStep(line, tools);
  for (const line of text.split("\n")) {
    if (session.cancelled && !session.ignoreCancel) break;
    const error = await step(line);
    if (typeof error === "string") return send({ id, error: { code: -32000, message: error } });
  }
  const stopReason = session.cancelled && !session.ignoreCancel ? "cancelled" : "end_turn";
  send({ id, result: { stopReason } });
}

function initialize(id: unknown): void {
  if (options.initialize === "hang") return;
  if (options.initialize === "exit") {
    process.stderr.write("Error: the fake agent has no key sk-live-4f9a8b7c6d5e4f3a2b1c\n");
    process.exit(3);
  }
  const agentCapabilities = {
    loadSession: options.load !== undefined,
    promptCapabilities: { embeddedContext: options.embeds === true },
  };
  send({ id, result: { protocolVersion: 1, agentCapabilities } });
}

function loadSession(id: unknown, params: Json): void {
  const sessionId = String(params.sessionId);
  if (options.load === "hang") return;
  if (options.load === "refuse") {
    send({ id, error: { code: -32002, message: "Resource not found" } });
    return;
  }
  for (const text of ["old question", "old answer"]) say(sessionId, text);
  openSession(sessionId, params);
  send({ id, result: modesOf() });
}

function newSession(id: unknown, params: Json): void {
  if (options.session === "hang") return;
  if (options.session === "refuse") {
    send({ id, error: { code: -32000, message: "Authentication required" } });
    return;
  }
  const sessionId = `s${process.pid}-${ids.session++}`;
  openSession(sessionId, params);
  send({ id, result: { sessionId, ...modesOf() } });
}

function cancel(session: FakeSession | undefined): void {
  if (session === undefined) return;
  session.cancelled = true;
  if (!session.ignoreCancel) session.onCancel?.();
}

function receive(message: Json): void {
  const { id, method } = message;
  const params = (message.params ?? {}) as Json;
  if (method === undefined) {
    waiting.get(Number(id))?.(message);
    waiting.delete(Number(id));
    return;
  }
  const session = sessions.get(String(params.sessionId));
  if (method === "initialize") initialize(id);
  else if (method === "session/new") newSession(id, params);
  else if (method === "session/load") loadSession(id, params);
  else if (method === "session/prompt" && session !== undefined) {
    void runPrompt(id, session, textOf(params.prompt));
  } else if (method === "session/cancel") cancel(session);
  else if (id !== undefined) send({ id, result: {} });
}

async function prepare(): Promise<(line: string) => void> {
  for (let line = 0; line < (options.noise ?? 0); line++)
    write(`Loaded cached credentials (${line}).\n`);
  if (options.stderrBytes !== undefined) {
    for (let left = options.stderrBytes; left > 0; left -= 65536) {
      process.stderr.write(`${"flood ".repeat(10922)}\n`);
    }
  }
  const { record } = options;
  if (record === undefined) return () => {};
  const { appendFileSync } = await import("node:fs");
  return (line) => appendFileSync(record, `${line}\n`);
}

const note = await prepare();
const decoder = new TextDecoder();
let pending = "";
process.stdin.on("data", (chunk: Buffer) => {
  const lines = (pending + decoder.decode(chunk, { stream: true })).split("\n");
  pending = lines.pop() ?? "";
  for (const line of lines) {
    note(line);
    receive(JSON.parse(line));
  }
});
// It outlives its stdin unless it is ended: some agents do.
if (!bare) setInterval(() => {}, 60_000);
