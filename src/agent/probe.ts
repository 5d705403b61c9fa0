// Tries an agent out: does it start, and does it ask before it changes something? In a folder of its own, answer: no.
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent, AgentEvent } from "../core/agent.ts";
import type { SandboxScope } from "../core/sandbox.ts";

export interface ProbeOptions {
  readonly agent: Agent;
  /** The preset's `probe`. */
  readonly prompt: string;
  /** Where the temporary workspace is made; default: the system's temporary folder. */
  readonly folder?: string;
  readonly timeoutMs?: number;
}

export interface ProbeResult {
  /** It opened a session and took the prompt. */
  readonly started: boolean;
  readonly asked: boolean;
  readonly ms: number;
  /** A sentence: why the turn failed. */
  readonly error?: string;
}

function reject(event: AgentEvent & { readonly type: "permission" }): void {
  const no = event.options.find(({ kind }) => kind === "reject_once" || kind === "reject_always");
  event.answer(no === undefined ? "cancelled" : { optionId: no.id });
}

async function tryOut(options: ProbeOptions, scope: SandboxScope): Promise<ProbeResult> {
  const begun = performance.now();
  const timeout = AbortSignal.timeout(options.timeoutMs ?? 120_000);
  let started = false;
  let asked = false;
  let error: string | undefined;
  const turn = options.agent.prompt({
    conversation: scope.key,
    scope,
    session: null,
    content: [{ type: "text", text: options.prompt }],
    signal: timeout,
  });
  for await (const event of turn) {
    if (event.type === "session") started = true;
    else if (event.type === "form") event.answer({ action: "decline" });
    else if (event.type === "failed") error = event.why;
    else if (event.type === "permission") {
      // What we ask ourselves says nothing of the agent.
      asked ||= !event.ownersOnly;
      reject(event);
    }
  }
  if (timeout.aborted) error ??= "The agent did not finish in time.";
  const ms = Math.round(performance.now() - begun);
  return { started, asked, ms, ...(error === undefined ? {} : { error }) };
}

export async function probeAgent(options: ProbeOptions): Promise<ProbeResult> {
  const folder = await mkdtemp(join(options.folder ?? tmpdir(), "sallyport-probe-"));
  const key = `probe-${randomUUID()}`;
  // Its home lies beside the workspace, so that what it keeps there goes with it.
  const [workspace, home] = [join(folder, "workspace"), join(folder, "home")];
  const scope: SandboxScope = { key, pairing: null, workspace, workspaceMode: "rw", home };
  try {
    await mkdir(workspace);
    return await tryOut(options, scope);
  } finally {
    await options.agent.end(key);
    await rm(folder, { recursive: true, force: true });
  }
}
