// What the operator can do to this gateway while it runs.
import type { Running } from "../admin/running.ts";
import type { Listeners, Open } from "../bus/listeners.ts";
import { systemClock } from "../core/clock.ts";
import { createOperate } from "../turns/operate.ts";
import { openChannel } from "./channels.ts";
import type { Page } from "./page.ts";
import { endNow } from "./uncovered.ts";
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
      const problem = await takeSettings(wiring);
      if (problem !== undefined) return { done: false, problem };
      await endUncovered(wiring, running);
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
      const wrong = await takeSettings(wiring);
      if (wrong !== undefined) return { done: false, problem: wrong };
      const problem = await page.apply(running);
      if (problem) {
        live.settings = before;
        return { done: false, problem };
      }
      spine.ports.lanes.setConcurrency(live.settings.turns.concurrent);
      await endUncovered(wiring, running);
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

/** As the file says now; undefined when they count, else what is wrong. */
async function takeSettings({ config, live }: Wiring): Promise<string | undefined> {
  const settings = await config.reload();
  if (!settings.ok) return settings.problem;
  live.settings = settings.value;
  return undefined;
}

/** Whoever is let in by their mail loses their place with the entry. */
async function endUncovered({ live, store }: Wiring, running: Running): Promise<void> {
  const entries = live.settings.access.allowEmail;
  await endNow({ store, clock: systemClock, entries }, running);
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
