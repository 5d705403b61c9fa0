// The client's side of a workspace agent that runs as a process of its own, for the tests of that agent.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import * as acp from "@agentclientprotocol/sdk";

const main = fileURLToPath(new URL("../../src/agent/workspace/main.ts", import.meta.url));

/** An option's id, or that the question was dropped. */
export type Answer = string | "cancelled";
export type Asked = (question: acp.RequestPermissionRequest) => Answer | Promise<Answer>;

export interface Reply {
  readonly stopReason: acp.StopReason;
  readonly text: string;
  readonly chunks: readonly string[];
  /** What was sent as a file. */
  readonly resources: readonly acp.EmbeddedResource["resource"][];
  /** Each tool call with its updates merged in. */
  readonly calls: readonly acp.ToolCall[];
  readonly questions: readonly acp.RequestPermissionRequest[];
}

export interface Workspace {
  readonly process: ChildProcess;
  readonly root: string;
  readonly connection: acp.ClientConnection;
  readonly initialized: acp.InitializeResponse;
  /** What to do with questions; at first all are allowed once. */
  answer: Asked;
  /** Called with every piece of text, whatever the session. */
  onText: (text: string) => void;
  open(cwd?: string): Promise<string>;
  prompt(sessionId: string, prompt: string | acp.ContentBlock[]): Promise<Reply>;
  cancel(sessionId: string): Promise<void>;
  /** One prompt in a session of its own. */
  say(prompt: string | acp.ContentBlock[]): Promise<Reply>;
  text(path: string): Promise<string>;
}

interface Heard {
  readonly chunks: string[];
  readonly resources: acp.EmbeddedResource["resource"][];
  readonly calls: Map<string, acp.ToolCall>;
  readonly questions: acp.RequestPermissionRequest[];
}

export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "workspace-agent-")));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function hear(heard: Heard, update: acp.SessionUpdate): void {
  if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
    heard.chunks.push(update.content.text);
  }
  if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "resource") {
    heard.resources.push(update.content.resource);
  }
  if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") return;
  const { sessionUpdate: _kind, ...news } = update;
  const known = heard.calls.get(news.toolCallId);
  heard.calls.set(news.toolCallId, { ...known, ...news } as acp.ToolCall);
}

function listener(workspace: Pick<Workspace, "answer" | "onText">, heard: Map<string, Heard>) {
  return acp
    .client({ name: "test" })
    .onNotification(acp.methods.client.session.update, ({ params: { sessionId, update } }) => {
      const session = heard.get(sessionId);
      if (session) hear(session, update);
      if (update.sessionUpdate !== "agent_message_chunk") return;
      if (update.content.type === "text") workspace.onText(update.content.text);
    })
    .onRequest(acp.methods.client.session.requestPermission, async ({ params }) => {
      heard.get(params.sessionId)?.questions.push(params);
      const answer = await workspace.answer(params);
      return answer === "cancelled"
        ? { outcome: { outcome: "cancelled" } }
        : { outcome: { outcome: "selected", optionId: answer } };
    });
}

export async function startWorkspace(t: TestContext, args: string[] = []): Promise<Workspace> {
  const root = await temporaryFolder(t);
  const child = spawn(process.execPath, [main, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  t.after(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), input);
  const behaviour: Pick<Workspace, "answer" | "onText"> = {
    answer: () => "allow_once",
    onText: () => undefined,
  };
  const heard = new Map<string, Heard>();
  const connection = listener(behaviour, heard).connect(stream);
  const { initialize } = acp.methods.agent;
  const initialized = await connection.agent.request(initialize, { protocolVersion: 1 });
  return Object.assign(behaviour, {
    process: child,
    root,
    connection,
    initialized,
    ...talk(connection, root, heard),
    text: (path: string) => readFile(join(root, path), "utf8"),
  });
}

function talk(connection: acp.ClientConnection, root: string, heard: Map<string, Heard>) {
  const { session } = acp.methods.agent;
  const open = async (cwd = root) =>
    (await connection.agent.request(session.new, { cwd, mcpServers: [] })).sessionId;
  const prompt = async (sessionId: string, prompt: string | acp.ContentBlock[]): Promise<Reply> => {
    const mine: Heard = { chunks: [], resources: [], calls: new Map(), questions: [] };
    heard.set(sessionId, mine);
    const blocks = typeof prompt === "string" ? [{ type: "text" as const, text: prompt }] : prompt;
    const request: acp.PromptRequest = { sessionId, prompt: blocks };
    const { stopReason } = await connection.agent.request(session.prompt, request);
    const { chunks, resources, questions } = mine;
    return {
      stopReason,
      text: chunks.join(""),
      chunks,
      resources,
      calls: [...mine.calls.values()],
      questions,
    };
  };
  const cancel = (sessionId: string) => connection.agent.notify(session.cancel, { sessionId });
  const say = async (what: string | acp.ContentBlock[]) => prompt(await open(), what);
  return { open, prompt, cancel, say };
}

/** Resolves with the first match in the text that comes from now on. */
export function heardText(workspace: Workspace, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve) => {
    let text = "";
    workspace.onText = (more) => {
      text += more;
      const found = pattern.exec(text);
      if (found) resolve(found);
    };
  });
}
