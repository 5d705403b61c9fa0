// A meter on a real store, a clock that a test moves, and turns that come and go.
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { OverTokens, TokenLimits } from "../../src/access/model-budget.ts";
import type { ModelUse } from "../../src/core/egress.ts";
import type { SandboxScope } from "../../src/core/sandbox.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { type AtWork, createMeter, type Meter } from "../../src/turns/usage.ts";
import { memoryLog, temporaryFolder } from "./agent-rig.ts";

export const noon = Date.parse("2026-03-01T12:00:00Z");

export function scopeFor(pairing: string | null): SandboxScope {
  const key = pairing === null ? "anonymous" : `p-${pairing}`;
  return { key, pairing, workspace: "/w", workspaceMode: "rw", home: `/h/${key}` };
}

export function used(pairing: string | null, tokens: number): ModelUse {
  const scope = scopeFor(pairing);
  const tokensUsed = { inputTokens: tokens, outputTokens: 0 };
  return { scope, bytesIn: 400, bytesOut: 640, ...tokensUsed, complete: true };
}

export interface UsageRig {
  meter: Meter;
  store: Store;
  readonly clock: { at: number; now(): number };
  readonly limits: { -readonly [name in keyof TokenLimits]: number };
  readonly log: ReturnType<typeof memoryLog>;
  /** How often something was written. */
  writes: number;
  /** The next writes fail. */
  failing: boolean;
  readonly cuts: { readonly task: string; readonly over: OverTokens }[];
  enter(pairing: string | null, task: string, again?: boolean): Promise<AtWork>;
  /** The store closed and opened again, with a meter that has seen nothing. */
  restart(): Promise<void>;
}

export async function usageRig(t: TestContext): Promise<UsageRig> {
  const path = join(temporaryFolder(t), "server.db");
  const clock = { at: noon, now: () => clock.at };
  const limits = { task: 0, caller: 0, unpaired: 0 };
  const log = memoryLog();
  const open = async () => {
    const store = openSqlite(path);
    const counted: Store = {
      ...store,
      runSoon(op) {
        rig.writes += 1;
        return rig.failing ? Promise.reject(new Error("the disk is full")) : store.runSoon(op);
      },
    };
    const meter = createMeter({ store: counted, clock, log, settings: () => ({ tokens: limits }) });
    await meter.prime();
    return { store, meter };
  };
  const rig: UsageRig = {
    ...({} as Pick<UsageRig, "meter" | "store">),
    clock,
    limits,
    log,
    writes: 0,
    failing: false,
    cuts: [],
    enter: (pairing, task, again = false) =>
      rig.meter.enter({
        scope: scopeFor(pairing),
        payer: pairing === null ? "anonymous" : `p:${pairing}`,
        task,
        again,
        cut: (over) => void rig.cuts.push({ task, over }),
      }),
    async restart() {
      await rig.meter.write();
      await rig.store.close();
      Object.assign(rig, await open());
    },
  };
  Object.assign(rig, await open());
  t.after(() => rig.store.close());
  return rig;
}
