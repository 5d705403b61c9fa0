// Slack's way to write what people typed, read back: entities, links, mentions.

/** The name of a user or conversation, where it is known. */
export type NameOf = (id: string) => string | undefined;

const marked = /<([^<>]*)>|&(?:amp|lt|gt);|\u00A0/g;
const characters: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  // What is pasted holds them, and no one sees the difference.
  "\u00A0": " ",
};

/** As the person typed it: nothing is decoded twice. */
export function readable(text: string, nameOf: NameOf): string {
  return text.replace(marked, (found, inside?: string) =>
    inside === undefined ? (characters[found] ?? found) : shown(inside, nameOf),
  );
}

function shown(inside: string, nameOf: NameOf): string {
  const bar = inside.indexOf("|");
  const target = decoded(bar < 0 ? inside : inside.slice(0, bar));
  const label = bar < 0 ? "" : decoded(inside.slice(bar + 1));
  const id = target.slice(1);
  if (target.startsWith("@")) return `@${label.replace(/^@/, "") || (nameOf(id) ?? id)}`;
  if (target.startsWith("#")) return `#${label.replace(/^#/, "") || (nameOf(id) ?? id)}`;
  if (target.startsWith("!")) return special(id, label);
  return linkText(target, label);
}

function decoded(text: string): string {
  return text.replace(/&(?:amp|lt|gt);|\u00A0/g, (found) => characters[found] ?? found);
}

/** `<!here>`, `<!subteam^S1|@ops>`, `<!date^…|in words>`. */
function special(id: string, label: string): string {
  if (label !== "") return label;
  return `@${id.split("^")[0] ?? id}`;
}

/** Slack makes links of what looks like one (`notes.md`): the words are what was typed, unless they hide where it leads. */
function linkText(url: string, label: string): string {
  if (label === "" || label === url) return url;
  const bare = url.replace(/^(?:https?:\/\/|mailto:|tel:)/i, "").replace(/\/$/, "");
  return bare === label.replace(/\/$/, "") ? label : `${label} (${url})`;
}

const ours = (user: string) => `<@${user}(?:\\|[^<>]*)?>`;

export function mentions(text: string, user: string): boolean {
  return new RegExp(ours(user)).test(text);
}

/** Our name goes from the start and the end; elsewhere it is part of what is said. */
export function withoutMention(text: string, user: string): string {
  const name = ours(user);
  const first = new RegExp(`^[\\s\\u200B]*(?:${name}[\\s,:\\u200B]*)+`);
  return withoutLast(text.replace(first, ""), new RegExp(`^${name}$`));
}

/** From the end, one by one: a pattern that ends a text would be tried at each blank of it. */
function withoutLast(text: string, name: RegExp): string {
  let kept = text;
  for (;;) {
    const said = kept.slice(0, endOf(kept));
    const at = said.lastIndexOf("<");
    if (at < 0 || !name.test(said.slice(at))) return kept;
    kept = said.slice(0, endOf(said.slice(0, at)));
  }
}

/** Where white space begins that nothing follows. */
function endOf(text: string): number {
  let end = text.length;
  while (end > 0 && /[\s\u200B]/.test(text.charAt(end - 1))) end -= 1;
  return end;
}

/** Slack keeps `/word` to itself, so `!word` at the start of a message is a command. */
export function withCommand(text: string): string {
  return text.replace(/^\s*!(?=[a-z]+(?:\s|$))/i, "/");
}

/** Who is named in a text. */
export function namedIn(text: string): string[] {
  return [...text.matchAll(/<@([UW][A-Z0-9]+)>/g)].map(([, id = ""]) => id);
}
