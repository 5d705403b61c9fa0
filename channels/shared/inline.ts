// From the AST to pieces: what stands in a line, and where links lead.
import type { Definition, PhrasingContent, RootContent } from "mdast";
import { type Mark, type Piece, prose, verbatim } from "./pieces.ts";

export interface Links {
  find(identifier: string): string | undefined;
  isUsed(identifier: string): boolean;
  source(definition: Definition): string;
}

interface Context {
  readonly marks: readonly Mark[];
  readonly indent: string;
  readonly links: Links;
}

/** Deeper marks add nothing that a reader could see, and cost room where marks count. */
const mostMarks = 8;

export function inlinePieces(nodes: readonly PhrasingContent[], context: Context): Piece[] {
  const pieces: Piece[] = [];
  for (const node of nodes) for (const piece of onePiece(node, context)) pieces.push(piece);
  return pieces;
}

function onePiece(node: PhrasingContent, context: Context): Piece[] {
  const { marks, indent, links } = context;
  switch (node.type) {
    case "text":
      return prose(node.value, marks, indent);
    case "strong":
      return inlinePieces(node.children, marked(context, { is: "bold" }));
    case "emphasis":
      return inlinePieces(node.children, marked(context, { is: "italic" }));
    case "delete":
      return inlinePieces(node.children, marked(context, { is: "strike" }));
    case "inlineCode":
      return verbatim(node.value, marked(context, { is: "code" }).marks);
    case "break":
      return prose("\n", marks, indent);
    case "link":
      return linkPieces(node.children, node.url, context);
    case "linkReference":
      return linkPieces(node.children, links.find(node.identifier) ?? "", context);
    case "image":
      return linkPieces([{ type: "text", value: node.alt || node.url }], node.url, context);
    case "imageReference": {
      const url = links.find(node.identifier) ?? "";
      return linkPieces([{ type: "text", value: node.alt || url }], url, context);
    }
    case "footnoteReference":
      return prose(`[^${node.label ?? node.identifier}]`, marks, indent);
    case "html":
      return prose(/^<br\s*\/?>$/i.test(node.value) ? "\n" : node.value, marks, indent);
  }
}

function marked(context: Context, mark: Mark): Context {
  const { marks } = context;
  const adds = marks.length < mostMarks && !marks.some(({ is }) => is === mark.is);
  return adds ? { ...context, marks: [...marks, mark] } : context;
}

/** Where it leads is never hidden: what cannot be a link is written out behind its words. */
function linkPieces(nodes: readonly PhrasingContent[], url: string, context: Context): Piece[] {
  const label = plainText(nodes, context.links);
  // Rather no link than words that are gone: `[]()` stands in many a line of code.
  if (label.trim() === "") return prose(`[](${url})`, context.marks, context.indent);
  if (isLinkable(url)) return inlinePieces(nodes, marked(context, { is: "link", url }));
  const shown = inlinePieces(nodes, context);
  if (url === "" || url === label || url === `mailto:${label}`) return shown;
  return [...shown, ...prose(` (${url})`, context.marks, context.indent)];
}

/** Others lose their link on most platforms. */
function isLinkable(url: string): boolean {
  if (url.length > 500 || !/^https?:\/\/[^\s<>"]+$/i.test(url) || !URL.canParse(url)) return false;
  return /[.:]/.test(new URL(url).hostname);
}

export function plainText(nodes: readonly PhrasingContent[], links: Links): string {
  return inlinePieces(nodes, { marks: [], indent: "", links })
    .map(({ text }) => text)
    .join("");
}

/** Link definitions of the whole text; those that nothing refers to are shown as they were written. */
export function linksOf(blocks: readonly RootContent[]): Links {
  const urls = new Map<string, string>();
  const used = new Set<string>();
  const visit = (node: RootContent) => {
    if (node.type === "definition" && !urls.has(node.identifier))
      urls.set(node.identifier, node.url);
    if (node.type === "linkReference" || node.type === "imageReference") used.add(node.identifier);
    if ("children" in node) for (const child of node.children) visit(child);
  };
  for (const block of blocks) visit(block);
  return {
    find: (identifier) => urls.get(identifier),
    isUsed: (identifier) => used.has(identifier),
    source: ({ label, identifier, url, title }) =>
      `[${label ?? identifier}]: ${url}${title ? ` "${title}"` : ""}`,
  };
}
