// What leaves the sandboxes: to which hosts, to which model with which key, and the question to an owner for the rest.
import { makers } from "../agent/presets/makers.ts";
import type { Preset } from "../agent/presets.ts";
import type { Config } from "../config/config.ts";
import { readSecret } from "../config/secrets.ts";
import type { Agent, PermissionOption, ToolCall, TurnInlet } from "../core/agent.ts";
import type { EgressReply, EgressRequest, ModelEndpoint, OnEgress } from "../core/egress.ts";
import type { SandboxScope } from "../core/sandbox.ts";
import type { EgressOptions } from "../sandbox/egress/egress.ts";
import type { Meter } from "../turns/usage.ts";
import type { Live } from "./wiring.ts";

export interface WayOut {
  readonly config: Config;
  readonly live: Live;
  readonly preset: Preset;
  readonly meter: () => Meter;
  readonly agent: () => Agent;
  /** Those that the agent's own log-in needs. */
  readonly hostsOf: (scope: SandboxScope) => readonly string[];
  readonly refused: NonNullable<EgressOptions["onRefused"]>;
}

export function egressOf({ config, live, preset, ...way }: WayOut): EgressOptions {
  return {
    log: config.log,
    allow: (scope) => [...live.settings.egress.allow, ...way.hostsOf(scope)],
    model: () => modelOf({ config, live, preset }),
    onEgress: askOwners((key) => way.agent().inlets(key)),
    onUse: (use) => way.meter().note(use),
    overBudget: (scope) => way.meter().overBudget(scope),
    onRefused: way.refused,
  };
}

/** Undefined: this agent uses none, as far as anybody said. */
export function modelOf(
  way: Pick<WayOut, "config" | "live" | "preset">,
): ModelEndpoint | undefined {
  const { config, live, preset } = way;
  const { model } = live.settings;
  const api = apiOf(preset, model.api);
  if (api === undefined) return undefined;
  const maker = makers[api];
  const secret = model.secret ?? maker.secret;
  const url = (model.url ?? maker.url).replace(/\/+$/, "");
  return { api, url, secret, key: readSecret(config.paths, secret) };
}

export function apiOf({ model }: Preset, wished: ModelEndpoint["api"] | undefined) {
  if (model === undefined) return wished;
  return wished !== undefined && model.apis.includes(wished) ? wished : model.api;
}

/** So many questions are put to an owner in one turn, taken back or not; what comes then is refused unasked. */
const questionsMost = 20;
/** And so many about one place: the first may have gone unseen. */
const timesMost = 2;

const options: readonly PermissionOption[] = [
  { id: "allow", name: "Allow for this task", kind: "allow_once" },
  { id: "deny", name: "Deny", kind: "reject_once" },
];

interface Asked {
  questions: number;
  readonly times: Map<string, number>;
  /** Under way, or a yes or no that counts until the turn ends. */
  readonly replies: Map<string, Promise<EgressReply>>;
}

/** One question for each host and turn. */
export function askOwners(inlets: (scopeKey: string) => readonly TurnInlet[]): OnEgress {
  const turns = new WeakMap<TurnInlet, Asked>();
  return async (request, signal) => {
    const turn = inlets(request.scope.key).at(-1);
    // Nothing is at work in there, so nobody is to be bothered.
    if (turn === undefined) return "not-asked";
    const asked = turns.get(turn) ?? { questions: 0, times: new Map(), replies: new Map() };
    turns.set(turn, asked);
    const place = placeOf(request);
    const known = asked.replies.get(place);
    if (known !== undefined) return known;
    const times = asked.times.get(place) ?? 0;
    if (asked.questions >= questionsMost || times >= timesMost) return "not-asked";
    asked.questions += 1;
    asked.times.set(place, times + 1);
    const reply = ask(turn, place, signal);
    asked.replies.set(place, reply);
    // Nobody answered: the next attempt may ask again.
    if ((await reply) === "not-asked") asked.replies.delete(place);
    return reply;
  };
}

function placeOf({ host, port }: EgressRequest): string {
  const shown = host.includes(":") ? `[${host}]` : host;
  return port === 80 || port === 443 ? shown : `${shown}:${port}`;
}

async function ask(turn: TurnInlet, place: string, signal: AbortSignal): Promise<EgressReply> {
  const call: ToolCall = {
    id: `egress ${place}`,
    title: `reach ${place}`,
    kind: "fetch",
    status: "pending",
    locations: [],
    diffs: [],
    url: place,
  };
  const reply = await turn.askOwner(call, options, signal);
  if (reply === "cancelled") return "not-asked";
  return reply.optionId === "allow" ? { until: turn.over } : "denied";
}
