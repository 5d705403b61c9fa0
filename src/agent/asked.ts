// Which calls of a turn were allowed, and whether one runs that its agent should have asked about.
import type { PermissionOption, PermissionReply, ToolCall } from "../core/agent.ts";
import type { Asking } from "./presets/preset.ts";
import { quoted } from "./trouble.ts";

/** The oldest goes first. */
function addWithin(most: number, ids: Set<string>, id: string): void {
  ids.delete(id);
  ids.add(id);
  for (const oldest of ids) {
    if (ids.size <= most) return;
    ids.delete(oldest);
  }
}

export class Asked {
  readonly #asking: Asking;
  readonly #most: number;
  readonly #allowed = new Set<string>();
  readonly #begun = new Set<string>();

  constructor(asking: Asking, most: number) {
    this.#asking = asking;
    this.#most = most;
  }

  /** The answer to a question that no person is needed for. */
  answerOf(call: ToolCall, options: readonly PermissionOption[]): PermissionReply | undefined {
    if (this.#asking.isOwnTool?.(call) !== true) return undefined;
    const once = options.find(({ kind }) => kind === "allow_once");
    return once === undefined ? undefined : { optionId: once.id };
  }

  note(
    call: ToolCall,
    options: readonly PermissionOption[],
    reply: PermissionReply,
  ): PermissionReply {
    const chosen = reply === "cancelled" ? undefined : reply.optionId;
    const allowed = options.some(({ id, kind }) => id === chosen && kind.startsWith("allow_"));
    if (allowed) addWithin(this.#most, this.#allowed, call.id);
    return reply;
  }

  /** A sentence when it runs, or ran, and nobody allowed it. */
  unasked(call: ToolCall): string | undefined {
    if (this.#asking.mustAsk?.(call) !== true || this.#allowed.has(call.id)) return undefined;
    // An agent says "in progress" once before it asks; what it says after that is of the call's own doing.
    const runs = call.status === "in_progress" && this.#begun.has(call.id);
    if (call.status === "in_progress") addWithin(this.#most, this.#begun, call.id);
    if (!runs && call.status !== "completed") return undefined;
    const what = quoted(call.command ?? call.title);
    return `The agent ran "${what}" without asking, so it was ended, and the next message begins a new session: look at what it has changed.`;
  }
}
