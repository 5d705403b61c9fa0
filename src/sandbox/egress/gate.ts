// Decides whether a sandbox may reach a host: by the settings, else by asking once for all who wait; and for how long.
import { isIP } from "node:net";
import type { EgressRequest } from "../../core/egress.ts";
import { isRefused, maybePublic, type Target } from "../../net/tunnel.ts";
import { type AskingOptions, createAsking, type Unanswered, type Visit } from "./asking.ts";
import { isAllowed, shownAs } from "./hosts.ts";

export type HostRefusal = Unanswered | "blocked-address";

export interface GateOptions extends AskingOptions {
  /** Read at each request. */
  readonly allow: () => readonly string[];
  /** How often it is looked whether the settings still allow what they let pass. */
  readonly recheckMs: number;
  readonly onRefused: (request: EgressRequest, why: HostRefusal) => void;
}

export interface Gate {
  /** Undefined: it may pass, until it is cut. */
  refusal(visit: Visit): Promise<HostRefusal | undefined>;
  /** It led to an address that is never reached. */
  blocked(target: Target): void;
}

const words: Readonly<Record<HostRefusal, string>> = {
  "not-allowed": "",
  denied: "An owner was asked and did not allow it. ",
  unanswered: "An owner was asked and has not answered yet. ",
  "blocked-address": "",
};

/** For the agent. */
export function explained(target: Target, why: HostRefusal): string {
  const shown = shownAs(target);
  if (why === "blocked-address")
    return `Sallyport: blocked address: ${shown} is, or leads to, an address that is not public. No sandbox reaches those.`;
  const way =
    isIP(target.host) === 6
      ? "The settings allow hosts by name: ask for it by its name."
      : `The owner can allow it with: sallyport config add egress.allow ${shown}`;
  return `Sallyport: ${shown} is not allowed here. ${words[why]}${way}`;
}

export interface Refusal {
  readonly status: number;
  readonly text: string;
}

/** Without addresses, which are nothing that the agent should learn. */
export function refusalOf(error: unknown, target: Target, gate: Gate): Refusal {
  if (isRefused(error)) {
    gate.blocked(target);
    return { status: 403, text: explained(target, "blocked-address") };
  }
  const code = error instanceof Error && "code" in error ? ` (${error.code})` : "";
  return { status: 502, text: `Sallyport: ${target.host} could not be reached${code}.` };
}

/** What the settings let pass, as long as they do. */
function createWatch({ allow, recheckMs }: Pick<GateOptions, "allow" | "recheckMs">) {
  const visits = new Set<Visit>();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const rules = allow();
    for (const visit of visits) if (!isAllowed(rules, visit.target)) visit.cut();
  };
  return (visit: Visit) => {
    if (visit.gone.aborted) return;
    visits.add(visit);
    timer ??= setInterval(look, recheckMs).unref();
    const leave = () => {
      visits.delete(visit);
      if (visits.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
    visit.gone.addEventListener("abort", leave, { once: true });
  };
}

export function createGate(options: GateOptions): Gate {
  const { scope, allow, onRefused } = options;
  const [asked, watch] = [createAsking(options), createWatch(options)];

  async function decided(visit: Visit): Promise<HostRefusal | undefined> {
    // Nobody is asked for what is refused whatever they say, and no name is looked up before it is allowed.
    if (!maybePublic(visit.target)) return "blocked-address";
    if (isAllowed(allow(), visit.target)) {
      watch(visit);
      return undefined;
    }
    const answer = await asked(visit);
    if (typeof answer === "string") return answer;
    const { until } = answer;
    if (until.aborted) return "not-allowed";
    until.addEventListener("abort", visit.cut, { once: true, signal: visit.gone });
    return undefined;
  }

  const blocked = (target: Target) => onRefused({ scope, ...target }, "blocked-address");
  return {
    async refusal(visit) {
      const why = await decided(visit);
      if (why !== undefined) onRefused({ scope, ...visit.target }, why);
      return why;
    },
    blocked,
  };
}
