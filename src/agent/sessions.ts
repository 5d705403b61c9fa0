// The conversations of one agent process: each is an ACP session, opened, kept in its asking mode, and prompted.
import type { ClientConnection } from "@agentclientprotocol/sdk";
import type {
  FormReply,
  PermissionReply,
  PromptRequest,
  StopReason,
  ToolServer,
  TurnInlet,
} from "../core/agent.ts";
import { isOfStrangers, type SandboxPlace, type SandboxScope } from "../core/sandbox.ts";
import { Host, type HostOptions, type HostSide } from "./host.ts";
import { inletOf } from "./inlet.ts";
import { inWords } from "./limits.ts";
import { modeInUpdate, modeOf, pinMode } from "./mode.ts";
import { toContentBlocks } from "./prompt-blocks.ts";
import { type Fields, isFields } from "./tool-call.ts";
import { quoted, Trouble, textOf } from "./trouble.ts";
import type { Turn } from "./turn.ts";

interface Session {
  readonly id: string;
  /** Puts the session back into its asking mode. */
  readonly pin: () => Promise<void>;
  /** The last time it was put back; no prompt goes out before. */
  pinned: Promise<void>;
  turn: Turn | undefined;
  /** How often the agent left its asking mode in this turn. */
  strayed: number;
}

interface Prompt {
  readonly turn: Turn;
  readonly session: Session;
  readonly resumed: boolean;
  readonly request: PromptRequest;
}

const strayLimit = 5;
const stopReasons: ReadonlySet<unknown> = new Set<StopReason>([
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
]);

/** As ACP has it: every agent takes a server that it starts itself. */
function stdioServer({ name, program, args, env }: ToolServer) {
  const variables = Object.entries(env).map(([key, value]) => ({ name: key, value }));
  return { name, command: program, args: [...args], env: variables };
}

function placeSentence(place: SandboxPlace): string {
  if (place === "image") return "The image of the sandbox is being made, which is done once.";
  if (place === 0) return "Your sandbox is being started.";
  const before = place - 1;
  const who =
    before === 0 ? "yours is next" : `${before} ${before === 1 ? "is" : "are"} before you`;
  return `All sandboxes are in use; ${who}.`;
}

export class Sessions implements HostSide {
  readonly host: Host;
  readonly #live = new Map<string, Session>();
  /** Those that wait for the agent, too. */
  readonly #turns = new Set<Turn>();
  /** Of the turns whose prompt is out, the oldest first. */
  readonly #inlets = new Map<Turn, TurnInlet>();
  #lastUse = performance.now();

  constructor(scope: SandboxScope, options: HostOptions) {
    this.host = new Host(scope, options, this);
  }

  /** Runs a turn to its end. Never rejects: whatever happens is in the turn's last event. */
  async run(turn: Turn, request: PromptRequest): Promise<void> {
    this.#turns.add(turn);
    if (this.host.place !== 0) turn.waits(placeSentence(this.host.place));
    try {
      const { session, resumed } = await this.#open(request);
      await this.#prompt({ turn, session, resumed, request });
    } catch (error) {
      turn.fail(await this.host.explain(error));
    } finally {
      this.#turns.delete(turn);
      this.#lastUse = performance.now();
    }
  }

  inlets(): readonly TurnInlet[] {
    return [...this.#inlets].filter(([turn]) => turn.atWork).map(([, inlet]) => inlet);
  }

  /** Since when nobody has used it; undefined: somebody does. */
  get idleSince(): number | undefined {
    return this.#turns.size === 0 && !this.host.ending ? this.#lastUse : undefined;
  }

  onPlace(place: SandboxPlace): void {
    for (const turn of this.#turns) turn.waits(placeSentence(place));
  }

  onUpdate(params: unknown): void {
    if (!isFields(params) || typeof params.sessionId !== "string" || !isFields(params.update))
      return;
    const session = this.#live.get(params.sessionId);
    if (session === undefined) return; // the replay of session/load
    this.#watchMode(session, params.update);
    session.turn?.update(params.update);
  }

  onPermission(params: Fields, agentTookBack: AbortSignal): Promise<PermissionReply> {
    const turn = this.#turnOf(params);
    return turn?.askPermission(params, agentTookBack) ?? Promise.resolve("cancelled");
  }

  onForm(params: Fields, agentTookBack: AbortSignal): Promise<FormReply> {
    const turn = this.#turnOf(params);
    return turn?.askForm(params, agentTookBack) ?? Promise.resolve({ action: "decline" });
  }

  tick(now: number): void {
    const { cancelMs, idleMs } = this.host.options.limits;
    this.host.tick(now);
    for (const { turn } of this.#live.values()) {
      if (turn?.tick(now) === "hung") {
        void this.host.end(`The agent did not stop within ${inWords(cancelMs)} and was ended.`);
      }
    }
    if (this.host.place !== 0 && [...this.#turns].every((turn) => turn.ended))
      void this.host.end("Nobody waits for the agent any more.");
    if (this.idleSince !== undefined && now - this.idleSince > idleMs)
      void this.host.end("The agent was idle.");
  }

  #turnOf(params: Fields): Turn | undefined {
    return typeof params.sessionId === "string"
      ? this.#live.get(params.sessionId)?.turn
      : undefined;
  }

  async #prompt({ turn, session, resumed, request }: Prompt): Promise<void> {
    const { connection, canEmbed } = await this.host.ready;
    await this.#inTime(session.pinned);
    if (turn.ended) return; // cancelled while the agent got ready
    const { id } = session;
    if (session.turn !== undefined)
      throw new Trouble("The turn before this one has not ended yet.");
    session.turn = turn;
    session.strayed = 0;
    turn.begin({ id, resumed }, () => {
      connection.agent.notify("session/cancel", { sessionId: id }).catch(() => {});
    });
    this.#inlets.set(turn, inletOf(turn, request.conversation));
    try {
      const inside = this.host.options.inside(request.scope);
      const place = { scope: request.scope, inside, canEmbed };
      const prompt = toContentBlocks(request.content, place);
      const answer: unknown = await connection.agent.request("session/prompt", {
        sessionId: id,
        prompt,
      });
      const reason = isFields(answer) ? answer.stopReason : undefined;
      if (!stopReasons.has(reason)) throw new Trouble("The agent ended its turn without a reason.");
      turn.end(reason as StopReason);
    } finally {
      session.turn = undefined;
      this.#inlets.delete(turn);
    }
  }

  async #open(request: PromptRequest): Promise<{ session: Session; resumed: boolean }> {
    if (request.session !== null) {
      const session = this.#revive(request.session) ?? (await this.#load(request.session, request));
      if (session !== undefined) return { session, resumed: true };
    }
    return { session: await this.#create(request), resumed: false };
  }

  #revive(id: string): Session | undefined {
    const session = this.#live.get(id);
    if (session === undefined) return undefined;
    // The map's order is the order of use.
    this.#live.delete(id);
    this.#live.set(id, session);
    return session;
  }

  async #load(sessionId: string, request: PromptRequest): Promise<Session | undefined> {
    const { connection, canLoad } = await this.host.ready;
    const { log, limits, unloadable } = this.host.options;
    if (!canLoad || unloadable.has(sessionId)) return undefined;
    try {
      const work = connection.agent.request("session/load", { ...this.#place(request), sessionId });
      return await this.#keep(connection, sessionId, await this.#inTime(work));
    } catch (error) {
      if (this.host.ending || connection.signal.aborted) {
        if (unloadable.size < limits.sessions) unloadable.add(sessionId);
        throw error;
      }
      log.info(
        { error: quoted(textOf(error)) },
        "the agent did not load its session, starting anew",
      );
      return undefined;
    }
  }

  async #create(request: PromptRequest): Promise<Session> {
    const { connection } = await this.host.ready;
    const work = connection.agent.request("session/new", this.#place(request));
    const answer: unknown = await this.#inTime(work);
    if (!isFields(answer) || typeof answer.sessionId !== "string") {
      throw new Trouble("The agent opened a session without an id.");
    }
    if (this.#live.get(answer.sessionId)?.turn !== undefined) {
      throw new Trouble("The agent gave two conversations the same session.");
    }
    return await this.#keep(connection, answer.sessionId, answer);
  }

  async #keep(connection: ClientConnection, id: string, answer: unknown): Promise<Session> {
    const wanted = this.host.options.preset.mode;
    const view = modeOf(answer);
    const pin = () => pinMode({ connection, sessionId: id, view, wanted });
    const pinned = view === null || view.current === wanted ? Promise.resolve() : pin();
    await this.#inTime(pinned);
    const session: Session = { id, pin, pinned, turn: undefined, strayed: 0 };
    this.#live.set(id, session);
    this.#forget();
    return session;
  }

  #forget(): void {
    if (this.#live.size <= this.host.options.limits.sessions) return;
    for (const [id, { turn }] of this.#live) {
      if (turn === undefined) {
        this.#live.delete(id);
        return;
      }
    }
  }

  #place({ conversation, scope }: PromptRequest) {
    const { inside, toolsFor, preset } = this.host.options;
    const meta = preset.sessionMeta === undefined ? {} : { _meta: preset.sessionMeta };
    // Whom we do not know gets none.
    const tools = isOfStrangers(scope) ? undefined : toolsFor?.({ conversation, scope });
    const mcpServers = tools === undefined ? [] : [stdioServer(tools)];
    return { cwd: inside(scope).workspace, mcpServers, ...meta };
  }

  #inTime<T>(work: Promise<T>): Promise<T> {
    return this.host.within(this.host.options.limits.startMs, "open the conversation", work);
  }

  #watchMode(session: Session, update: Fields): void {
    const { preset, log } = this.host.options;
    const mode = modeInUpdate(update);
    if (mode === null || preset.mode === null || mode === preset.mode) return;
    log.warn({ mode: quoted(mode), wanted: preset.mode }, "the agent left its asking mode");
    if (++session.strayed > strayLimit) {
      session.turn?.stopWith("The agent keeps leaving the mode in which it asks before it acts.");
    } else {
      session.pinned = session.pin();
      session.pinned.catch((error: unknown) => session.turn?.stopWith(textOf(error)));
    }
  }
}
