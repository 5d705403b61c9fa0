// May this tool call run without asking, must it be asked, or is it forbidden? Pure; the kind is only the agent's claim.
import { posix } from "node:path";
import type { ToolCall, ToolKind } from "../core/agent.ts";

export interface Policy {
  /** Folders inside the sandbox that may be read without asking. */
  readonly readable: readonly string[];
  /** Where relative paths start. */
  readonly cwd: string;
  /** Kinds the operator allowed beforehand. */
  readonly auto: readonly string[];
  readonly deny: { readonly kinds: readonly string[]; readonly commands: readonly string[] };
}

export type Verdict =
  /** `changes`: it may change something, so the turn is never run again by itself. */
  | {
      readonly is: "allow";
      readonly why: "reads only" | "approvals.auto";
      readonly changes: boolean;
    }
  | { readonly is: "ask" }
  | { readonly is: "deny"; readonly why: string };

const harmless: readonly ToolKind[] = ["read", "search", "think"];

export function verdict(call: ToolCall, policy: Policy): Verdict {
  if (policy.deny.kinds.includes(call.kind))
    return { is: "deny", why: `tool calls of kind "${call.kind}" are forbidden here (denyTools)` };
  const command = call.command;
  const pattern = command && policy.deny.commands.find((one) => matches(command, one));
  if (pattern)
    return { is: "deny", why: `commands like "${pattern}" are forbidden here (denyTools)` };
  if (readsOnly(call, policy)) return { is: "allow", why: "reads only", changes: false };
  if (policy.auto.includes(call.kind))
    return { is: "allow", why: "approvals.auto", changes: !harmless.includes(call.kind) };
  return { is: "ask" };
}

/** A read without any location says nothing of what it reads, so a person is asked. */
function readsOnly(call: ToolCall, policy: Policy): boolean {
  if (!harmless.includes(call.kind)) return false;
  if (call.command !== undefined || call.url !== undefined || call.diffs.length > 0) return false;
  if (call.locations.length === 0) return call.kind === "think";
  return call.locations.every((path) => isInside(path, policy));
}

function isInside(path: string, { readable, cwd }: Policy): boolean {
  const full = posix.resolve(cwd, path);
  return readable.some((root) => full === root || full.startsWith(`${root}/`));
}

/** `*` stands for anything; without one the pattern may stand anywhere in the command. */
function matches(command: string, pattern: string): boolean {
  if (!pattern.includes("*")) return command.includes(pattern);
  const escaped = pattern.split("*").map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join("[\\s\\S]*")}$`).test(command.trim());
}

/** What exactly a grant "for this task" covers: the same kind on the same target, nothing else. */
export function grantTarget(call: ToolCall): string {
  if (call.command !== undefined) return call.command;
  if (call.url !== undefined) return call.url;
  const paths = [...call.diffs.map((diff) => diff.path), ...call.locations];
  if (paths.length > 0) return [...new Set(paths)].sort().join("\n");
  return `${call.title}\n${call.input ?? ""}`;
}
