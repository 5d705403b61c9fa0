// What the operator can do to this gateway while it runs.
import type { Running } from "../admin/running.ts";
import type { Listeners, Open } from "../bus/listeners.ts";
import { createOperate } from "../turns/operate.ts";
import { openChannel } from "./channels.ts";
import type { Page } from "./page.ts";
import type { Wiring } from "./wiring.ts";

export function createRunning(wiring: Wiring, page: Page): Running {
  const { config, live, preset, agent, spine } = wiring;
  const operate = createOperate(spine.ports, spine.receiver);
  const running: Running = {
    agent,
    sandbox: config.sandbox.is,
    pageUrl: () => live.pageUrl,
    async stopCaller(pairing) {
      page.endSessions(pairing);
      await operate.endCaller(pairing);
    },
    stopAccounts: operate.endAccounts,
    cancelTask: operate.cancelTask,
    decide: operate.decide,
    decideAs: operate.decideAs,
    stopTask: operate.stopTask,
    async openChannel(id) {
      const settings = await config.reload();
      if (!settings.ok) return { done: false, problem: settings.problem };
      live.settings = settings.value;
      const one = await openChannel(wiring, id);
      if (typeof one === "string") return { done: false, problem: one };
      await spine.listeners.remove(id);
      return await openAndLook(spine.listeners, one);
    },
    closeChannel: (id) => spine.listeners.remove(id),
    listeners: () =>
      spine.listeners.all().map(({ channel, listener }) => ({
        id: listener.id,
        kind: channel.name,
        health: listener.health(),
      })),
    joinLink: (id, code) => spine.listeners.get(id)?.listener.joinLink?.(code),
    async reload() {
      const before = live.settings;
      const settings = await config.reload();
      if (!settings.ok) return { done: false, problem: settings.problem };
      live.settings = settings.value;
      const problem = await page.apply(running);
      if (problem) {
        live.settings = before;
        return { done: false, problem };
      }
      spine.ports.lanes.setConcurrency(settings.value.turns.concurrent);
      return { done: true };
    },
    async probeAgent() {
      const { probeAgent } = await import("../agent/probe.ts");
      const { started, asked, error } = await probeAgent({ agent, prompt: preset.probe });
      if (asked) spine.ports.agentAsked();
      return { agent: agent.name, starts: started, asked, ...(error ? { problem: error } : {}) };
    },
  };
  return running;
}

/** A token that the platform refuses at once is said at once. */
async function openAndLook(listeners: Listeners, one: Open) {
  listeners.add(one);
  await listeners.start(one.listener.id);
  const { state, lastError } = one.listener.health();
  return state === "unauthorised"
    ? ({ done: false, problem: lastError ?? "its token is refused" } as const)
    : ({ done: true } as const);
}
