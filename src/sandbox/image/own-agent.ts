// Sallyport's own workspace agent with the packages it needs, to be put into an image.
import { access, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ImageFolder } from "./from-host.ts";

/** Where it is in every image of ours. */
const place = "/opt/sallyport";
const packages = ["@agentclientprotocol/sdk", "zod"];

const own = fileURLToPath(import.meta.url);
const source = dirname(dirname(dirname(own)));
const extension = own.endsWith(".ts") ? "ts" : "js";

/** The path in the image of the program that the preset `workspace` starts. */
export const workspaceAgentInside = `${place}/agent/workspace/main.${extension}`;

/** A package lies in a node_modules folder of ours or of one above us, as Node itself looks for it. */
async function packageFolder(name: string): Promise<string> {
  for (let at = source; dirname(at) !== at; at = dirname(at)) {
    const folder = join(at, "node_modules", name);
    if (
      await access(join(folder, "package.json")).then(
        () => true,
        () => false,
      )
    )
      return folder;
  }
  throw new Error(`The package ${name} is missing. Reinstall Sallyport.`);
}

async function withDependencies(name: string, found: Map<string, string>): Promise<void> {
  if (found.has(name)) return;
  const folder = await packageFolder(name);
  found.set(name, folder);
  const manifest: { dependencies?: Record<string, string> } = JSON.parse(
    await readFile(join(folder, "package.json"), "utf8"),
  );
  for (const next of Object.keys(manifest.dependencies ?? {})) await withDependencies(next, found);
}

export async function ownAgentFolders(): Promise<readonly ImageFolder[]> {
  const found = new Map<string, string>();
  for (const name of packages) await withDependencies(name, found);
  return [
    { from: join(source, "agent", "workspace"), to: `${place}/agent/workspace` },
    { from: join(source, "core"), to: `${place}/core` },
    ...[...found].map(([name, from]) => ({ from, to: `${place}/node_modules/${name}` })),
  ];
}
