// Slack's ids: of conversations, messages and accounts.
import type { Me } from "./wire.ts";

export function isDirect(channel: string, type?: string): boolean {
  return type === "im" || channel.startsWith("D");
}

/** User ids count within a workspace, or an Enterprise organisation: that is part of who somebody is. */
export function accountOf(
  { user, team, ours = false }: { user: string; team: string | undefined; ours?: boolean },
  me: Me,
): string {
  const known = ours || team === undefined || team === me.team || team === me.enterprise;
  return `${known ? homeOf(me) : team}:${user}`;
}

function homeOf({ team, enterprise }: Me): string {
  return enterprise ?? team;
}

export interface Account {
  readonly user: string;
  /** Of the app's own workspace or organisation. */
  readonly ours: boolean;
}

export function readAccount(account: string, me: Me): Account {
  const [home = "", user = ""] = account.split(":");
  return { user, ours: home === homeOf(me) && user !== "" };
}

/** A ts is the id of a message; as a number it would lose its last digits. */
export function stamp(ts: string | undefined): string {
  if (typeof ts !== "string" || !isStamp(ts)) throw new Error("a ts is not one");
  return ts;
}

export function isStamp(ts: string): boolean {
  return /^\d{1,11}\.\d{1,9}$/.test(ts);
}

export function msOf(ts: string | undefined): number {
  return ts === undefined ? 0 : Math.floor(Number(stamp(ts)) * 1000);
}
