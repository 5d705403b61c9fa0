// Which files of an agent our own page can show in a frame, and where each can be fetched.
import type { OutFile } from "./channel.ts";
import { extensionOf } from "./file-name.ts";

export type ArtifactKind = "html" | "svg" | "mermaid";

/** A larger one is only downloaded. */
const viewMost = 2_000_000;

const kinds: Readonly<Record<string, ArtifactKind>> = {
  "text/html": "html",
  "application/xhtml+xml": "html",
  "image/svg+xml": "svg",
  "text/vnd.mermaid": "mermaid",
  html: "html",
  htm: "html",
  xhtml: "html",
  svg: "svg",
  mmd: "mermaid",
  mermaid: "mermaid",
};

/** The name goes first: the type is often no more than text/plain. */
export function artifactKind({
  name,
  mime,
  size,
}: Omit<OutFile, "path">): ArtifactKind | undefined {
  if (size > viewMost) return undefined;
  const found = [extensionOf(name), mime].find((key) => Object.hasOwn(kinds, key));
  return found === undefined ? undefined : kinds[found];
}

/** `part`: `o` and the number of its row in the outbox. */
export function fileLinks(
  part: string,
  file: Omit<OutFile, "path">,
): { readonly url: string; readonly view?: string } {
  const view = artifactKind(file) === undefined ? {} : { view: `/view/${part}` };
  return { url: `/api/files/${part}`, ...view };
}
