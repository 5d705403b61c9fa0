// Tasks and open questions that a caller may see, or answer.
import { may } from "../../access/authorise.ts";
import { isForOwners } from "../../approvals/options.ts";
import type { ApprovalRow, TaskRow } from "../../core/page.ts";
import { visibleLine } from "../../core/visible.ts";
import type { Caller } from "../../core/words.ts";
import type { Op } from "../../store/query.ts";
import { pendingQuestions, type Question } from "../../store/questions.ts";
import { findTask, listTasks, type Task } from "../../store/tasks.ts";
import { cutMarkdown, names, seesAll, short, whose } from "./seeing.ts";

const mostTasks = 100;

export function* tasks(viewer: Caller): Op<TaskRow[]> {
  if (viewer.pairing === null) return [];
  const found = yield* listTasks(mostTasks, seesAll(viewer) ? undefined : viewer.id);
  const named = yield* names();
  return found.map((task) => taskRow(viewer, task, named));
}

function taskRow(
  viewer: Caller,
  { caller, callerName, title, reason, ...task }: Task,
  named: ReadonlyMap<string, string>,
): TaskRow {
  return {
    id: task.id,
    conversation: task.conversation,
    title: short(title),
    whose: whose(viewer, caller, { named, known: callerName }),
    state: task.state,
    reason: reason === null ? null : visibleLine(reason.slice(0, 1000)),
    createdAt: task.createdAt,
    updatedAt: task.updatedAt,
  };
}

const mostApprovals = 100;

/** What this caller may answer. */
export function* approvals(viewer: Caller): Op<ApprovalRow[]> {
  if (viewer.pairing === null) return [];
  const named = yield* names();
  const all = yield* pendingQuestions();
  const open = all.filter(({ caller }) => may(viewer, "answer", { starter: caller }));
  const rows: ApprovalRow[] = [];
  for (const question of open.slice(0, mostApprovals)) {
    const task = yield* findTask(question.task);
    rows.push({
      id: question.id,
      conversation: question.conversation,
      ...answerable(viewer, question),
      task: short(task?.title ?? ""),
      whose: whose(viewer, question.caller, { named, known: task?.callerName ?? "" }),
      createdAt: question.createdAt,
      expiresAt: question.expiresAt,
    });
  }
  return rows;
}

export type Answerable = Pick<ApprovalRow, "title" | "body" | "kind" | "options">;

const longest = 400_000;

/** The whole effect, or nothing but a no: what does not fit here is not allowed from here. */
export function answerable(
  viewer: Caller,
  { title, body, kind, options }: Pick<Question, "title" | "body" | "kind" | "options">,
): Answerable {
  const shown = { title, kind };
  const given = options.filter(({ key }) => !isForOwners(key) || may(viewer, "answer-lasting"));
  if (body.length <= longest) return { ...shown, body, options: given };
  const start = cutMarkdown(body, longest >> 2);
  return {
    ...shown,
    body: `**Too long to be shown whole, so it cannot be allowed here.** It begins:\n\n${start}`,
    options: given.filter(({ key }) => key === "deny"),
  };
}
