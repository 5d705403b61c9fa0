// `doctor`: looks at everything an operator can get wrong, and says what to do.
import { z } from "zod";
import { listAudit } from "../store/audit.ts";
import { type AdminContext, done, operation } from "./context.ts";
import {
  checkClock,
  checkDisk,
  checkModes,
  checkProject,
  checkSettings,
  type Finding,
} from "./doctor-checks.ts";
import type { AgentProbe, OpenListener, Running } from "./running.ts";

export interface Diagnosis {
  readonly healthy: boolean;
  readonly findings: readonly Finding[];
}

export const doctor = operation(
  z.strictObject({ fix: z.boolean().default(false) }),
  async (context, { fix }) => {
    const { place, clock, running } = context;
    const [latest] = await (await context.store()).run(() => listAudit(1));
    const findings = [
      ...checkModes(place, fix),
      ...(await checkSettings(place)),
      ...(await checkProject(place)),
      ...checkClock(clock.now(), latest?.at ?? 0),
      ...(await checkDisk(place)),
      ...(await sandbox(context)),
      ...(running ? await checkRunning(context, running) : [notRunning]),
    ];
    const diagnosis: Diagnosis = {
      healthy: findings.every(({ state }) => state !== "wrong"),
      findings,
    };
    return done(diagnosis);
  },
);

/** Docker's client is loaded only for this. */
async function sandbox(context: AdminContext): Promise<Finding[]> {
  const { checkSandbox } = await import("./doctor-docker.ts");
  return await checkSandbox(context);
}

const notRunning: Finding = {
  check: "gateway",
  state: "risk",
  text: "No gateway runs, so channels and agent were not tried. Start it with: sallyport start",
};

async function checkRunning(context: AdminContext, running: Running): Promise<Finding[]> {
  const now = context.clock.now();
  const listeners = running.listeners().map((one) => checkListener(one, now));
  return [...listeners, ...checkAgent(await running.probeAgent())];
}

const silent = 5 * 60_000;

function checkListener({ id, kind, health }: OpenListener, now: number): Finding {
  const check = `channel ${id}`;
  const since = (at: number | undefined) =>
    at === undefined ? "never" : `${Math.max(0, Math.round((now - at) / 1000))} s ago`;
  const heard = `last contact ${since(health.lastContact)}, last event ${since(health.lastEvent)}`;
  if (health.state === "unauthorised")
    return {
      check,
      state: "wrong",
      text: `its token no longer counts${health.lastError ? ` (${health.lastError})` : ""}. Set a new one with: sallyport secret set ${id}.token`,
    };
  const deaf = health.state !== "connected" || now - (health.lastContact ?? now) > silent;
  if (deaf)
    return {
      check,
      state: "wrong",
      text: `${health.state}: ${health.lastError ?? "no word of why"} (${heard})`,
    };
  return { check, state: "ok", text: `${kind}, connected, ${heard}` };
}

function checkAgent({ agent, starts, asked, problem }: AgentProbe): Finding[] {
  const check = `agent ${agent}`;
  if (!starts)
    return [{ check, state: "wrong", text: `it does not work: ${problem ?? "it did not answer"}` }];
  if (asked)
    return [{ check, state: "ok", text: "it starts, and asks before it changes something" }];
  const why = problem ? ` (${problem})` : "";
  return [
    {
      check,
      state: "wrong",
      text: `It changed something without asking${why}: approvals do not apply to it.`,
    },
  ];
}
