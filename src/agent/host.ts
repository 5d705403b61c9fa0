// One agent process: started, initialised, watched, ended.

import type { ClientConnection } from "@agentclientprotocol/sdk";
import type { Log } from "../core/log.ts";
import type { AgentCommand, AgentProcess, ProcessEnd, SandboxScope } from "../core/sandbox.ts";
import { type AgentSide, connectClient } from "./connect.ts";
import { deferred } from "./deferred.ts";
import { type AgentLimits, inWords } from "./limits.ts";
import type { Preset } from "./presets.ts";
import type { Inside } from "./prompt-blocks.ts";
import { isFields } from "./tool-call.ts";
import { deathSentence, quoted, Trouble, textOf } from "./trouble.ts";

export interface HostOptions {
  readonly preset: Preset;
  readonly spawn: (scope: SandboxScope, command: AgentCommand) => Promise<AgentProcess>;
  readonly inside: (scope: SandboxScope) => Inside;
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
  readonly #deadlines = new Set<{ readonly at: number; readonly why: string }>();
  #process: AgentProcess | undefined;
  #connection: ClientConnection | undefined;
  #initialised = false;
  #why: string | undefined;
  #ending: Promise<void> | undefined;

  constructor(scope: SandboxScope, options: HostOptions, side: AgentSide) {
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
    for (const { at, why } of this.#deadlines) if (now > at) void this.end(why);
  }

  #start(side: AgentSide): Promise<Connected> {
    const { preset, limits, spawn } = this.options;
    const ended = this.gone.then((why): never => {
      throw new Trouble(why);
    });
    const { program, args, env } = preset;
    const start = Promise.resolve()
      .then(() => spawn(this.scope, { program, args, env }))
      .then((process) => this.#adopt(process, side))
      .catch(async (error: unknown): Promise<never> => {
        await this.end(this.#startTrouble(error));
        throw new Trouble(await this.gone);
      });
    return this.within(limits.startMs, "get ready", Promise.race([start, ended]));
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
    if (error instanceof Trouble) return error.message;
    const { preset, log } = this.options;
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
    const process = this.#process;
    if (process !== undefined) {
      const end = await this.#kill(process);
      await orAfter(drainMs, this.#connection?.closed);
      this.#connection?.close();
      this.#why ??= this.#causeOfDeath(end, process.stderrTail());
      this.options.log.info({ scope: this.scope.key, why: this.#why }, "the agent's process ended");
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
