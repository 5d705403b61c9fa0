// The sandbox that is one: each agent is the main process of a container of its own, with nothing in it but its folders.
import type { AgentCommand, AgentProcess, SandboxScope, SpawnOptions } from "../../core/sandbox.ts";
import { createFleet, type Running } from "./fleet.ts";
import { inside } from "./ground.ts";
import type { DockerSandbox, DockerSandboxOptions } from "./options.ts";
import { readFileInside } from "./read-file.ts";
import { createSlots, type Slots } from "./slots.ts";

const defaultContainers = 4;

type Waiting = SpawnOptions &
  Pick<DockerSandboxOptions, "makeRoom"> & { readonly stopping: AbortSignal };

async function waitForSlot(slots: Slots, { signal, stopping, onPlace, makeRoom }: Waiting) {
  const signals = [stopping, ...(signal === undefined ? [] : [signal])];
  let waited = false;
  const free = await slots.take(AbortSignal.any(signals), (place) => {
    onPlace?.(place);
    if (!waited) makeRoom?.();
    waited = true;
  });
  if (waited) onPlace?.(0);
  return free;
}

export function createDockerSandbox(options: DockerSandboxOptions): DockerSandbox {
  const fleet = createFleet(options);
  const slots = createSlots(options.containers ?? defaultContainers);
  const live = new Set<Running>();
  const starting = new Set<Promise<unknown>>();
  const stopping = new AbortController();

  async function start(
    scope: SandboxScope,
    command: AgentCommand,
    more: SpawnOptions,
  ): Promise<AgentProcess> {
    const free = await waitForSlot(slots, { ...options, ...more, stopping: stopping.signal });
    try {
      const running = await fleet.launch(scope, command, more.onPlace);
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
    async intact(scopeKey) {
      const own = [...live].filter(({ scope }) => scope.key === scopeKey);
      const held = await Promise.all(own.map(({ ground }) => ground.masks.hold()));
      return !held.includes(false);
    },
    readFile: (scopeKey, path, mostBytes) =>
      readFileInside({ ...options, scopeKey, path, mostBytes }),
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
