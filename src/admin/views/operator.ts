// All that the operator's page shows; what grants power is not among it.
import { budgetWindow } from "../../access/budgets.ts";
import type { Operator } from "../../core/page.ts";
import { visibleLine } from "../../core/visible.ts";
import type { Caller } from "../../core/words.ts";
import { accountsOf } from "../../store/accounts.ts";
import { bucketsOf } from "../../store/attempts.ts";
import { listAudit } from "../../store/audit.ts";
import { listPairings } from "../../store/pairings.ts";
import type { Op } from "../../store/query.ts";
import { countSessions } from "../../store/sessions.ts";
import { listTasks } from "../../store/tasks.ts";
import { openTurns } from "../../store/turns.ts";
import type { OpenListener } from "../running.ts";
import { seesAll, short, type ViewPorts } from "./seeing.ts";
import { standing } from "./standing.ts";
import { approvals, tasks } from "./tasks.ts";

export interface OperatorPorts extends ViewPorts {
  listeners(): readonly OpenListener[];
  budgets(): { readonly listenerTasksPerHour: number; readonly callerTasksPerHour: number };
}

type PairingRow = Operator["pairings"][number];
type BudgetRow = Operator["budgets"][number];
type AuditRow = Operator["audit"][number];

const most = 200;

/** Undefined for anybody who is not an owner: a session that the guard lets in may have lost its role since. */
export function* operator(ports: OperatorPorts, viewer: Caller): Op<Operator | undefined> {
  if (!seesAll(viewer)) return undefined;
  return {
    listeners: ports.listeners().map(({ id, kind, health }) => ({ id, channel: kind, health })),
    pairings: yield* pairings(ports),
    tasks: yield* tasks(viewer),
    approvals: yield* approvals(viewer),
    budgets: yield* budgets(ports),
    audit: (yield* listAudit(most)).map(auditRow),
    running: (yield* openTurns()).length,
    queued: (yield* standing()).queue.length,
  };
}

function* pairings({ clock }: OperatorPorts): Op<PairingRow[]> {
  const rows: PairingRow[] = [];
  for (const { id, name, role, kind } of (yield* listPairings()).slice(0, most)) {
    const accounts = (yield* accountsOf(id)).slice(0, most);
    const [task] = yield* listTasks(1, `p:${id}`);
    rows.push({
      name,
      role,
      kind,
      accounts: accounts.map(({ listener, account, name: shown }) => ({
        listener,
        account: short(account),
        name: short(shown),
      })),
      sessions: yield* countSessions(id, clock.now()),
      lastTaskAt: task?.createdAt ?? null,
    });
  }
  return rows;
}

/** Of people we do not know, and of the listeners they come through: who spent most first. */
function* budgets({ clock, budgets: limits }: OperatorPorts): Op<BudgetRow[]> {
  const { listenerTasksPerHour, callerTasksPerHour } = limits();
  const spent = yield* bucketsOf("tasks", clock.now() - budgetWindow, most);
  const rows = spent.map(({ key, tokens, at }) => {
    const who = key.slice("tasks ".length);
    return {
      who: short(who),
      used: tokens,
      of: who.startsWith("a:") ? callerTasksPerHour : listenerTasksPerHour,
      until: at + budgetWindow,
    };
  });
  return rows.sort((a, b) => b.used - a.used);
}

function auditRow({ at, name, place, action, target, outcome, why }: AuditRow): AuditRow {
  const texts = { name, place, action, target, outcome, why };
  const shown = Object.entries(texts).map(([key, text]) => [key, visibleLine(text)]);
  return { ...texts, ...Object.fromEntries(shown), at };
}
