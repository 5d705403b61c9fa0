// What a command may do while its turn runs: speak, show a tool call, ask before it changes something.
import { randomUUID } from "node:crypto";
import type {
  AgentContext,
  PermissionOption,
  RequestPermissionRequest,
  SessionUpdate,
  ToolCall,
} from "@agentclientprotocol/sdk";
import { methods } from "@agentclientprotocol/sdk";

export type Verdict = "allowed" | "denied" | "cancelled";

export interface Result {
  readonly ok: boolean;
  /** What the person is told. */
  readonly text: string;
}

/** What a command is about to do; the id is given when it is shown. */
export type Action = Omit<ToolCall, "toolCallId">;

export interface Turn {
  /** The workspace, as a real path. */
  readonly root: string;
  /** Aborted when the turn was cancelled or the client is gone. */
  readonly signal: AbortSignal;
  readonly runLimitMs: number;
  say(text: string): Promise<void>;
  send(update: SessionUpdate): Promise<void>;
  ask(call: ToolCall): Promise<Verdict>;
}

interface TurnParts {
  readonly sessionId: string;
  readonly root: string;
  /** What was always allowed in this session. */
  readonly grants: Set<string>;
  readonly client: AgentContext;
  readonly cancel: AbortController;
  readonly runLimitMs: number;
}

const options: PermissionOption[] = [
  { optionId: "allow_once", name: "Allow once", kind: "allow_once" },
  { optionId: "allow_always", name: "Always allow", kind: "allow_always" },
  { optionId: "reject_once", name: "Deny", kind: "reject_once" },
];

export function openTurn(parts: TurnParts): Turn {
  const { sessionId, root, client, cancel, runLimitMs } = parts;
  // A client that is gone is noticed by its closed stream, not here.
  const send = (update: SessionUpdate) =>
    client.notify(methods.client.session.update, { sessionId, update }).catch(() => undefined);
  return {
    root,
    signal: cancel.signal,
    runLimitMs,
    send,
    say: (text) => send({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }),
    ask: (call) => askClient(parts, call),
  };
}

async function askClient(parts: TurnParts, call: ToolCall): Promise<Verdict> {
  const { sessionId, grants, client, cancel } = parts;
  // Exactly this command, or this file: a wider grant would allow what nobody has seen.
  const grant = JSON.stringify([call.kind, call.rawInput]);
  if (cancel.signal.aborted) return "cancelled";
  if (grants.has(grant)) return "allowed";
  const question: RequestPermissionRequest = { sessionId, toolCall: call, options };
  const answer = await client
    .request(methods.client.session.requestPermission, question, {
      cancellationSignal: cancel.signal,
      stopWaitingOnCancel: true,
    })
    // An error of the client is no permission.
    .catch(() => null);
  // The protocol has this outcome for a turn that was cancelled.
  if (answer?.outcome.outcome === "cancelled") cancel.abort();
  if (cancel.signal.aborted) return "cancelled";
  if (answer?.outcome.outcome !== "selected") return "denied";
  const { optionId } = answer.outcome;
  if (optionId === "allow_always") grants.add(grant);
  return optionId === "allow_once" || optionId === "allow_always" ? "allowed" : "denied";
}

/** A tool call that changes nothing. */
export async function look(turn: Turn, action: Action, work: () => Promise<Result>): Promise<void> {
  const toolCallId = randomUUID();
  await turn.send({ ...action, toolCallId, sessionUpdate: "tool_call", status: "in_progress" });
  await finish(turn, toolCallId, work);
}

/** A tool call that changes something: shown, asked about, and only then done. */
export async function change(
  turn: Turn,
  action: Action,
  work: () => Promise<Result>,
): Promise<void> {
  const toolCallId = randomUUID();
  const pending: ToolCall = { ...action, toolCallId, status: "pending" };
  await turn.send({ ...pending, sessionUpdate: "tool_call" });
  const verdict = await turn.ask(pending);
  if (verdict !== "allowed") {
    await turn.send({ sessionUpdate: "tool_call_update", toolCallId, status: "failed" });
    const what = action.kind === "execute" ? "nothing was run" : "nothing was changed";
    return turn.say(verdict === "denied" ? `Denied: ${what}.` : `Stopped: ${what}.`);
  }
  await turn.send({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
  await finish(turn, toolCallId, work);
}

async function finish(turn: Turn, toolCallId: string, work: () => Promise<Result>): Promise<void> {
  let result: Result | undefined;
  try {
    result = await work();
  } finally {
    await turn.send({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: result?.ok ? "completed" : "failed",
    });
  }
  await turn.say(result.text);
}
