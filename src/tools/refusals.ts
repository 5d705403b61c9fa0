// What is refused at the socket leaves an audit row, at most one a minute for each reason and sandbox.
import { ownerOfScope, type SandboxScope } from "../core/sandbox.ts";
import { visibleLine } from "../core/visible.ts";
import { addAudit } from "../store/audit.ts";
import { hintedAt, saveHint } from "../store/hints.ts";
import { findPairingById } from "../store/pairings.ts";
import type { Op } from "../store/query.ts";
import type { ToolPorts } from "./ports.ts";

export type Refusal =
  | "callers without a pairing have no tools"
  | "too many connections"
  | "too many calls at once"
  | "no secret came"
  | "unknown secret"
  | "secret of another sandbox"
  | "its session was replaced"
  | "no turn of its conversation runs"
  | "no such tool";

export type Refuse = (scope: SandboxScope, why: Refusal, target?: string) => void;

const minute = 60_000;

interface Refused {
  readonly scope: SandboxScope;
  readonly why: Refusal;
  readonly target: string;
  readonly at: number;
}

function* note({ scope, why, target, at }: Refused): Op<void> {
  const seldom = `tools ${scope.key} ${why}`;
  const last = yield* hintedAt(seldom);
  if (last !== undefined && Math.abs(at - last) < minute) return;
  yield* saveHint(seldom, at);
  const { pairing } = scope;
  const name = pairing === null ? undefined : (yield* findPairingById(pairing))?.name;
  yield* addAudit({
    at,
    who: ownerOfScope(scope),
    name: name ?? "",
    place: `sandbox ${scope.key}`,
    action: "tools",
    target: visibleLine(target.slice(0, 200)),
    outcome: "refused",
    why,
  });
}

/** Nobody waits for the row: who is refused learns nothing from how long it takes. */
export function createRefuse({ store, clock, log }: ToolPorts): Refuse {
  return (scope, why, target = "") => {
    const refused = { scope, why, target, at: clock.now() };
    store
      .run(() => note(refused))
      .catch((error: unknown) => log.error({ error, why }, "A refusal could not be noted"));
  };
}
