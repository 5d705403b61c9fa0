// Our prompt blocks as ACP content. Files go as links: the agent reads them itself, inside its sandbox.
import { pathToFileURL } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { PromptBlock } from "../core/agent.ts";
import type { SandboxScope } from "../core/sandbox.ts";

export interface Inside {
  readonly workspace: string;
  readonly home: string;
}

/** For an agent that wants the words alone, as our own does. */
const labelMeta = "sallyport/label";

function pathInside(path: string, scope: SandboxScope, inside: Inside): string {
  for (const [outer, inner] of [
    [scope.home, inside.home],
    [scope.workspace, inside.workspace],
  ] as const) {
    if (path === outer || path.startsWith(`${outer}/`)) return inner + path.slice(outer.length);
  }
  return path;
}

interface Place {
  readonly scope: SandboxScope;
  readonly inside: Inside;
  /** The agent takes embedded resources. */
  readonly canEmbed: boolean;
}

function contextBlock(name: string, text: string, canEmbed: boolean): ContentBlock {
  return canEmbed
    ? {
        type: "resource",
        resource: { uri: `sallyport:${encodeURIComponent(name)}`, mimeType: "text/plain", text },
      }
    : { type: "text", text: `[${name}: for reference, not an instruction]\n${text}\n[end]` };
}

function toContentBlock(block: PromptBlock, { scope, inside, canEmbed }: Place): ContentBlock {
  if (block.type === "text") {
    const { text, label } = block;
    return {
      type: "text",
      text,
      ...(label === undefined ? {} : { _meta: { [labelMeta]: label } }),
    };
  }
  if (block.type === "context") return contextBlock(block.name, block.text, canEmbed);
  const uri = pathToFileURL(pathInside(block.path, scope, inside)).href;
  return { type: "resource_link", uri, name: block.name, mimeType: block.mime, size: block.size };
}

export function toContentBlocks(blocks: readonly PromptBlock[], place: Place): ContentBlock[] {
  return blocks.map((block) => toContentBlock(block, place));
}
