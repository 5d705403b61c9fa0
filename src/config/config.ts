// Everything a gateway is started with: files, environment and the command line, checked.
import type { Log } from "../core/log.ts";
import { bindProblem } from "../core/loopback.ts";
import type { Environment } from "./environment.ts";
import { createLog } from "./log.ts";
import type { Place } from "./paths.ts";
import { type ProjectFile, readProject } from "./project.ts";
import { type SandboxChoice, type SandboxFlags, sandboxName, sandboxOf } from "./sandbox.ts";
import { secretValues } from "./secrets.ts";
import type { Settings } from "./settings.ts";
import { loadSettings } from "./settings-file.ts";

export interface StartFlags extends SandboxFlags {
  readonly agent?: string | undefined;
  readonly command?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly allowOpenBind?: boolean | undefined;
  readonly publicAccess?: "anyone" | undefined;
  readonly allowAnonymousOnHost?: boolean | undefined;
}

/** Where the page is served. */
export interface HttpChoice {
  readonly host: string;
  readonly port: number;
  /** Nobody chose the port: if it is taken, any other will do. */
  readonly anyFreeOtherwise: boolean;
  /** Reachable from other machines without TLS, and the operator said so. */
  readonly allowOpenBind: boolean;
}

export type AgentChoice =
  | { readonly is: "preset"; readonly name: string }
  | { readonly is: "command"; readonly line: string };

export interface Config extends Place {
  readonly settings: Settings;
  readonly project: ProjectFile;
  readonly agent: AgentChoice;
  /** As it was at the start: it counts until the next one. */
  readonly sandbox: SandboxChoice;
  /** Where the page is served with these settings; the flags win. */
  http(settings: Settings): HttpChoice;
  readonly environment: Environment;
  readonly log: Log;
  /** The flags win over the file, also after it has changed. */
  reload(): Promise<ConfigResult<Settings>>;
}

export type ConfigResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

export interface LoadOptions {
  readonly place: Place;
  readonly environment: Environment;
  readonly flags: StartFlags;
  readonly log: {
    readonly pretty: boolean;
    /** Somebody is chatting there: nothing below a warning, unless debugging. */
    readonly quiet?: boolean;
    write(line: string): void;
  };
}

export async function loadConfig(options: LoadOptions): Promise<ConfigResult<Config>> {
  const { place, environment, flags } = options;
  const reload = () => settingsWith(place, flags);
  const settings = await reload();
  if (!settings.ok) return settings;
  const project = await readProject(place);
  const { level } = settings.value.log;
  const secrets = { at: 0, values: [] as string[] };
  const log = createLog({
    ...options.log,
    level: options.log.quiet && level === "info" ? "warn" : level,
    secrets() {
      // Read again now and then: a secret may be set while the gateway runs.
      if (Date.now() - secrets.at > 5000)
        Object.assign(secrets, { at: Date.now(), values: secretValues(place.paths) });
      return secrets.values;
    },
  });
  const agent = agentOf(flags, settings.value, project);
  const sandbox = sandboxOf(flags, settings.value, project.config);
  if (typeof sandbox === "string") return { ok: false, problem: sandbox };
  const config = {
    ...place,
    settings: settings.value,
    project,
    agent,
    sandbox,
    http: (now: Settings) => httpOf(flags, now),
    environment,
    log,
    reload,
  };
  return { ok: true, value: config };
}

const usualPort = 7420;

function httpOf({ host, port, allowOpenBind = false }: StartFlags, { http }: Settings): HttpChoice {
  const chosen = port ?? http.port;
  return {
    host: host ?? http.host,
    port: chosen ?? usualPort,
    anyFreeOtherwise: chosen === undefined,
    allowOpenBind,
  };
}

async function settingsWith(place: Place, flags: StartFlags): Promise<ConfigResult<Settings>> {
  const loaded = await loadSettings(place.paths);
  if (!loaded.ok) return loaded;
  const { publicAccess = loaded.settings.access.public } = flags;
  const access = { ...loaded.settings.access, public: publicAccess };
  const settings = { ...loaded.settings, access };
  const isolated = sandboxName(flags, settings) !== "local";
  if (access.public === "anyone" && !isolated && !flags.allowAnonymousOnHost)
    return {
      ok: false,
      problem:
        "Anyone could make the agent act on this machine: access.public is anyone, and the sandbox `local` isolates nothing. Close it with: sallyport config set access.public nobody. If you really mean it, start with --allow-anonymous-on-host.",
    };
  const unsafe = bindProblem({ ...settings.http, ...httpOf(flags, settings) });
  return unsafe ? { ok: false, problem: unsafe } : { ok: true, value: settings };
}

function agentOf(flags: StartFlags, settings: Settings, project: ProjectFile): AgentChoice {
  if (flags.command !== undefined) return { is: "command", line: flags.command };
  if (flags.agent !== undefined) return { is: "preset", name: flags.agent };
  if (settings.command !== undefined) return { is: "command", line: settings.command };
  return { is: "preset", name: settings.agent ?? project.config.agent ?? "workspace" };
}
