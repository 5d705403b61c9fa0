// What stands beside each container: its way out, the agent's tools, its secrets, and the limit of its home.

import { auditSeldom } from "../access/audit.ts";
import type { Preset } from "../agent/presets.ts";
import type { Config } from "../config/config.ts";
import { readSecret } from "../config/secrets.ts";
import type { Agent } from "../core/agent.ts";
import { systemClock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import {
  isOfStrangers,
  ownerOfScope,
  type Sandbox,
  type SandboxScope,
  SandboxTrouble,
} from "../core/sandbox.ts";
import { createSeldom } from "../core/seldom.ts";
import type { Companion } from "../sandbox/docker/options.ts";
import type { Homes } from "../sandbox/homes.ts";
import type { Store } from "../store/store.ts";
import type { Tools } from "../tools/tools.ts";
import type { Meter } from "../turns/usage.ts";
import { egressOf, type WayOut } from "./egress.ts";
import type { Live } from "./wiring.ts";

export interface Beside {
  readonly companion?: (scope: SandboxScope) => Promise<Companion>;
  readonly toolsFor?: Tools["toolsFor"];
  /** When nothing runs any more. */
  close?(): Promise<void>;
}

export interface BesideParts {
  readonly config: Config;
  readonly live: Live;
  readonly preset: Preset;
  readonly store: Store;
  readonly meter: () => Meter;
  readonly agent: () => Agent;
  readonly sandbox: () => Sandbox | undefined;
  readonly hostsOf: (scope: SandboxScope) => readonly string[];
}

/** The sandbox `local` has the machine itself. */
export async function openBeside(parts: BesideParts): Promise<Beside> {
  const { config } = parts;
  if (config.sandbox.is === "local") return {};
  const [{ createCompanion, programInside }, { createEgress }, { createHomes }, inside] =
    await Promise.all([
      import("../sandbox/companion.ts"),
      import("../sandbox/egress/egress.ts"),
      import("../sandbox/homes.ts"),
      import("../sandbox/inside/ports.ts"),
    ]);
  const { paths, log } = config;
  const bridge = {
    // An absolute path, wherever the image has its Node.
    program: "/usr/bin/env",
    args: ["node", programInside("bridge")],
    socket: `${inside.gatewayFolder}/${inside.toolsSocket}`,
  };
  const tools = await createToolsOf(parts, bridge);
  const egress = createEgress(egressOf({ ...parts, refused: noteRefusal(parts.store, log) }));
  const companion = await createCompanion({
    stateDir: paths.dir,
    runtimeDir: paths.runtimeDir,
    log,
    egress,
    serveTools: tools.serve,
  });
  const homes = createHomes({
    homes: paths.homes,
    maxMB: () => parts.live.settings.homes.maxMB,
    log,
  });
  return {
    toolsFor: tools.toolsFor,
    companion: (scope) => open({ ...parts, scope, companion, homes }),
    close: egress.close,
  };
}

async function createToolsOf(
  { config, store, agent, sandbox }: BesideParts,
  bridge: { program: string; args: readonly string[]; socket: string },
): Promise<Tools> {
  const { createTools } = await import("../tools/tools.ts");
  return createTools({
    store,
    clock: systemClock,
    log: config.log,
    inletFor: (key, conversation) =>
      agent()
        .inlets(key)
        .find((one) => one.conversation === conversation),
    readFile: async (key, path, most) =>
      (await sandbox()?.readFile?.(key, path, most)) ?? "Files cannot be read from this sandbox.",
    socketInside: () => bridge,
  });
}

interface Opening extends BesideParts {
  readonly scope: SandboxScope;
  readonly companion: (scope: SandboxScope) => Promise<Companion>;
  readonly homes: Homes;
}

/** A home that is too large keeps an agent from starting, and ends the one that made it so. */
async function open({ scope, companion, homes, ...parts }: Opening): Promise<Companion> {
  const checked = await homes.check(scope.home);
  if (!checked.ok) throw new SandboxTrouble(checked.problem);
  const made = await companion(scope);
  const leave = homes.watch(scope.home, (problem) => {
    parts.config.log.warn({ scope: scope.key, problem }, "A home is too large");
    void parts.agent().end(scope.key, problem);
  });
  return {
    ...made,
    env: { ...secretsOf(parts, scope), ...made.env },
    async close() {
      leave();
      await made.close();
    },
  };
}

/** People we do not know get none. */
function secretsOf({ config }: BesideParts, scope: SandboxScope): Record<string, string> {
  const { sandbox, paths, log } = config;
  if (sandbox.is !== "docker" || isOfStrangers(scope)) return {};
  const found = sandbox.secrets.map((name) => [name, readSecret(paths, name)] as const);
  for (const [name, value] of found)
    if (value === undefined)
      log.warn({ name }, "A secret for the sandbox is not set: sallyport secret set NAME");
  return Object.fromEntries(found.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/** So many different ones of a sandbox in a minute. */
const refusalsNoted = 20;

/** Not each time: an agent may try the same thing in a loop, or as many things as it can think of. */
export function noteRefusal(store: Store, log: Log): WayOut["refused"] {
  const seldom = createSeldom({ most: refusalsNoted });
  return ({ scope, host, port }, why, action) => {
    if (!seldom(scope.key, `${action} ${why} ${host}`)) return;
    const who = ownerOfScope(scope);
    const row = { at: systemClock.now(), who, name: "", place: `sandbox ${scope.key}` };
    const what = { action, target: `${host}:${port}`, outcome: "refused", why };
    store
      .runSoon(() => auditSeldom({ ...row, ...what }))
      .catch((error) => log.error({ error }, "Could not note a refusal"));
  };
}
