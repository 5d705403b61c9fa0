// One turn: prompt the agent, follow what comes back, and end it whatever happens.
import { type OverTokens, payerOfCaller } from "../access/model-budget.ts";
import type { AgentEvent, ToolCall } from "../core/agent.ts";
import type { OutFile } from "../core/channel.ts";
import { visible } from "../core/visible.ts";
import type { Markdown } from "../core/words.ts";
import { setNote, setSession } from "../store/conversations.ts";
import { giveRunBack, setEffects } from "../store/turns.ts";
import type { Work } from "./claim.ts";
import { cutOff } from "./cut.ts";
import { type Ending, finish } from "./finish.ts";
import { fillForm } from "./form.ts";
import { homeOf, permit } from "./permission.ts";
import { dropFile } from "./places.ts";
import type { TurnPorts } from "./ports.ts";
import { promptOf } from "./prompt.ts";
import { openReply, type Reply } from "./reply.ts";
import { isFullDisk, onceThereIsRoom } from "./room.ts";
import { asked as askedToStop, closed, parked } from "./stop.ts";

interface Following {
  readonly reply: Reply;
  readonly asked: Set<string>;
  readonly remarks: string[];
  readonly notes: string[];
  readonly files: OutFile[];
  readonly open: Set<Promise<void>>;
  changed: boolean;
  /** Takes its place among those at work again. */
  back?: (() => void) | undefined;
  /** A budget ended it. */
  over?: OverTokens | undefined;
  end: End;
}

type End = Extract<AgentEvent, { type: "end" | "failed" }>;

/** Never rejects for what an agent or a platform does. */
export async function runTurn(ports: TurnPorts, work: Work, stop: AbortController): Promise<void> {
  const { signal } = stop;
  const { person: _, ...place } = homeOf(ports, work);
  const reply = openReply(ports, { turn: work.turn.id, ...place });
  // What comes after a stop is told with the end, if at all.
  signal.addEventListener("abort", () => void reply.close(), { once: true });
  const following: Following = {
    reply,
    asked: new Set(),
    remarks: [],
    notes: [],
    files: [],
    open: new Set(),
    changed: work.turn.effects,
    end: { type: "failed", why: "the agent said nothing" },
  };
  try {
    if (!signal.aborted) await follow(ports, work, { following, stop });
  } catch (error) {
    ports.log.error({ turn: work.turn.id, error }, "A turn failed");
    following.end = { type: "failed", why: isFullDisk(error) ? diskFull : ourFault };
  }
  if (signal.reason === parked) return park(ports, work, following);
  await Promise.allSettled(following.open);
  await reply.close();
  if (signal.reason === closed) await Promise.all(following.files.splice(0).map(dropFile));
  const ending = { ...endingOf(ports, work, { following, signal }), ...place };
  await onceThereIsRoom(ports.log, signal, () => finish(ports, ending));
}

const diskFull = "the disk of this machine is full; the owner should free space";
const ourFault = "something went wrong in the gateway; its log says more";

/** No end: the run is given back if nothing changed. */
async function park(ports: TurnPorts, { turn }: Work, following: Following): Promise<void> {
  await following.reply.close();
  await ports.store.run(() => giveRunBack(turn.id));
  await Promise.all(following.files.map(dropFile));
}

async function follow(
  ports: TurnPorts,
  work: Work,
  { following, stop }: { following: Following; stop: AbortController },
): Promise<void> {
  const { conversation, caller, turn } = work;
  const { content, missing } = await promptOf(ports, work);
  following.remarks.push(...missing);
  if (conversation.note) await ports.store.run(() => setNote(conversation.id, null));
  const scope = ports.scopeOf(work);
  const { id, session } = conversation;
  const request = { conversation: id, scope, session, content, signal: stop.signal };
  const metered = await ports.meter.enter({
    scope,
    payer: payerOfCaller(caller.id),
    task: turn.task,
    again: work.again,
    cut: (over) => void cutOff(ports, work, { over, stop }),
  });
  try {
    for await (const event of ports.agent.prompt(request))
      await take(ports, work, { following, event });
  } finally {
    metered.leave();
    following.over = metered.over();
  }
}

/** Questions are not waited for here: other events go on while people think. */
async function take(
  ports: TurnPorts,
  work: Work,
  { following, event }: { following: Following; event: AgentEvent },
): Promise<void> {
  const { reply, asked } = following;
  if (event.type === "text") reply.append(event.text);
  else if (event.type === "waiting") reply.tool(waitFor(event.why));
  else if (event.type === "file") await keep(ports, work, { following, event });
  else if (event.type === "tool") {
    reply.tool(event.call);
    if (!asked.has(event.call.id) && mayHaveChanged(event.call))
      await noteChange(ports, work, following);
  } else if (event.type === "session") {
    if (event.id !== work.conversation.session)
      await ports.store.run(() => setSession(work.conversation.id, event.id));
  } else if (event.type === "permission") {
    asked.add(event.call.id);
    // Asked by us: that the agent itself asks is not seen by it.
    if (!event.ownersOnly) ports.agentAsked();
    hold(ports, following, decide(ports, work, { following, event }));
  } else if (event.type === "form") hold(ports, following, fillForm(ports, work, event));
  else following.end = event;
}

async function keep(
  ports: TurnPorts,
  { turn }: Work,
  { following, event }: { following: Following; event: Extract<AgentEvent, { type: "file" }> },
): Promise<void> {
  const { name, mime, bytes } = event;
  try {
    following.files.push({ ...(await ports.keepFile(name, bytes)), name, mime });
  } catch (error) {
    ports.log.error({ turn: turn.id, error }, "A file of the agent could not be kept");
    following.remarks.push(`⚠️ I could not keep the file \`${name}\`, so it is not here.`);
  }
}

/** A person is asked meanwhile: no typing, no running tool, and room for others. */
function hold({ lanes }: TurnPorts, following: Following, question: Promise<void>): void {
  const { open, reply } = following;
  reply.waiting(true);
  following.back ??= lanes.stepAside();
  const done = question.finally(() => {
    open.delete(done);
    reply.waiting(open.size > 0);
    if (open.size > 0) return;
    following.back?.();
    following.back = undefined;
  });
  open.add(done);
}

async function decide(
  ports: TurnPorts,
  work: Work,
  {
    following,
    event,
  }: { following: Following; event: Extract<AgentEvent, { type: "permission" }> },
): Promise<void> {
  try {
    const { remark, note } = await permit(ports, work, event);
    addOnce(following.remarks, remark);
    addOnce(following.notes, note);
  } catch (error) {
    ports.log.error({ turn: work.turn.id, error }, "A permission request failed: denied");
    event.answer("cancelled");
  }
}

/** An agent may try the same thing many times. */
function addOnce(list: string[], text: string | undefined): void {
  if (text && !list.includes(text)) list.push(text);
}

/** Shown where a running tool is: nothing of it stays in the answer. */
function waitFor(why: string): ToolCall {
  return { id: "", title: why, kind: "think", status: "pending", locations: [], diffs: [] };
}

const changing: ReadonlySet<string> = new Set([
  "edit",
  "delete",
  "move",
  "execute",
  "fetch",
  "other",
  "switch_mode",
]);

/** Nobody was asked about it, and it is under way. */
function mayHaveChanged({ kind, status }: ToolCall): boolean {
  return changing.has(kind) && (status === "in_progress" || status === "completed");
}

async function noteChange(ports: TurnPorts, work: Work, following: Following): Promise<void> {
  if (following.changed) return;
  following.changed = true;
  await ports.store.run(() => setEffects(work.turn.id));
}

function endingOf(
  ports: TurnPorts,
  work: Work,
  { following, signal }: { following: Following; signal: AbortSignal },
): Omit<Ending, "to" | "replyTo"> {
  const { turn } = work;
  const { end, remarks, notes, reply, files } = following;
  const said = [reply.text.trimEnd(), ...remarks].filter(Boolean);
  const note = notes.length > 0 ? { note: notes.join("\n") } : {};
  const common = { turn, grown: true, files, ...note };
  const text = (...more: Markdown[]) => [...said, ...more].join("\n\n");
  if (following.over) {
    const why = following.over.sentence;
    const failed = { task: "failed", inbox: "failed", how: "failed" } as const;
    return { ...common, ...failed, reason: why, text: text(`⏹ ${why}`) };
  }
  if (signal.aborted || (end.type === "end" && end.reason === "cancelled"))
    return {
      ...common,
      task: "canceled",
      inbox: "cancelled",
      how: "cancelled",
      // Where nothing looks unfinished, and an answer is no message of its own, the answer to the command says it.
      text: stoppedText(ports, work, { reason: signal.reason, reply, text }),
    };
  if (end.type === "failed") {
    const why = visible(end.why);
    // In its own words an agent may say again what it was told; `task show` has them.
    ports.log.warn({ turn: turn.id, task: turn.task }, "A turn ended without an answer");
    ports.log.debug({ turn: turn.id, why }, "Why it did");
    ports.alarm.agentFailed(why);
    return {
      ...common,
      task: "failed",
      inbox: "failed",
      how: "failed",
      reason: why,
      text: text(`⚠️ I could not finish: ${why}`),
    };
  }
  ports.alarm.agentWorked();
  const remark = endings[end.reason];
  const first = work.conversation.session === null && !ports.agent.asks ? [neverAsks] : [];
  const silent = said.length === 0 && !remark ? wordless(following, turn.run) : [];
  return {
    ...common,
    task: "completed",
    inbox: "ok",
    how: end.reason,
    text: text(...silent, ...(remark ? [remark] : []), ...first),
  };
}

interface Stopped {
  readonly reason: unknown;
  readonly reply: Reply;
  text(...more: Markdown[]): Markdown;
}

function stoppedText(
  { channel }: TurnPorts,
  { conversation }: Work,
  { reason, reply, text }: Stopped,
): Markdown {
  if (!reply.posted && reason === closed) return "";
  const isOwnMessage = reply.posted || channel(conversation.address.listener)?.oneMessage;
  return reason === askedToStop && !isOwnMessage ? text() : text("⏹ Stopped.");
}

/** Files speak for themselves, unless a message was begun that has to end as something. */
function wordless({ files, reply }: Following, run: number): Markdown[] {
  if (files.length === 0) return ["The agent finished without a word."];
  return reply.posted || run > 1 ? ["Done:"] : [];
}

const neverAsks =
  "⚠️ This agent has not been seen to ask before it acts, so approvals may not apply to it: only its sandbox limits it. `sallyport doctor` tries it out.";

const endings: Record<string, Markdown | undefined> = {
  max_tokens: '⚠️ The answer was cut: the model reached its length limit. Say "go on" to continue.',
  max_turn_requests:
    '⚠️ The agent reached its limit of steps for one turn. Say "go on" to continue.',
  refusal: "⚠️ The model refused this request.",
};
