// A turn that a budget ends: stopped like by its person, once, and told why.
import { audit } from "../access/audit.ts";
import type { OverTokens } from "../access/model-budget.ts";
import type { Work } from "./claim.ts";
import type { TurnPorts } from "./ports.ts";
import { stopOne } from "./stop.ts";

export async function cutOff(
  ports: TurnPorts,
  { turn, caller, conversation }: Work,
  { over, stop }: { readonly over: OverTokens; readonly stop: AbortController },
): Promise<void> {
  const { listener, chat } = conversation.address;
  const place = `${listener} ${chat}`;
  const at = ports.clock.now();
  const name = caller.pairing === null ? "" : caller.name;
  const row = { at, who: caller.id, name, place, action: "model", target: turn.task };
  try {
    const { expired } = await ports.store.run(function* () {
      yield* audit({ ...row, outcome: "refused", why: over.why });
      return yield* stopOne(ports.approvals, turn.id);
    });
    for (const one of expired) ports.approvals.afterExpiry(one);
  } catch (error) {
    ports.log.error({ turn: turn.id, error }, "A turn over its budget could not be marked");
  }
  stop.abort();
}
