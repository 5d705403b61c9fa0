// One prompt while it runs: what the agent says becomes events, what it asks becomes questions, and no silence is for ever.
import type {
  AgentEvent,
  FormReply,
  MadeFile,
  PermissionOption,
  PermissionReply,
  StopReason,
  ToolCall,
} from "../core/agent.ts";
import { Asked } from "./asked.ts";
import { Feed } from "./feed.ts";
import { formFields } from "./form.ts";
import { type AgentLimits, inWords } from "./limits.ts";
import { linkText, MadeFiles } from "./made-file.ts";
import { permissionOptions } from "./permission.ts";
import type { Asking } from "./presets/preset.ts";
import { openQuestion, type Question } from "./question.ts";
import { QuestionCounts, type QuestionKind } from "./question-counts.ts";
import { type Fields, isFields } from "./tool-call.ts";
import { Tools } from "./tools.ts";

type PermissionEvent = Extract<AgentEvent, { type: "permission" }>;
type FormEvent = Extract<AgentEvent, { type: "form" }>;

export interface TurnOptions {
  readonly limits: AgentLimits;
  readonly asking?: Asking;
  /** The turn is over, as a call runs that was not asked about; `why` was told. */
  readonly onUnasked?: (session: string, why: string) => void;
}

interface AskOptions<R> {
  readonly kind: QuestionKind;
  /** What the agent hears when nobody answers. `why`: nobody was asked. */
  readonly none: (why?: string) => R;
  readonly tookBack: AbortSignal;
}

const cutNote = "\n\n(The rest of this answer was cut: it is too long.)";

export class Turn {
  readonly feed: Feed;
  readonly #options: TurnOptions;
  readonly #limits: AgentLimits;
  readonly #tools: Tools;
  readonly #files: MadeFiles;
  readonly #questions = new Set<{ readonly takeBack: () => void }>();
  readonly #counts = new QuestionCounts();
  readonly #asked: Asked;
  #session = "";
  #sendCancel: (() => void) | undefined;
  #cancelledAt: number | undefined;
  #failure: string | undefined;
  #lastSign = performance.now();
  #chars = 0;
  #ended = false;
  readonly #over = new AbortController();

  constructor(options: TurnOptions) {
    const { limits } = options;
    this.#options = options;
    this.#limits = limits;
    this.feed = new Feed(limits.heldChars);
    this.#tools = new Tools(limits);
    this.#asked = new Asked(options.asking ?? {}, 2 * limits.openTools);
    this.#files = new MadeFiles(limits);
  }

  /** Aborts at its end. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** It runs, and nobody has stopped it. */
  get atWork(): boolean {
    return this.#sendCancel !== undefined && this.#cancelledAt === undefined && !this.#ended;
  }

  /** The prompt cannot go out yet. */
  waits(why: string): void {
    if (!this.#ended) this.#push({ type: "waiting", why });
  }

  /** The prompt goes out now, in this session: from here on a cancel must reach the agent. */
  begin(session: { readonly id: string; readonly resumed: boolean }, sendCancel: () => void): void {
    this.#session = session.id;
    this.#sendCancel = sendCancel;
    this.#lastSign = performance.now();
    this.#push({ type: "session", ...session });
  }

  update(update: Fields): void {
    this.#lastSign = performance.now();
    const kind = update.sessionUpdate;
    if (kind === "agent_message_chunk") this.#say(update.content);
    else if (kind === "tool_call" || kind === "tool_call_update") this.#tool(update);
  }

  askPermission(params: Fields, agentTookBack: AbortSignal): Promise<PermissionReply> {
    const call = this.#tools.merge(isFields(params.toolCall) ? params.toolCall : {});
    if (call === null) return Promise.resolve("cancelled");
    this.#checkTools();
    const options = permissionOptions(params.options);
    const known = this.atWork ? this.#asked.answerOf(call, options) : undefined;
    if (known !== undefined) return Promise.resolve(known);
    const asked = this.#askToRun({ call, options }, agentTookBack);
    return asked.then((reply) => this.#asked.note(call, options, reply));
  }

  /** Of a call that the agent did not ask for itself. */
  askOwner(
    call: ToolCall,
    options: readonly PermissionOption[],
    tookBack: AbortSignal,
  ): Promise<PermissionReply> {
    return this.#askToRun({ call, options, ownersOnly: true }, tookBack);
  }

  askForm(params: Fields, agentTookBack: AbortSignal): Promise<FormReply> {
    const fields = params.mode === "form" ? formFields(params.requestedSchema) : null;
    if (fields === null) return Promise.resolve({ action: "decline" });
    const message = typeof params.message === "string" ? params.message : "";
    return this.openForm({ message, fields }, agentTookBack);
  }

  openForm(form: Pick<FormEvent, "message" | "fields">, tookBack: AbortSignal): Promise<FormReply> {
    const none = (why?: string): FormReply =>
      why === undefined ? { action: "cancel" } : { action: "cancel", why };
    return this.#ask({ kind: "form", none, tookBack }, ({ answer, signal }) => ({
      type: "form",
      ...form,
      answer,
      signal,
    }));
  }

  /** A file that did not come in the agent's answer. A sentence: why it does not go along. */
  addFile(file: MadeFile): string | undefined {
    if (!this.atWork) return "The turn is over: nothing can be sent any more.";
    this.#lastSign = performance.now();
    const made = this.#files.add(file);
    if (typeof made === "string") return made;
    this.#push({ type: "file", ...made });
    return undefined;
  }

  /** Before the prompt is sent the turn is simply over; after it the agent has to end it. */
  cancel(): void {
    if (this.#ended || this.#cancelledAt !== undefined) return;
    if (this.#sendCancel === undefined) {
      this.end("cancelled");
      return;
    }
    this.#cancelledAt = performance.now();
    this.#sendCancel();
    this.#takeBackQuestions();
  }

  /** Cancels, and reports the reason instead of what the agent then ends with. */
  stopWith(why: string): void {
    if (this.#cancelledAt === undefined) this.#failure ??= why;
    this.cancel();
  }

  end(reason: StopReason): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#over.abort();
    this.#takeBackQuestions();
    const { leftOut } = this.#files;
    if (leftOut !== undefined) this.feed.push({ type: "text", text: leftOut });
    const why = this.#failure;
    this.feed.close(why === undefined ? { type: "end", reason } : { type: "failed", why });
  }

  /** The prompt failed. Who cancelled it hears that it is cancelled. */
  fail(why: string): void {
    if (this.#cancelledAt === undefined) this.#failure ??= why;
    this.end("cancelled");
  }

  /** "hung": it was cancelled and did not end. */
  tick(now: number): "ok" | "hung" {
    if (this.#ended || this.#sendCancel === undefined) return "ok";
    const { cancelMs, silentMs, toolMs } = this.#limits;
    if (this.#cancelledAt !== undefined) return now - this.#cancelledAt > cancelMs ? "hung" : "ok";
    if (this.#questions.size > 0) return "ok";
    if (this.#tools.running) {
      if (this.#tools.runsLongerThan(toolMs, now)) {
        this.stopWith(`A tool call of the agent did not end within ${inWords(toolMs)}.`);
      }
    } else if (now - this.#lastSign > silentMs) {
      this.stopWith(`The agent gave no sign for ${inWords(silentMs)}.`);
    }
    return "ok";
  }

  #askToRun(
    it: Pick<PermissionEvent, "call" | "options" | "ownersOnly">,
    tookBack: AbortSignal,
  ): Promise<PermissionReply> {
    const known = (reply: PermissionReply) =>
      reply !== "cancelled" && it.options.some(({ id }) => id === reply.optionId)
        ? reply
        : "cancelled";
    const kind = it.ownersOnly ? "owner" : "permission";
    const none = (): PermissionReply => "cancelled";
    return this.#ask({ kind, none, tookBack }, ({ answer, signal }) => ({
      type: "permission",
      ...it,
      answer: (reply) => answer(known(reply)),
      signal,
    }));
  }

  #ask<R>(
    { kind, none, tookBack }: AskOptions<R>,
    toEvent: (question: Question<R>) => AgentEvent,
  ): Promise<R> {
    const full = this.#questions.size >= this.#limits.openQuestions;
    if (full || this.#ended || this.#cancelledAt !== undefined) return Promise.resolve(none());
    const why = this.#counts.add(kind);
    if (why !== undefined) return Promise.resolve(none(why));
    const question = openQuestion(none(), tookBack);
    this.#questions.add(question);
    this.#push(toEvent(question));
    return question.reply.finally(() => {
      this.#questions.delete(question);
      if (tookBack.aborted) this.#counts.tookBack(kind);
      this.#lastSign = performance.now();
      this.#tools.restartClocks();
    });
  }

  #takeBackQuestions(): void {
    for (const question of this.#questions) question.takeBack();
  }

  #push(event: AgentEvent): void {
    if (this.feed.push(event) === "full") {
      this.stopWith("The agent sent more than can be taken in at once.");
    }
  }

  #say(content: unknown): void {
    if (!isFields(content)) return;
    if (content.type === "text" && typeof content.text === "string") {
      this.#write(content.text);
      return;
    }
    const link = linkText(content);
    if (link !== undefined) this.#write(link);
    const file = this.#files.take(content);
    if (file !== undefined) this.#push({ type: "file", ...file });
  }

  #write(text: string): void {
    const limit = this.#limits.textChars;
    const room = limit - this.#chars;
    this.#chars += text.length;
    if (text.length <= room) this.#push({ type: "text", text });
    else if (room >= 0) {
      this.#push({ type: "text", text: text.slice(0, room) + cutNote });
      this.#chars = Math.max(this.#chars, limit + 1);
    }
    if (this.#chars > 8 * limit) this.stopWith("The agent would not stop writing.");
  }

  #tool(update: Fields): void {
    const call = this.#tools.merge(update);
    if (call === null) return;
    this.#tools.track(call);
    this.#push({ type: "tool", call });
    this.#checkTools();
    const why = this.#asked.unasked(call);
    if (why === undefined || this.#ended) return;
    this.fail(why);
    this.#options.onUnasked?.(this.#session, why);
  }

  #checkTools(): void {
    if (this.#tools.tooMany) this.stopWith("The agent runs more tool calls than can be followed.");
  }
}
