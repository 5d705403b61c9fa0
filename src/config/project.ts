// The project's own file, .sallyport/config.yaml: what a clone asks for. It counts only as far as the operator has confirmed it.
import { join } from "node:path";
import { z } from "zod";
import { readSmall, writeWhole } from "./files.ts";
import type { Place } from "./paths.ts";

const projectSchema = z.strictObject({
  agent: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/)
    .optional(),
  image: z.string().max(300).optional(),
  mounts: z.array(z.string().max(1000)).max(50).optional(),
  workspace: z.enum(["rw", "ro"]).optional(),
});

export type ProjectConfig = z.infer<typeof projectSchema>;

export interface ProjectFile {
  readonly path: string;
  /** In effect: what was confirmed last, whatever the file says now. */
  readonly config: ProjectConfig;
  /** The file's lines with what is new or changed since, when something is. Untrusted text. */
  readonly unconfirmed: readonly ProjectLine[];
  /** It cannot be read; nothing of it counts. */
  readonly problem?: string;
}

export interface ProjectLine {
  readonly text: string;
  readonly fresh: boolean;
}

export async function readProject({ workspace, paths }: Place): Promise<ProjectFile> {
  const path = join(workspace, ".sallyport", "config.yaml");
  const confirmed = readSmall(paths.confirmed) ?? "";
  const config = confirmed ? await parseProject(confirmed) : {};
  const inEffect = typeof config === "string" ? {} : config;
  try {
    const text = readSmall(path) ?? "";
    const now = await parseProject(text);
    if (typeof now === "string") return { path, config: inEffect, unconfirmed: [], problem: now };
    return { path, config: inEffect, unconfirmed: changedLines(confirmed, text) };
  } catch (error) {
    return { path, config: inEffect, unconfirmed: [], problem: (error as Error).message };
  }
}

/** Confirms exactly the lines that were shown; false when the file has changed meanwhile. */
export function confirmProject({ paths }: Place, shown: ProjectFile): boolean {
  const text = readSmall(shown.path) ?? "";
  const same = linesOf(text).join("\n") === shown.unconfirmed.map((line) => line.text).join("\n");
  if (same) writeWhole(paths.confirmed, text);
  return same;
}

function changedLines(confirmed: string, text: string): ProjectLine[] {
  const known = new Set(linesOf(confirmed).map((line) => line.trimEnd()));
  const lines = linesOf(text).map((line) => ({ text: line, fresh: !known.has(line.trimEnd()) }));
  const same = linesOf(text).join("\n") === linesOf(confirmed).join("\n");
  return same ? [] : lines;
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

async function parseProject(text: string): Promise<ProjectConfig | string> {
  if (text.trim() === "") return {};
  const { parse } = await import("yaml");
  try {
    const parsed = projectSchema.safeParse(parse(text, { maxAliasCount: 0 }) ?? {});
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    return `${issue?.path.join(".") || "it"}: ${issue?.message ?? "not understood"}`;
  } catch (error) {
    return (error as Error).message.split("\n")[0] ?? "not YAML";
  }
}
