// The ACP client: one agent process per sandbox scope, many conversations in it, one prompt at a time in each.
import type { Agent, AgentEvent, PromptRequest } from "../core/agent.ts";
import type { SandboxScope } from "../core/sandbox.ts";
import type { HostOptions } from "./host.ts";
import { type AgentLimits, defaultLimits, tickOf } from "./limits.ts";
import { Sessions } from "./sessions.ts";
import { Turn } from "./turn.ts";

export interface AgentOptions extends Omit<HostOptions, "limits" | "unloadable"> {
  readonly limits?: Partial<AgentLimits>;
}

function createHosts(options: HostOptions) {
  const hosts = new Map<string, Sessions>();
  let timer: NodeJS.Timeout | undefined;

  const tick = () => {
    const now = performance.now();
    for (const sessions of hosts.values()) sessions.tick(now);
  };
  const forget = (key: string) => {
    hosts.delete(key);
    if (hosts.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    find: (key: string) => hosts.get(key),
    all: () => [...hosts.values()],
    /** The running one, or a new one once the last of this scope is seen dead. */
    async of(scope: SandboxScope): Promise<Sessions> {
      let running = hosts.get(scope.key);
      while (running?.host.ending) {
        await running.host.gone;
        running = hosts.get(scope.key);
      }
      if (running !== undefined) return running;
      const sessions = new Sessions(scope, options);
      hosts.set(scope.key, sessions);
      void sessions.host.gone.then(() => forget(scope.key));
      timer ??= setInterval(tick, tickOf(options.limits)).unref();
      return sessions;
    },
  };
}

export function createAgent(given: AgentOptions): Agent {
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

  async function* prompt(request: PromptRequest): AsyncGenerator<AgentEvent, void> {
    const turn = new Turn(options.limits);
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
    end: async (key) =>
      hosts.find(key)?.host.end("The agent was ended, as its sandbox was closed."),
    async stop() {
      stopping = true;
      await Promise.all(hosts.all().map(({ host }) => host.end("The gateway is stopping.")));
    },
  };
}
