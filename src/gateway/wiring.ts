// What the parts of a gateway share while it runs.
import type { Preset } from "../agent/presets.ts";
import type { Config } from "../config/config.ts";
import type { Settings } from "../config/settings.ts";
import type { Agent } from "../core/agent.ts";
import type { Store } from "../store/store.ts";
import type { Spine } from "../turns/spine.ts";

/** Changes when the settings file does. */
export interface Live {
  settings: Settings;
  /** Of this machine, once the page is served. */
  pageUrl?: string;
}

/** What a link that leaves this machine begins with: only a public URL leads back here. */
export function publicUrl({ settings }: Live): string | undefined {
  return settings.http.publicUrl?.replace(/\/+$/, "");
}

export interface Wiring {
  readonly config: Config;
  readonly live: Live;
  readonly preset: Preset;
  readonly agent: Agent;
  readonly store: Store;
  readonly spine: Spine;
}
