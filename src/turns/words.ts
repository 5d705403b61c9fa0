// The commands of the chat: how they are read, and the menu.
import type { InboundMessage } from "../core/events.ts";

export interface Command {
  readonly name: string;
  readonly rest: string;
}

export const menu = [
  { command: "help", description: "What I can do" },
  { command: "new", description: "Start afresh, without what was said before" },
  { command: "stop", description: "Stop what I am doing for you" },
  { command: "status", description: "What is going on" },
  { command: "tasks", description: "Your latest tasks" },
  { command: "approvals", description: "What waits for a decision" },
  { command: "resume", description: "Go on here with another conversation of yours" },
  { command: "whoami", description: "Who you are to me" },
] as const;

/** Only for owners: platforms know no menu of some people. */
export const groupMenu = [
  { command: "enable", description: "Owners: open this group to me", groupsOnly: true },
  { command: "disable", description: "Owners: close this group to me", groupsOnly: true },
  {
    command: "share",
    description: "Owners: one conversation here for all who are paired",
    groupsOnly: true,
  },
  {
    command: "unshare",
    description: "Owners: a conversation for each of them again",
    groupsOnly: true,
  },
] as const;

const slashed: ReadonlySet<string> = new Set([
  ...[...menu, ...groupMenu].map(({ command }) => command),
  "start",
  "answer",
]);

/** `/stop`, and the words that work without a slash: `allow 3`, `deny 3 because …`, `answer 3 …`, `retry`. */
export function commandIn({ text }: Pick<InboundMessage, "text">): Command | undefined {
  const slash = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(text.trim());
  const name = slash?.[1]?.toLowerCase();
  if (name && slashed.has(name)) return { name, rest: slash?.[2] ?? "" };
  const decision = /^(?:\/?)(allow|deny|answer)\s+#?(\d{1,6})\b[.,:]?\s*([\s\S]*)$/i.exec(
    text.trim(),
  );
  if (decision)
    return { name: decision[1]?.toLowerCase() ?? "", rest: `${decision[2]} ${decision[3] ?? ""}` };
  if (/^\/?retry[.!]?$/i.test(text.trim())) return { name: "retry", rest: "" };
  return undefined;
}

/** `yes` and `no` where there are no buttons to press. */
export function bareAnswer(text: string): "allow" | "deny" | undefined {
  if (/^(yes|y|ok|okay|allow)[.!]?$/i.test(text.trim())) return "allow";
  if (/^(no|n|deny)[.!]?$/i.test(text.trim())) return "deny";
  return undefined;
}
