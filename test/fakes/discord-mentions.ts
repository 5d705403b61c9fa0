// Who a text names, and who of them is notified: `allowed_mentions` decides.
import type { FakeUser, Json, Pings, Stored } from "./discord-types.ts";
import type { World } from "./discord-world.ts";

export interface Mentions {
  /** What the message says of whom it mentions. */
  mentions: FakeUser[];
  pings: Pings;
}

export interface Naming {
  content: string;
  /** Undefined: everything in the text notifies. */
  allowed: Json | undefined;
  /** The message that is answered: its author is notified, unless told otherwise. */
  answered: Stored | undefined;
}

export function mentionsOf(world: World, { content, allowed, answered }: Naming): Mentions {
  const text = withoutCode(content);
  const named = idsIn(text, /<@!?(\d+)>/g).flatMap((id) => world.users.get(id) ?? []);
  const mentions = named.filter(({ id }) => allows(allowed, "users", id));
  const replied = answered?.author;
  const repliedPing = allowed === undefined || allowed.replied_user === true;
  if (replied && repliedPing && !mentions.includes(replied)) mentions.push(replied);
  const pings = {
    everyone: /@(everyone|here)\b/.test(text) && allows(allowed, "everyone"),
    users: mentions.map(({ id }) => id),
    roles: idsIn(text, /<@&(\d+)>/g).filter((id) => allows(allowed, "roles", id)),
  };
  return { mentions, pings };
}

function allows(allowed: Json | undefined, kind: string, id = ""): boolean {
  if (allowed === undefined) return true;
  const listed = allowed[kind];
  if (Array.isArray(listed) && listed.includes(id)) return true;
  return Array.isArray(allowed.parse) && allowed.parse.includes(kind);
}

function idsIn(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map((found) => found[1] ?? ""))];
}

/** In code nothing is a mention. */
function withoutCode(text: string): string {
  return text.replaceAll(/(```[\s\S]*?```|`[^`\n]*`)/g, " ");
}
