// May they: the one home of what a role can do.
import type { Caller, Role } from "../core/words.ts";

export type Action = "talk" | "see-task" | "answer" | "stop" | "enable";
type Reach = "all" | "own" | "none";

const table: Record<Action, Record<Role, Reach>> = {
  talk: { owner: "all", authenticated: "all", anonymous: "all" },
  "see-task": { owner: "all", authenticated: "own", anonymous: "own" },
  answer: { owner: "all", authenticated: "own", anonymous: "none" },
  stop: { owner: "all", authenticated: "own", anonymous: "own" },
  enable: { owner: "all", authenticated: "none", anonymous: "none" },
};

/** `starter`: the caller whose task it is about. */
export function may(
  caller: Caller,
  action: Action,
  about: { readonly starter?: string } = {},
): boolean {
  const reach = table[action][caller.role];
  return reach === "all" || (reach === "own" && about.starter === caller.id);
}
