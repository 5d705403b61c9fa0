// Markdown to an AST: what would keep the parser busy for long is taken as plain text.
import type { Paragraph, RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { chunksOf, isHeavy } from "./chunks.ts";

// One tilde is how people write "about": only two strike through.
const options = {
  extensions: [gfm({ singleTilde: false })],
  mdastExtensions: [gfmFromMarkdown()],
};

/** The blocks of a text, in linear time whatever it holds. */
export function parseMarkdown(text: string): RootContent[] {
  const blocks: RootContent[] = [];
  for (const { source, goesOn } of chunksOf(text)) {
    const parsed = parseChunk(source);
    const [first] = parsed;
    const last = blocks.at(-1);
    if (goesOn && first?.type === "list" && last?.type === "list") {
      last.children.push(...first.children);
      parsed.shift();
    }
    for (const block of parsed) blocks.push(block);
  }
  return blocks;
}

function parseChunk(source: string): RootContent[] {
  if (isHeavy(source)) return [asText(source)];
  try {
    return fromMarkdown(source, options).children;
  } catch {
    // The parser works by recursion: what is too deep for it is shown as it was written.
    return [asText(source)];
  }
}

function asText(source: string): Paragraph {
  return { type: "paragraph", children: [{ type: "text", value: source }] };
}
