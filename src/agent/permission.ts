// The options of a permission request, between ACP's words and ours. Ids go back byte for byte.
import type { PermissionKind, PermissionOption } from "../core/agent.ts";
import { isFields } from "./tool-call.ts";

const kinds: ReadonlySet<unknown> = new Set<PermissionKind>([
  "allow_once",
  "allow_always",
  "reject_once",
  "reject_always",
]);

/** The SDK has checked their shape; what is of no known kind cannot be chosen. */
export function permissionOptions(options: unknown): readonly PermissionOption[] {
  if (!Array.isArray(options)) return [];
  return options.flatMap((option: unknown) => {
    if (!isFields(option) || typeof option.optionId !== "string" || !kinds.has(option.kind))
      return [];
    const name = typeof option.name === "string" ? option.name : option.optionId;
    return [{ id: option.optionId, name, kind: option.kind as PermissionKind }];
  });
}
