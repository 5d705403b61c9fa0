// The workspace agent as an ACP agent: its sessions, and one turn at a time in each.
import { randomUUID } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import {
  type AgentApp,
  type AgentContext,
  agent,
  methods,
  PROTOCOL_VERSION,
  type PromptRequest,
  type PromptResponse,
  RequestError,
} from "@agentclientprotocol/sdk";
import { obey } from "./commands.ts";
import { code } from "./markdown.ts";
import { readPrompt } from "./prompt.ts";
import { openTurn, type Turn } from "./turn.ts";

interface Session {
  readonly root: string;
  readonly grants: Set<string>;
  /** Of the turn that runs. */
  cancel: AbortController | null;
}

type Sessions = Map<string, Session>;

const mostSessions = 1000;

export interface WorkspaceOptions {
  /** How long a command may run. */
  readonly runLimitMs: number;
}

export function createWorkspaceAgent(options: WorkspaceOptions): AgentApp {
  const sessions: Sessions = new Map();
  return agent({ name: "workspace" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "workspace", title: "Workspace", version: "1" },
      // Embedded context, or what a message refers to would come as words of the command.
      agentCapabilities: { loadSession: true, promptCapabilities: { embeddedContext: true } },
    }))
    .onRequest(methods.agent.session.new, async ({ params }) => {
      const sessionId = randomUUID();
      await addSession(sessions, sessionId, params.cwd);
      return { sessionId };
    })
    .onRequest(methods.agent.session.load, async ({ params }) => {
      // There is no history to replay: a session is no more than its workspace.
      await addSession(sessions, params.sessionId, params.cwd);
      return {};
    })
    .onRequest(methods.agent.session.prompt, ({ params, client, signal }) =>
      prompted({ session: sessions.get(params.sessionId), params, client, signal, options }),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) =>
      sessions.get(params.sessionId)?.cancel?.abort(),
    );
}

async function addSession(sessions: Sessions, id: string, cwd: string): Promise<void> {
  const root = isAbsolute(cwd) ? await realpath(cwd).catch(() => null) : null;
  if (root === null || !(await stat(root)).isDirectory()) {
    throw RequestError.invalidParams({ cwd }, "cwd must be the absolute path of a folder");
  }
  if (sessions.get(id)?.cancel) {
    throw RequestError.invalidRequest({ sessionId: id }, "a turn is running in this session");
  }
  sessions.delete(id);
  sessions.set(id, { root, grants: new Set(), cancel: null });
  if (sessions.size > mostSessions) forgetOldest(sessions);
}

function forgetOldest(sessions: Sessions): void {
  for (const [id, session] of sessions) {
    if (session.cancel !== null) continue;
    sessions.delete(id);
    return;
  }
}

interface Prompted {
  readonly session: Session | undefined;
  readonly params: PromptRequest;
  readonly client: AgentContext;
  readonly signal: AbortSignal;
  readonly options: WorkspaceOptions;
}

async function prompted(request: Prompted): Promise<PromptResponse> {
  const { session, params, client, signal, options } = request;
  const { sessionId } = params;
  if (session === undefined) throw RequestError.resourceNotFound(sessionId);
  if (session.cancel) {
    throw RequestError.invalidRequest({ sessionId }, "a turn is running in this session");
  }
  const cancel = new AbortController();
  session.cancel = cancel;
  // The connection's end, or the client took the request back.
  signal.addEventListener("abort", () => cancel.abort(), { once: true });
  const { root, grants } = session;
  const { runLimitMs } = options;
  const turn = openTurn({ sessionId, root, grants, client, cancel, runLimitMs });
  try {
    await obey(turn, readPrompt(params.prompt));
  } catch (error) {
    await sayFailure(turn, error);
  } finally {
    session.cancel = null;
  }
  return { stopReason: cancel.signal.aborted ? "cancelled" : "end_turn" };
}

async function sayFailure(turn: Turn, error: unknown): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  // After the comma Node names paths of this machine, which are nobody's business in a chat.
  const [what = message] = message.split(", ");
  await turn.say(`That did not work: ${code(what)}.`);
}
