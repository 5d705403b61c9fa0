// Whether a message in a server is meant for us, and its text as people read it: names for numbers, without our own.
import type { APIMessage } from "discord.js";
import { nameOfUser } from "./content.ts";

export interface Me {
  readonly id: string;
  readonly name: string;
}

/** Names of a server's roles and channels, and which role is the bot's own. */
export interface Names {
  readonly ownRole?: string | undefined;
  role(id: string): string | undefined;
  channel(id: string): string | undefined;
}

export interface Addressing {
  readonly text: string;
  readonly addressed: boolean;
}

export function addressing(message: APIMessage, me: Me, names: Names): Addressing {
  const { content } = message;
  // A mention inside code is none: only what Discord lists counts.
  const user = message.mentions?.some(({ id }) => id === me.id)
    ? [`<@${me.id}>`, `<@!${me.id}>`]
    : [];
  const { ownRole } = names;
  const role = ownRole && message.mention_roles?.includes(ownRole) ? [`<@&${ownRole}>`] : [];
  const ours = [...user, ...role].filter((token) => content.includes(token));
  const replied = message.referenced_message?.author.id === me.id;
  return {
    text: readable(withoutName(content, ours), message, { me, names }),
    addressed: ours.length > 0 || replied,
  };
}

/** Our name goes from the start and the end; elsewhere it is part of what is said. */
function withoutName(content: string, ours: readonly string[]): string {
  let text = content.trim();
  for (let before = ""; before !== text; ) {
    before = text;
    for (const token of ours) {
      if (text.startsWith(token)) text = text.slice(token.length).replace(/^[\s,:]+/, "");
      if (text.endsWith(token)) text = text.slice(0, -token.length).trimEnd();
    }
  }
  return text;
}

export function readable(
  text: string,
  { mentions = [] }: Pick<APIMessage, "mentions">,
  { me, names }: { readonly me: Me; readonly names: Names },
): string {
  const people = new Map(mentions.map((user) => [user.id, nameOfUser(user)]));
  people.set(me.id, me.name);
  return text
    .replace(/<@!?(\d{1,20})>/g, (whole, id) => at("@", people.get(id), whole))
    .replace(/<@&(\d{1,20})>/g, (whole, id) => at("@", names.role(id), whole))
    .replace(/<#(\d{1,20})>/g, (whole, id) => at("#", names.channel(id), whole))
    .replace(/<a?:(\w{1,32}):\d{1,20}>/g, ":$1:")
    .replace(/<\/([^:>]{1,100}):\d{1,20}>/g, "/$1")
    .replace(/<t:(-?\d{1,11})(?::[a-zA-Z])?>/g, timed);
}

function at(mark: string, name: string | undefined, whole: string): string {
  return name === undefined ? whole : mark + name;
}

function timed(whole: string, seconds: string): string {
  const time = new Date(Number(seconds) * 1000);
  return Number.isNaN(time.getTime()) ? whole : time.toISOString();
}
