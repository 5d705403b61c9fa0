// Everything a gateway is started with: files, environment and the command line, checked.
import type { Log } from "../core/log.ts";
import { bindProblem } from "../core/loopback.ts";
import type { Environment } from "./environment.ts";
import { createLog } from "./log.ts";
import type { Place } from "./paths.ts";
import { type ProjectFile, readProject } from "./project.ts";
import { secretValues } from "./secrets.ts";
import type { Settings } from "./settings.ts";
import { loadSettings } from "./settings-file.ts";

export interface StartFlags {
  readonly agent?: string | undefined;
  readonly command?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly publicAccess?: "anyone" | undefined;
  readonly allowAnonymousOnHost?: boolean | undefined;
}

export type AgentChoice =
  | { readonly is: "preset"; readonly name: string }
  | { readonly is: "command"; readonly line: string };

export interface Config extends Place {
  readonly settings: Settings;
  readonly project: ProjectFile;
  readonly agent: AgentChoice;
  /** A TCP listener, only when it was asked for. */
  readonly listen: { readonly host: string; readonly port: number } | undefined;
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
  const unsafe = flags.host === undefined ? undefined : bindProblem(flags.host);
  if (unsafe) return { ok: false, problem: unsafe };
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
  const listen =
    flags.host === undefined && flags.port === undefined
      ? undefined
      : { host: flags.host ?? "127.0.0.1", port: flags.port ?? 0 };
  const agent = agentOf(flags, settings.value, project);
  const config = {
    ...place,
    settings: settings.value,
    project,
    agent,
    listen,
    environment,
    log,
    reload,
  };
  return { ok: true, value: config };
}

async function settingsWith(place: Place, flags: StartFlags): Promise<ConfigResult<Settings>> {
  const loaded = await loadSettings(place.paths);
  if (!loaded.ok) return loaded;
  const access = flags.publicAccess ? { public: flags.publicAccess } : loaded.settings.access;
  const settings = { ...loaded.settings, access };
  if (access.public === "anyone" && settings.sandbox === "local" && !flags.allowAnonymousOnHost)
    return {
      ok: false,
      problem:
        "Anyone could make the agent act on this machine: access.public is anyone, and the sandbox `local` isolates nothing. Close it with: sallyport config set access.public nobody. If you really mean it, start with --allow-anonymous-on-host.",
    };
  return { ok: true, value: settings };
}

function agentOf(flags: StartFlags, settings: Settings, project: ProjectFile): AgentChoice {
  if (flags.command !== undefined) return { is: "command", line: flags.command };
  if (flags.agent !== undefined) return { is: "preset", name: flags.agent };
  if (settings.command !== undefined) return { is: "command", line: settings.command };
  return { is: "preset", name: settings.agent ?? project.config.agent ?? "workspace" };
}
