// A tool call that asks: forbidden, harmless, granted before, or a question for people.
import { audit } from "../access/audit.ts";
import { effectOf, wayOutOf } from "../approvals/effect.ts";
import { approvalOptions, replyFor } from "../approvals/options.ts";
import type { Answer } from "../approvals/ports.ts";
import { grantTarget, verdict } from "../approvals/verdict.ts";
import type { AgentEvent, ToolCall } from "../core/agent.ts";
import { findGrant } from "../store/grants.ts";
import type { Op } from "../store/query.ts";
import { findTurn, setEffects } from "../store/turns.ts";
import { quoting } from "./aside.ts";
import type { Work } from "./claim.ts";
import { onOneLine } from "./label.ts";
import type { TurnPorts } from "./ports.ts";

type Permission = Extract<AgentEvent, { type: "permission" }>;

/** What became of it: the reason goes with the next prompt, the remark into the chat. */
export interface Resolved {
  readonly allowed: boolean;
  readonly remark?: string;
  readonly note?: string;
}

export async function permit(ports: TurnPorts, work: Work, event: Permission): Promise<Resolved> {
  const { call, options } = event;
  const ruling = verdict(call, policyOf(ports, work, event));
  if (ruling.is === "deny") {
    await ports.store.run(() => noted(ports, work, { call, outcome: "denied", why: ruling.why }));
    event.answer(replyFor("deny", options));
    return {
      allowed: false,
      remark: `Not run: ${ruling.why}.`,
      note: `A tool call was rejected: ${ruling.why}.`,
    };
  }
  if (ruling.is === "allow") return allowWithout(ports, work, { event, ...ruling });
  // What a person allows their own task must not pass for an owner's word.
  const kind = event.ownersOnly ? `owner:${call.kind}` : call.kind;
  const grant = { kind, target: grantTarget(call) };
  const granted = await ports.store.run(() => useGrant(ports, work, { call, grant }));
  if (granted === "granted") {
    event.answer(replyFor("task", options));
    return { allowed: true };
  }
  if (granted === "stopped") {
    event.answer("cancelled");
    return { allowed: false };
  }
  const answer = await ask(ports, work, { event, grant });
  event.answer(
    answer.is === "answered" ? replyFor(answer.key, options) : replyFor("deny", options),
  );
  return resolved(call, answer, ports.channel(work.conversation.address.listener)?.oneMessage);
}

async function ask(
  ports: TurnPorts,
  work: Work,
  { event, grant }: { event: Permission; grant: { kind: string; target: string } },
): Promise<Answer> {
  const effect = await shownOf(ports, work, event);
  const { options, ownersOnly } = approvalOptions(event.options, effect.what, event.ownersOnly);
  return ports.approvals.request({
    turn: work.turn.id,
    task: work.turn.task,
    conversation: work.conversation.id,
    starter: work.caller,
    home: homeOf(ports, work),
    ownersOnly,
    kind: "approval",
    title: effect.title,
    body: effect.body,
    options,
    grant,
    signal: event.signal,
  });
}

async function shownOf(ports: TurnPorts, work: Work, { call, ownersOnly }: Permission) {
  if (ownersOnly && call.url !== undefined) return wayOutOf(call.url);
  return await effectOf(call, ports.inside(ports.scopeOf(work)).workspace);
}

export function homeOf(
  { channel }: Pick<TurnPorts, "channel">,
  { caller, conversation, prompts }: Work,
) {
  const to = conversation.address;
  const answered = quoting(channel(to.listener), conversation, prompts.at(-1)?.message);
  return { person: caller.id, to, ...answered };
}

/** Hosts are opened by an owner or by `egress.allow`, and never along with the agent's own calls. */
function policyOf(ports: TurnPorts, work: Work, { ownersOnly }: Permission) {
  const { auto, deny } = ports.settings();
  const { workspace, home } = ports.inside(ports.scopeOf(work));
  return { readable: [workspace, home], cwd: workspace, auto: ownersOnly ? [] : auto, deny };
}

async function allowWithout(
  ports: TurnPorts,
  work: Work,
  { event, changes, why }: { event: Permission; changes: boolean; why: string },
): Promise<Resolved> {
  const running = await ports.store.run(function* () {
    if ((yield* findTurn(work.turn.id))?.state !== "running") return false;
    if (changes) yield* setEffects(work.turn.id);
    yield* noted(ports, work, { call: event.call, outcome: "allowed", why });
    return true;
  });
  event.answer(running ? replyFor("task", event.options) : "cancelled");
  return { allowed: running };
}

function* useGrant(
  ports: TurnPorts,
  work: Work,
  { call, grant }: { call: ToolCall; grant: { kind: string; target: string } },
): Op<"granted" | "stopped" | "none"> {
  const known = yield* findGrant({ task: work.turn.task, ...grant });
  if (!known) return "none";
  if ((yield* findTurn(work.turn.id))?.state !== "running") return "stopped";
  yield* setEffects(work.turn.id);
  yield* noted(ports, work, {
    call,
    outcome: "allowed",
    why: `allowed for this task by ${known.by}`,
  });
  return "granted";
}

function* noted(
  { clock }: TurnPorts,
  { caller, conversation, turn }: Work,
  { call, outcome, why }: { call: ToolCall; outcome: string; why: string },
): Op<void> {
  const { listener, chat } = conversation.address;
  yield* audit({
    at: clock.now(),
    who: caller.id,
    name: caller.name,
    place: `${listener} ${chat}`,
    action: `tool.${call.kind}`,
    target: `${turn.task} ${call.title}`,
    outcome,
    why,
  });
}

/** `told`: no card there can show any more what became of it. */
function resolved(call: ToolCall, answer: Answer, told = false): Resolved {
  if (answer.is === "answered" && answer.key !== "deny") return { allowed: true };
  if (answer.is === "answered") {
    const because = answer.reason ? ` Their reason: ${onOneLine(answer.reason)}` : "";
    return {
      allowed: false,
      ...(because ? { note: `"${onOneLine(call.title)}" was denied.${because}` } : {}),
    };
  }
  const silences: Readonly<Record<string, string | undefined>> = {
    unreachable: "nobody who may allow it could be reached",
    ...(told ? { silence: "nobody answered in time" } : {}),
  };
  const silent = silences[answer.why];
  return { allowed: false, ...(silent ? { remark: `Not run: ${silent}.` } : {}) };
}
