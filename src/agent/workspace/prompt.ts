// Takes a prompt apart: the words of a command, and the things that came along with it.
import type { ContentBlock, TextContent } from "@agentclientprotocol/sdk";
import { code, size } from "./markdown.ts";

export interface Prompt {
  /** One for each message that was sent: messages that waited come together. */
  readonly commands: readonly string[];
  /** One description for each thing that is not text. */
  readonly others: readonly string[];
}

export function readPrompt(blocks: readonly ContentBlock[]): Prompt {
  const others = blocks.flatMap((block) =>
    block.type === "text" || isContext(block) ? [] : [describe(block)],
  );
  // Half a surrogate pair would be shown as one thing and written as another.
  const commands = blocks.flatMap((block) =>
    block.type === "text" ? [withoutLabel(block).replace(/\p{Cs}/gu, "\uFFFD")] : [],
  );
  return { commands: commands.length > 0 ? commands : [""], others };
}

/** Where several people write, the gateway says at the beginning of each line who wrote it: that is no part of a command. */
function withoutLabel({ text, _meta }: TextContent): string {
  const label = _meta?.["sallyport/label"];
  if (typeof label !== "string" || label === "") return text;
  return text
    .split("\n")
    .map((line) => (line.startsWith(label) ? line.slice(label.length) : line))
    .join("\n");
}

/** What a message quotes, and notes to a model: nothing to obey, nothing to name. */
function isContext(block: ContentBlock): boolean {
  return block.type === "resource" && block.resource.uri.startsWith("sallyport:");
}

function describe(block: Exclude<ContentBlock, { type: "text" }>): string {
  if (block.type === "image") return `an image (${code(block.mimeType)})`;
  if (block.type === "audio") return `a sound (${code(block.mimeType)})`;
  if (block.type === "resource_link") {
    return `a file ${code(block.name)}${details(block.mimeType, block.size)}`;
  }
  const { resource } = block;
  if ("text" in resource) {
    return `a text ${code(resource.uri)}${details(resource.mimeType, Buffer.byteLength(resource.text))}`;
  }
  return `a file ${code(resource.uri)}${details(resource.mimeType, Buffer.byteLength(resource.blob, "base64"))}`;
}

function details(mime: string | null | undefined, bytes: number | null | undefined): string {
  const known = [mime ? code(mime) : "", typeof bytes === "number" ? size(bytes) : ""];
  const text = known.filter((part) => part !== "").join(", ");
  return text === "" ? "" : ` (${text})`;
}

export interface Command {
  /** The first word, in lower case. */
  readonly word: string;
  /** All that follows the blank after the word, as it is; a line break there is part of it. */
  readonly rest: string;
}

export function readCommand(text: string): Command {
  const [, word = "", rest = ""] = /^(\S*)[^\S\n]?([\s\S]*)$/.exec(text) ?? [];
  return { word: word.toLowerCase(), rest };
}

/** The first line, without blanks around it, and what stands below it (undefined: there is no second line). */
export function splitLine(text: string): { line: string; below: string | undefined } {
  const end = text.indexOf("\n");
  if (end === -1) return { line: text.trim(), below: undefined };
  return { line: text.slice(0, end).trim(), below: text.slice(end + 1) };
}

/** A whole line as one path; quotes around it are taken off. */
export function onePath(line: string): string {
  const [, quoted] = /^"([^"]+)"$/.exec(line) ?? /^'([^']+)'$/.exec(line) ?? [];
  return quoted ?? line;
}

/** The words of a line; one with blanks stands in quotes. */
export function words(line: string): string[] {
  return Array.from(
    line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}
