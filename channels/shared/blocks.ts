// From the AST to pieces: blocks, lists and quotes.
import type { BlockContent, List, ListItem, RootContent } from "mdast";
import { inlinePieces, type Links, plainText } from "./inline.ts";
import { type Cut, cuts, gap, type Mark, type Piece, prose, verbatim } from "./pieces.ts";
import { tableText } from "./table.ts";

interface Context {
  readonly marks: readonly Mark[];
  /** What further lines begin with: they stand below the item's text. */
  readonly indent: string;
  readonly depth: number;
  readonly links: Links;
}

export function blockPieces(blocks: readonly RootContent[], links: Links): Piece[] {
  return sequence(blocks, { marks: [], indent: "", depth: 0, links }, cuts.block);
}

function sequence(blocks: readonly RootContent[], context: Context, cut: Cut): Piece[] {
  const pieces: Piece[] = [];
  let before: RootContent | undefined;
  for (const block of blocks) {
    const shown = onePiece(block, context);
    if (shown.length === 0) continue;
    if (before) {
      // A heading stays with what it is the heading of.
      const place = before.type === "heading" ? cuts.word : cut;
      pieces.push(gap(`\n\n${context.indent}`, place, context.marks));
    }
    for (const piece of shown) pieces.push(piece);
    before = block;
  }
  return pieces;
}

function onePiece(block: RootContent, context: Context): Piece[] {
  const { marks, indent, links } = context;
  switch (block.type) {
    case "heading":
      return inlinePieces(block.children, { marks: [...marks, { is: "bold" }], indent, links });
    case "paragraph":
      return inlinePieces(block.children, { marks, indent, links });
    case "code":
      return verbatim(block.value, [...marks, { is: "pre", language: languageOf(block.lang) }]);
    case "table": {
      const text = tableText(block, (cell) => plainText(cell.children, links));
      return verbatim(text, [...marks, { is: "pre", language: "" }]);
    }
    case "blockquote":
      return quotePieces(block.children, context);
    case "list":
      return listPieces(block, context);
    case "thematicBreak":
      return prose("———", marks);
    case "html":
      return prose(block.value, marks, indent);
    case "definition":
      return links.isUsed(block.identifier) ? [] : prose(links.source(block), marks, indent);
    case "footnoteDefinition":
      return [
        ...prose(`[^${block.label ?? block.identifier}]: `, marks),
        ...sequence(block.children, { ...context, indent: `${indent}  ` }, cuts.item),
      ];
    default:
      return inlinePieces([block as never], { marks, indent, links });
  }
}

/** Platforms know one level of quotes; a quote in a quote begins with the mark people know from mail. */
function quotePieces(blocks: readonly BlockContent[] | readonly RootContent[], context: Context) {
  const inner = context.marks.some(({ is }) => is === "quote");
  const marks = inner ? context.marks : [...context.marks, { is: "quote" } as const];
  const pieces = sequence(blocks as readonly RootContent[], { ...context, marks }, cuts.item);
  return inner ? [...prose("> ", marks), ...pieces] : pieces;
}

function listPieces(list: List, context: Context): Piece[] {
  const { marks, indent, depth } = context;
  const between = list.spread || list.children.some(({ spread }) => spread) ? "\n\n" : "\n";
  const pieces: Piece[] = [];
  for (const [index, item] of list.children.entries()) {
    if (index > 0) pieces.push(gap(between + indent, depth > 0 ? cuts.line : cuts.item, marks));
    for (const piece of itemPieces(item, bulletOf(list, index), context)) pieces.push(piece);
  }
  return pieces;
}

function itemPieces(item: ListItem, bullet: string, context: Context): Piece[] {
  const box = typeof item.checked === "boolean" ? (item.checked ? "☑ " : "☐ ") : "";
  const indent = context.indent + " ".repeat(Math.min(4, bullet.length));
  const inner = { ...context, indent, depth: context.depth + 1 };
  const pieces: Piece[] = [
    { text: bullet + box, marks: context.marks, cut: cuts.any, blank: false },
  ];
  for (const [index, child] of item.children.entries()) {
    const lines = item.spread && child.type !== "list" ? "\n\n" : "\n";
    if (index > 0) pieces.push(gap(lines + indent, cuts.line, context.marks));
    for (const piece of onePiece(child, inner)) pieces.push(piece);
  }
  return pieces;
}

function bulletOf({ ordered, start }: List, index: number): string {
  return ordered ? `${(start ?? 1) + index}. ` : "• ";
}

/** It ends up in an attribute or after a fence. */
function languageOf(given: string | null | undefined): string {
  return /^[\w+#.-]{1,32}$/.exec(given ?? "")?.[0] ?? "";
}
