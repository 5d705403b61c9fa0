// `doctor`: looks at everything an operator can get wrong, and says what to do.
import { z } from "zod";
import { secretNames } from "../config/secrets.ts";
import { loadSettings } from "../config/settings-file.ts";
import { listAudit } from "../store/audit.ts";
import { signInAnew } from "./channel-secrets.ts";
import { named } from "./channel-words.ts";
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
  const { paths } = context.place;
  const loaded = await loadSettings(paths);
  const channels = loaded.ok ? loaded.settings.channels : {};
  const set = secretNames(paths);
  const listeners = running
    .listeners()
    .map((one) => checkListener(one, now, () => signInAnew({ ...channels[one.id], ...one }, set)));
  return [...listeners, ...checkAgent(await running.probeAgent())];
}

const silent = 5 * 60_000;

function checkListener(
  { id, kind, health }: OpenListener,
  now: number,
  advice: () => string,
): Finding {
  const check = `channel ${id}`;
  const since = (at: number | undefined) =>
    at === undefined ? "never" : `${Math.max(0, Math.round((now - at) / 1000))} s ago`;
  const heard = `last contact ${since(health.lastContact)}, last event ${since(health.lastEvent)}`;
  const why = health.lastError === undefined ? undefined : sentence(named(id, health.lastError));
  if (health.state === "unauthorised")
    return {
      check,
      state: "wrong",
      text: `it is not let in any more: ${why ?? "what it signs in with no longer counts."}${why?.includes("sallyport secret set") ? "" : ` ${advice()}`}`,
    };
  const deaf = health.state !== "connected" || now - (health.lastContact ?? now) > silent;
  if (deaf)
    return {
      check,
      state: "wrong",
      text: `${health.state}: ${why ?? "no word of why"} (${heard})`,
    };
  if (why !== undefined)
    return {
      check,
      state: "risk",
      text: `connected, but: ${why} (${heard})`,
    };
  return { check, state: "ok", text: `${kind}, connected, ${heard}` };
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
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
