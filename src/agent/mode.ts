// Which mode an ACP session is in and how it is changed: by `modes`, or by a config option of category "mode".
import type { ClientConnection } from "@agentclientprotocol/sdk";
import { isFields } from "./tool-call.ts";
import { quoted, Trouble, textOf } from "./trouble.ts";

export interface ModeView {
  readonly current: string;
  readonly offered: readonly string[];
  /** The config option that holds the mode; absent: session/set_mode. */
  readonly option?: string;
}

function texts(values: readonly unknown[], key: string): readonly string[] {
  return values.flatMap((v) => {
    const text = isFields(v) ? v[key] : undefined;
    return typeof text === "string" ? [text] : [];
  });
}

function fromModes(modes: unknown): ModeView | null {
  if (!isFields(modes) || typeof modes.currentModeId !== "string") return null;
  const offered = Array.isArray(modes.availableModes) ? texts(modes.availableModes, "id") : [];
  return { current: modes.currentModeId, offered };
}

function fromOptions(options: unknown): ModeView | null {
  if (!Array.isArray(options)) return null;
  const option = options
    .filter(isFields)
    .find((o) => o.type === "select" && (o.category === "mode" || o.id === "mode"));
  if (option === undefined || typeof option.id !== "string") return null;
  if (typeof option.currentValue !== "string" || !Array.isArray(option.options)) return null;
  // Choices may come in groups.
  const choices = option.options.flatMap((o) =>
    isFields(o) && Array.isArray(o.options) ? o.options : [o],
  );
  return { current: option.currentValue, offered: texts(choices, "value"), option: option.id };
}

/** From the answer to session/new or session/load; null: the agent has no modes. */
export function modeOf(response: unknown): ModeView | null {
  if (!isFields(response)) return null;
  return fromModes(response.modes) ?? fromOptions(response.configOptions);
}

/** The mode an update says the agent is in now, if it says so. */
export function modeInUpdate(update: unknown): string | null {
  if (!isFields(update)) return null;
  if (update.sessionUpdate === "current_mode_update") {
    return typeof update.currentModeId === "string" ? update.currentModeId : null;
  }
  if (update.sessionUpdate !== "config_option_update") return null;
  return fromOptions(update.configOptions)?.current ?? null;
}

interface Pin {
  readonly connection: ClientConnection;
  readonly sessionId: string;
  readonly view: ModeView | null;
  readonly wanted: string | null;
}

/** Rejects with Trouble when the agent cannot be brought to ask. */
export async function pinMode({ connection, sessionId, view, wanted }: Pin): Promise<void> {
  if (view === null || wanted === null) return;
  if (!view.offered.includes(wanted)) {
    const offered = quoted(view.offered.join(", "));
    throw new Trouble(`The agent has no mode "${wanted}" in which it asks; it offers: ${offered}.`);
  }
  try {
    if (view.option === undefined) {
      await connection.agent.request("session/set_mode", { sessionId, modeId: wanted });
    } else {
      const change = { sessionId, configId: view.option, value: wanted };
      await connection.agent.request("session/set_config_option", change);
    }
  } catch (error) {
    if (connection.signal.aborted) throw error;
    throw new Trouble(`The agent refused the mode in which it asks: ${quoted(textOf(error))}`);
  }
}
