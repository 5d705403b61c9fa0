// May they: the one home of what a role can do.
import type { Caller, Role } from "../core/words.ts";

export type Action =
  | "talk"
  | "see-task"
  /** A question of a task. */
  | "answer"
  /** An option that outlives the task. */
  | "answer-lasting"
  | "call-contact"
  | "schedule"
  /** Into a conversation, or a task that waits. */
  | "continue"
  | "stop"
  /** Open or close a chat to the agent, make a conversation shared. */
  | "enable";
type Reach = "all" | "own" | "none";

const table: Record<Action, Record<Role, Reach>> = {
  talk: { owner: "all", authenticated: "all", anonymous: "all" },
  "see-task": { owner: "all", authenticated: "own", anonymous: "own" },
  answer: { owner: "all", authenticated: "own", anonymous: "none" },
  "answer-lasting": { owner: "all", authenticated: "none", anonymous: "none" },
  "call-contact": { owner: "all", authenticated: "all", anonymous: "none" },
  schedule: { owner: "all", authenticated: "all", anonymous: "none" },
  continue: { owner: "all", authenticated: "own", anonymous: "own" },
  stop: { owner: "all", authenticated: "own", anonymous: "own" },
  enable: { owner: "all", authenticated: "none", anonymous: "none" },
};

/** `starter`: the caller whose task, turn or conversation it is about. */
export function may(
  caller: Caller,
  action: Action,
  about: { readonly starter?: string } = {},
): boolean {
  const reach = table[action][caller.role];
  return reach === "all" || (reach === "own" && about.starter === caller.id);
}
