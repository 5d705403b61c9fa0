// One agent process: started, initialised, watched, ended.

import type { ClientConnection } from "@agentclientprotocol/sdk";
import type { PromptRequest, ToolServer } from "../core/agent.ts";
import type { Log } from "../core/log.ts";
import {
  type AgentProcess,
  type ProcessEnd,
  type Sandbox,
  type SandboxPlace,
  type SandboxScope,
  SandboxTrouble,
} from "../core/sandbox.ts";
import { type AgentSide, connectClient } from "./connect.ts";
import { deferred } from "./deferred.ts";
import { type AgentLimits, inWords } from "./limits.ts";
import type { Preset } from "./presets.ts";
import type { Inside } from "./prompt-blocks.ts";
import { isFields } from "./tool-call.ts";
import { deathSentence, quoted, Trouble, textOf } from "./trouble.ts";

export interface HostOptions {
  readonly preset: Preset;
  readonly spawn: Sandbox["spawn"];
  readonly inside: (scope: SandboxScope) => Inside;
  /** Asked before each prompt: false ends the process, and the prompt gets a new one. */
  readonly intact?: NonNullable<Sandbox["intact"]>;
  /** Asked for each session that is opened; undefined: its agent gets no tools of ours. */
  readonly toolsFor?: (
    request: Pick<PromptRequest, "conversation" | "scope">,
  ) => ToolServer | undefined;
  readonly log: Log;
  readonly limits: AgentLimits;
  /** Sessions that an agent died of, or hung over, when it was to load them: not tried again. */
  readonly unloadable: Set<string>;
}

export interface Connected {
  readonly connection: ClientConnection;
  readonly canLoad: boolean;
  readonly canEmbed: boolean;
}

export interface HostSide extends AgentSide {
  /** While the process waits for its place in the sandbox: 1 is next, 0 has one. */
  onPlace(place: SandboxPlace): void;
}

/** How long what a dead agent said last may still be on its way through the pipe. */
const drainMs = 1000;
const killMs = 30_000;
const protocolVersion = 1;

async function orAfter<T>(ms: number, work: Promise<T> | undefined): Promise<T | undefined> {
  const timer = deferred<undefined>();
  const timeout = setTimeout(timer.resolve, ms, undefined);
  const result = await Promise.race([work, timer.promise]);
  clearTimeout(timeout);
  return result;
}

export class Host {
  readonly scope: SandboxScope;
  readonly options: HostOptions;
  /** Rejects with Trouble. */
  readonly ready: Promise<Connected>;
  /** The sentence that says why, once nothing of it runs any more. Never rejects. */
  readonly gone: Promise<string>;
  readonly #sayGone: (why: string) => void;
  readonly #deadlines = new Set<{ at: number; readonly why: string }>();
  readonly #abandoned = new AbortController();
  #process: AgentProcess | undefined;
  #connection: ClientConnection | undefined;
  #initialised = false;
  #why: string | undefined;
  #ending: Promise<void> | undefined;
  #place: SandboxPlace = 0;
  #waitsSince = 0;

  constructor(scope: SandboxScope, options: HostOptions, side: HostSide) {
    this.scope = scope;
    this.options = options;
    const { promise, resolve } = deferred<string>();
    this.gone = promise;
    this.#sayGone = resolve;
    this.ready = this.#start(side);
    this.ready.catch(() => {});
  }

  /** It is dead or being ended: nothing new may be asked of it. */
  get ending(): boolean {
    return this.#ending !== undefined;
  }

  /** Its place in the line for a sandbox; 0: it waits for none. */
  get place(): SandboxPlace {
    return this.#place;
  }

  /** Ends it; the first reason counts. Without one it died by itself. */
  end(why?: string): Promise<void> {
    this.#why ??= why;
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /** Waits for what the agent must do in time; if it does not, the process is ended. */
  async within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
    const why = `The agent did not ${what} within ${inWords(ms)}.`;
    const deadline = { at: performance.now() + ms, why };
    this.#deadlines.add(deadline);
    try {
      return await work;
    } finally {
      this.#deadlines.delete(deadline);
    }
  }

  /** Why a request failed, as a sentence. */
  async explain(error: unknown): Promise<string> {
    if (error instanceof Trouble) return error.message;
    if (this.ending || this.#connection?.signal.aborted === true) return await this.gone;
    return `The agent answered with an error: ${quoted(textOf(error))}`;
  }

  tick(now: number): void {
    // The agent cannot help it, and whoever waits has been told.
    if (this.#place !== 0) return;
    for (const { at, why } of this.#deadlines) if (now > at) void this.end(why);
  }

  #start(side: HostSide): Promise<Connected> {
    const { preset, limits, spawn } = this.options;
    const ended = this.gone.then((why): never => {
      throw new Trouble(why);
    });
    const { program, args, env, files } = preset;
    const command = { program, args, env, ...(files === undefined ? {} : { files }) };
    const waiting = {
      signal: this.#abandoned.signal,
      onPlace: (place: SandboxPlace) => this.#moveTo(place, side),
    };
    const start = Promise.resolve()
      .then(() => spawn(this.scope, command, waiting))
      .then((process) => this.#adopt(process, side))
      .catch(async (error: unknown): Promise<never> => {
        await this.end(this.#startTrouble(error));
        throw new Trouble(await this.gone);
      });
    return this.within(limits.startMs, "get ready", Promise.race([start, ended]));
  }

  #moveTo(place: SandboxPlace, side: HostSide): void {
    if (this.ending) return;
    const now = performance.now();
    if (this.#place === 0) this.#waitsSince = now;
    this.#place = place;
    if (place === 0) for (const deadline of this.#deadlines) deadline.at += now - this.#waitsSince;
    side.onPlace(place);
  }

  async #adopt(process: AgentProcess, side: AgentSide): Promise<Connected> {
    if (this.ending) {
      await process.kill();
      throw new Trouble(await this.gone);
    }
    this.#process = process;
    const { log, limits } = this.options;
    const connection = await connectClient({ process, log, limits, side });
    this.#connection = connection;
    void this.#watch(process, connection);
    const request = {
      protocolVersion,
      // Neither fs nor terminal: what they do would be done outside the sandbox.
      clientCapabilities: { elicitation: { form: {} } },
      clientInfo: { name: "sallyport", version: "0" },
    };
    const answer: unknown = await connection.agent
      .request("initialize", request)
      .catch(async (error: unknown) => {
        throw new Trouble(await this.explain(error));
      });
    return this.#initialisedWith(connection, answer);
  }

  #initialisedWith(connection: ClientConnection, answer: unknown): Connected {
    if (!isFields(answer) || answer.protocolVersion !== protocolVersion) {
      throw new Trouble("The agent does not speak version 1 of the Agent Client Protocol.");
    }
    this.#initialised = true;
    const can = isFields(answer.agentCapabilities) ? answer.agentCapabilities : {};
    const prompts = isFields(can.promptCapabilities) ? can.promptCapabilities : {};
    const canEmbed = prompts.embeddedContext === true;
    return { connection, canLoad: can.loadSession === true, canEmbed };
  }

  #startTrouble(error: unknown): string {
    const { preset, log } = this.options;
    if (error instanceof Trouble || error instanceof SandboxTrouble) {
      const detail = error instanceof SandboxTrouble ? error.detail : undefined;
      const said = { error: error.message, ...(detail === undefined ? {} : { detail }) };
      log.warn({ ...said, agent: preset.name }, "the agent could not be started");
      return error.message;
    }
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return `The agent's program ${quoted(preset.program)} was not found. ${preset.install}`;
    }
    log.error({ error: textOf(error), agent: preset.name }, "the agent could not be started");
    return `The agent could not be started: ${quoted(textOf(error))}`;
  }

  /** A closed stdout and a dead process are the same news: whichever comes first ends the rest. */
  async #watch(process: AgentProcess, connection: ClientConnection): Promise<void> {
    await Promise.race([connection.closed, process.ended]);
    await this.end();
  }

  async #end(): Promise<void> {
    this.#abandoned.abort();
    const process = this.#process;
    if (process !== undefined) {
      const end = await this.#kill(process);
      await orAfter(drainMs, this.#connection?.closed);
      this.#connection?.close();
      this.#why ??= this.#causeOfDeath(end, process.stderrTail());
      const { log } = this.options;
      log.info({ scope: this.scope.key }, "the agent's process ended");
      // Its last words may be somebody's.
      log.debug({ scope: this.scope.key, why: this.#why }, "why the agent's process ended");
    }
    this.#sayGone(this.#why ?? "The agent was ended.");
  }

  /** undefined: it could not be seen dead. Nobody waits for ever for that. */
  async #kill(process: AgentProcess): Promise<ProcessEnd | undefined> {
    const dead = process.kill().then(
      () => process.ended,
      () => undefined,
    );
    const end = await orAfter(killMs, dead);
    if (end === undefined) this.options.log.error({}, "the agent's process could not be ended");
    return end;
  }

  #causeOfDeath(end: ProcessEnd | undefined, stderr: string): string {
    const reason: unknown = this.#connection?.signal.reason;
    if (reason instanceof Trouble) return reason.message;
    if (end === undefined) return "The agent ended, but something it started may still run.";
    return deathSentence(this.#initialised, end, stderr);
  }
}
