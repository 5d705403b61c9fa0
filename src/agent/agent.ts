// The ACP client: one agent process per sandbox scope, many conversations in it, one prompt at a time in each.
import type { Agent, AgentEvent, PromptRequest } from "../core/agent.ts";
import type { SandboxScope } from "../core/sandbox.ts";
import type { HostOptions } from "./host.ts";
import { type AgentLimits, defaultLimits, tickOf } from "./limits.ts";
import { Sessions } from "./sessions.ts";
import { quoted, textOf } from "./trouble.ts";
import { Turn } from "./turn.ts";

export interface AgentOptions extends Omit<HostOptions, "limits" | "unloadable"> {
  readonly limits?: Partial<AgentLimits>;
}

function createHosts(options: HostOptions) {
  const hosts = new Map<string, Sessions>();
  let timer: NodeJS.Timeout | undefined;

  const endIdle = () => {
    const idle = [...hosts.values()].filter(({ idleSince }) => idleSince !== undefined);
    const [longest] = idle.sort((a, b) => (a.idleSince ?? 0) - (b.idleSince ?? 0));
    void longest?.host.end("The agent made room for another one.");
  };
  const tick = () => {
    const now = performance.now();
    const all = [...hosts.values()];
    for (const sessions of all) sessions.tick(now);
    // Whoever has become idle since somebody began to wait.
    if (
      all.some(({ host }) => typeof host.place === "number" && host.place > 0) &&
      !all.some(({ host }) => host.ending)
    )
      endIdle();
  };
  const forget = (key: string) => {
    hosts.delete(key);
    if (hosts.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  const begin = (scope: SandboxScope) => {
    const sessions = new Sessions(scope, options);
    hosts.set(scope.key, sessions);
    void sessions.host.gone.then(() => forget(scope.key));
    timer ??= setInterval(tick, tickOf(options.limits)).unref();
    return sessions;
  };

  return {
    find: (key: string) => hosts.get(key),
    all: () => [...hosts.values()],
    endIdle,
    /** The running one while its sandbox is whole, or a new one once the last of this scope is seen dead. */
    async of(scope: SandboxScope): Promise<Sessions> {
      for (;;) {
        const running = hosts.get(scope.key);
        if (running === undefined) return begin(scope);
        if (running.host.ending) await running.host.gone;
        else if (!(await isIntact(options, scope.key)))
          await running.host.end("The sandbox was opened from outside; a new one was started.");
        else if (!running.host.ending) return running;
      }
    },
  };
}

/** What cannot be told is not relied on. */
async function isIntact({ intact, log }: HostOptions, key: string): Promise<boolean> {
  try {
    return (await intact?.(key)) ?? true;
  } catch (error) {
    log.error({ error: textOf(error), scope: key }, "a sandbox could not be looked at");
    return false;
  }
}

export interface RunningAgent extends Agent {
  /** Makes room: ends the process that nobody has used for longest, if there is one. */
  endIdle(): void;
}

export function createAgent(given: AgentOptions): RunningAgent {
  const limits = { ...defaultLimits, ...given.limits };
  const options: HostOptions = { ...given, limits, unloadable: new Set() };
  const hosts = createHosts(options);
  let stopping = false;

  async function run(turn: Turn, request: PromptRequest): Promise<void> {
    const sessions = await hosts.of(request.scope);
    // Whoever waited for a dying agent may have gone meanwhile.
    if (stopping) turn.fail("The gateway is stopping.");
    else if (!turn.ended) await sessions.run(turn, request);
  }

  /** What lets it go unasked may be in that session: nothing of it is run again. */
  function giveUp(key: string, session: string, why: string): void {
    if (options.unloadable.size < limits.sessions) options.unloadable.add(session);
    options.log.warn({ scope: key, session: quoted(session) }, "the agent did not ask");
    void hosts.find(key)?.host.end(why);
  }

  async function* prompt(request: PromptRequest): AsyncGenerator<AgentEvent, void> {
    const turn = new Turn({
      limits: options.limits,
      asking: options.preset,
      onUnasked: (session, why) => giveUp(request.scope.key, session, why),
    });
    const cancel = () => turn.cancel();
    request.signal.addEventListener("abort", cancel);
    try {
      if (request.signal.aborted) turn.cancel();
      else if (stopping) turn.fail("The gateway is stopping.");
      else void run(turn, request);
      yield* turn.feed;
    } finally {
      request.signal.removeEventListener("abort", cancel);
      // A reader who left early wants no more of it.
      turn.cancel();
    }
  }

  return {
    name: options.preset.name,
    asks: options.preset.asks,
    prompt,
    inlets: (key) => hosts.find(key)?.inlets() ?? [],
    endIdle: hosts.endIdle,
    end: async (key, why = "The agent was ended, as its sandbox was closed.") =>
      hosts.find(key)?.host.end(why),
    async stop() {
      stopping = true;
      await Promise.all(hosts.all().map(({ host }) => host.end("The gateway is stopping.")));
    },
  };
}
