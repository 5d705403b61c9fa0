// The buttons of an approval, and which of the agent's own options each of them answers.
import type { PermissionOption, PermissionReply } from "../core/agent.ts";
import { visible } from "../core/visible.ts";
import type { QuestionOption } from "../store/questions.ts";

export interface ApprovalOptions {
  readonly options: readonly QuestionOption[];
  /** No allow is offered that its starter may give. */
  readonly ownersOnly: boolean;
}

/** `what`: the short target of "for this task", e.g. `npm test`. `byOwners`: asked of owners, whoever started the task. */
export function approvalOptions(
  offered: readonly PermissionOption[],
  what: string,
  byOwners = false,
): ApprovalOptions {
  const once = indexed(offered, "allow_once");
  const always = indexed(offered, "allow_always");
  const lasting = once.length === 0;
  const allow = (lasting ? always : once).map(({ option, index }, _, all) => ({
    key: `${lasting ? "always" : "allow"}:${index}`,
    label: lasting
      ? `Always allow (${shorten(option.name)})`
      : all.length > 1
        ? shorten(option.name)
        : "Allow once",
  }));
  const task = once.length > 0 ? [{ key: "task", label: `Allow ${what} for this task` }] : [];
  // What leaves the sandbox is allowed for a task or not at all: nobody is asked for each connection.
  const allows = byOwners
    ? [{ key: `${ownersMark}task`, label: "Allow for this task" }]
    : [...allow, ...task];
  return {
    options: [...allows, { key: "deny", label: "Deny" }],
    ownersOnly: byOwners || (lasting && always.length > 0),
  };
}

/** The option id the agent offered, byte for byte; a denial is never "the first one". */
export function replyFor(
  key: string | null,
  offered: readonly PermissionOption[],
): PermissionReply {
  const [how, index] = plain(key ?? "").split(":");
  const chosen =
    how === "allow" || how === "always"
      ? offered[Number(index)]
      : how === "task"
        ? offered.find((option) => option.kind === "allow_once")
        : how === "deny"
          ? (offered.find((option) => option.kind === "reject_once") ??
            offered.find((option) => option.kind === "reject_always"))
          : undefined;
  return chosen ? { optionId: chosen.id } : "cancelled";
}

/** A plain "allow" means the narrowest one: the list begins with it. */
export function narrowestAllow(options: readonly QuestionOption[]): string | undefined {
  return options.find(({ key }) => /^(allow|always):|^owner:task$/.test(key))?.key;
}

/** Only an owner may choose it: a lasting allow, which is policy of the agent's own, or what only owners were asked. */
export function isForOwners(key: string): boolean {
  return key.startsWith(ownersMark) || key.startsWith("always:");
}

/** "Allow … for this task". */
export function grants(key: string): boolean {
  return plain(key) === "task";
}

const ownersMark = "owner:";

function plain(key: string): string {
  return key.startsWith(ownersMark) ? key.slice(ownersMark.length) : key;
}

function indexed(offered: readonly PermissionOption[], kind: PermissionOption["kind"]) {
  return offered.flatMap((option, index) => (option.kind === kind ? [{ option, index }] : []));
}

function shorten(name: string): string {
  const text = visible(name).replace(/\s+/g, " ").trim();
  return text.length > 40 ? `${text.slice(0, 39)}…` : text || "Allow";
}
