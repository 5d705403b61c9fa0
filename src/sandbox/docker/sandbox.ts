// The sandbox that is one: each agent is the main process of a container of its own, with nothing in it but its folders.
import type { AgentCommand, AgentProcess, SandboxScope } from "../../core/sandbox.ts";
import { createFleet, type Running } from "./fleet.ts";
import { inside } from "./ground.ts";
import type { DockerSandbox, DockerSandboxOptions, SpawnOptions } from "./options.ts";
import { createSlots } from "./slots.ts";

const defaultContainers = 4;

export function createDockerSandbox(options: DockerSandboxOptions): DockerSandbox {
  const fleet = createFleet(options);
  const slots = createSlots(options.containers ?? defaultContainers);
  const live = new Set<Running>();
  const starting = new Set<Promise<unknown>>();
  const stopping = new AbortController();

  const slotFor = ({ signal, onPlace }: SpawnOptions) => {
    const signals = [stopping.signal, ...(signal === undefined ? [] : [signal])];
    let isFirst = true;
    return slots.take(AbortSignal.any(signals), (place) => {
      if (isFirst) options.makeRoom?.();
      isFirst = false;
      onPlace?.(place);
    });
  };

  async function start(
    scope: SandboxScope,
    command: AgentCommand,
    more: SpawnOptions,
  ): Promise<AgentProcess> {
    const free = await slotFor(more);
    try {
      const running = await fleet.launch(scope, command);
      live.add(running);
      void running.gone.finally(() => {
        live.delete(running);
        free();
      });
      return running.agent;
    } catch (error) {
      free();
      throw error;
    }
  }

  return {
    name: "docker",
    isolates: true,
    spawn(scope, command, more = {}) {
      const started = start(scope, command, more);
      starting.add(started);
      return started.finally(() => starting.delete(started));
    },
    inside: () => inside,
    async masksHold(scopeKey) {
      const own = [...live].filter(({ scope }) => scope.key === scopeKey);
      const held = await Promise.all(own.map(({ ground }) => ground.masks.hold()));
      return !held.includes(false);
    },
    sweep: fleet.sweep,
    async stop() {
      stopping.abort(new Error("The gateway is stopping."));
      await Promise.allSettled(starting);
      const ends = [...live].map(({ agent, gone }) => Promise.allSettled([agent.kill(), gone]));
      await Promise.all(ends);
      await fleet.sweep();
    },
  };
}
