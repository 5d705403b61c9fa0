// Slack's text both ways: what it makes of what people type, and what people see of what an app sends.
import type { Block, Button, SlackMessage } from "./slack-types.ts";

/** The name that is shown for an id. */
export type NameOf = (id: string) => string | undefined;

const token = /<([^<>\n]+)>/g;
const hosts = "(?:[a-z0-9-]+\\.)+(?:com|org|net|io)";
const typedLink = new RegExp(`https?://[^\\s<>]*[^\\s<>.,:;!?)]|(?<![\\w@./-])${hosts}\\b`, "gi");

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** What Slack makes of a person's words: escaped once, links and mentions marked. */
export function typed(text: string, idOf: (name: string) => string | undefined): string {
  return escaped(text)
    .replace(typedLink, (link) => (link.includes("://") ? `<${link}>` : `<http://${link}|${link}>`))
    .replace(/(?<!\w)@(\w+)/g, (whole, name: string) => {
      const id = idOf(name);
      return id ? `<@${id}>` : whole;
    });
}

/** The blocks that Slack gives to what a person typed. */
export function richText(text: string): Block[] {
  const elements = text.split(/(<[^<>\n]+>)/).flatMap((piece): Record<string, string>[] => {
    if (piece === "") return [];
    const inner = /^<([^<>]+)>$/.exec(piece)?.[1];
    if (inner === undefined) return [{ type: "text", text: unescaped(piece) }];
    const [target = "", label] = inner.split("|");
    if (target.startsWith("@")) return [{ type: "user", user_id: target.slice(1) }];
    if (target.startsWith("!")) return [{ type: "broadcast", range: target.slice(1) }];
    return [{ type: "link", url: unescaped(target), ...(label && { text: unescaped(label) }) }];
  });
  const section = { type: "rich_text_section", elements };
  return [{ type: "rich_text", block_id: "rich", elements: [section] }];
}

/** mrkdwn as people see it, without its looks. */
export function shown(text: string, nameOf: NameOf): string {
  return text
    .split(/(```[\s\S]*?```)/)
    .map((piece) => {
      if (piece.length >= 6 && piece.startsWith("```") && piece.endsWith("```"))
        return decoded(piece.slice(3, -3), nameOf);
      return piece
        .split(/(`[^`\n]+`)/)
        .map((part) => inline(part, nameOf))
        .join("");
    })
    .join("");
}

function inline(text: string, nameOf: NameOf): string {
  if (/^`[^`\n]+`$/.test(text)) return decoded(text.slice(1, -1), nameOf);
  const kept: string[] = [];
  const held = text.replace(token, (whole) => `\uE000${kept.push(whole) - 1}\uE001`);
  const plain = held
    .replace(/^&gt; ?/gm, "")
    .replace(/(?<![\p{L}\p{N}*])\*(?=[^\s*])([^\n*]*?)(?<=[^\s*])\*(?![\p{L}\p{N}*])/gu, "$1")
    .replace(/(?<![\p{L}\p{N}_])_(?=[^\s_])([^\n_]*?)(?<=[^\s_])_(?![\p{L}\p{N}_])/gu, "$1")
    .replace(/(?<![\p{L}\p{N}~])~(?=[^\s~])([^\n~]*?)(?<=[^\s~])~(?![\p{L}\p{N}~])/gu, "$1");
  const back = plain.replace(/\uE000(\d+)\uE001/g, (_, index) => kept[Number(index)] ?? "");
  return decoded(back, nameOf);
}

function decoded(text: string, nameOf: NameOf): string {
  return unescaped(
    text.replace(token, (_, inner: string) => {
      const [target = "", label] = inner.split("|");
      if (target.startsWith("@")) return `@${nameOf(target.slice(1)) ?? label ?? target.slice(1)}`;
      if (target.startsWith("#")) return `#${label ?? target.slice(1)}`;
      if (target.startsWith("!")) return label ?? `@${target.slice(1)}`;
      return label ?? target;
    }),
  );
}

/** Whom a text calls: `!channel`, `!here`, `U…`. Nobody is called from within code. */
export function called(text: string): string[] {
  const outside = text.replace(/```[\s\S]*?```|`[^`\n]+`/g, "");
  return [
    ...outside.matchAll(/<(?:@([UW]\w+)|(!(?:channel|here|everyone|subteam\^\w+)))(?:\|[^>]*)?>/g),
  ].map(([, user, group]) => user ?? group ?? "");
}

export function hasLink(text: string): boolean {
  return /https?:\/\//i.test(text);
}

interface TextObject {
  type?: string;
  text?: string;
}

/** All text of a message that is shown as mrkdwn. */
export function mrkdwnOf({ text, blocks }: Pick<SlackMessage, "text" | "blocks">): string {
  if (!blocks || blocks.length === 0 || blocks[0]?.type === "rich_text") return text;
  const marked = blocks.flatMap(textsOf).filter(({ type }) => type !== "plain_text");
  return marked.map((one) => one.text ?? "").join("\n");
}

/** What people see of a message: its blocks, or its text when it has none. */
export function visibleText(
  message: Pick<SlackMessage, "text" | "blocks">,
  nameOf: NameOf,
): string {
  const { text, blocks } = message;
  if (!blocks || blocks.length === 0 || blocks[0]?.type === "rich_text") return shown(text, nameOf);
  return blocks
    .flatMap(textsOf)
    .map((one) => (one.type === "mrkdwn" ? shown(one.text ?? "", nameOf) : (one.text ?? "")))
    .join("\n");
}

function textsOf(block: Block): TextObject[] {
  const { type, text, fields, elements } = block;
  if (type === "markdown") return [{ type, text: String(text) }];
  if (type === "section" || type === "header")
    return [...(text ? [text as TextObject] : []), ...((fields as TextObject[]) ?? [])];
  if (type === "context") return (elements as TextObject[]).filter((one) => one.type !== "image");
  return [];
}

export interface PlacedButton {
  readonly block: Block;
  readonly button: Button;
}

export function buttonsOf(blocks: readonly Block[] | undefined): PlacedButton[] {
  return (blocks ?? []).flatMap((block) => {
    const elements = (block.type === "actions" ? block.elements : [block.accessory]) as unknown[];
    return elements
      .filter((one): one is Button => (one as Button | undefined)?.type === "button")
      .map((button) => ({ block, button }));
  });
}
