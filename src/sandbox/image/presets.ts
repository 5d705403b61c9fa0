// What an agent of others needs in an image, found where it is installed on this machine.
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import {
  installLine,
  isKnownAgent,
  type KnownAgentName,
  knownAgents,
} from "../../core/known-agents.ts";
import type { ImageFolder } from "./from-host.ts";
import { packageOf } from "./installed.ts";

export interface ImageParts {
  readonly ok: true;
  readonly folders: readonly ImageFolder[];
  readonly programs: readonly string[];
  /** A name in PATH, and the path in the image that it leads to. */
  readonly links: Readonly<Record<string, string>>;
}

export type ImagePreset = ImageParts | { readonly ok: false; readonly problem: string };

/** A folder on this machine with the agent's own package and all that it needs, and where it is in the image. */
interface Tree extends ImageFolder {
  readonly package: string;
}

async function firstThere(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await stat(path).catch(() => undefined)) return path;
  return undefined;
}

async function versionIn(folder: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(folder, "package.json"), "utf8");
    return (JSON.parse(text) as { version?: string }).version;
  } catch {
    return undefined;
  }
}

/** In a folder of its own, as scripts/agents.sh makes it, what it needs lies beside its package; in the global one inside it. */
async function treesOf(name: KnownAgentName, agentsFolder: string): Promise<readonly Tree[]> {
  const { package: wanted } = knownAgents[name];
  const to = `/opt/agents/${name}/node_modules`;
  const own = join(agentsFolder, name, "node_modules");
  const installed = await packageOf(knownAgents[name].program, wanted);
  const global = installed === undefined ? [] : [installed];
  return [
    { package: join(own, wanted), from: own, to },
    ...global.map((folder) => ({ package: folder, from: folder, to: join(to, wanted) })),
  ];
}

type Parts = Pick<ImageParts, "folders" | "programs" | "links">;

interface Searched {
  readonly tree: Tree;
  /** Where a path of the tree is in the image. */
  inside(path: string): string;
  /** A path in a package that the agent needs: beside its own, or inside it. */
  needed(path: string): Promise<string>;
}

const machine = `${process.platform}-${process.arch}`;
const codexTarget = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-unknown-linux-musl`;

const partsOf: Readonly<Record<KnownAgentName, (searched: Searched) => Promise<Parts>>> = {
  async claude({ tree, inside, needed }) {
    const program = await needed(`@anthropic-ai/claude-agent-sdk-${machine}/claude`);
    const adapter = join(tree.package, "dist/index.js");
    const links = { "claude-agent-acp": inside(adapter), claude: inside(program) };
    return { folders: [tree], programs: [], links };
  },
  async codex({ tree, inside, needed }) {
    const program = await needed("@openai/codex/bin/codex.js");
    const platform = await needed(`@openai/codex-${machine}/vendor/${codexTarget}`);
    // Speaking and listening, of which nothing reaches a chat.
    const without = [join(platform, "codex-resources/voice")];
    const adapter = join(tree.package, "dist/index.js");
    const links = { "codex-acp": inside(adapter), codex: inside(program) };
    return { folders: [{ ...tree, without }], programs: [], links };
  },
  async opencode({ tree }) {
    // One program; what else lies there is the same program again, for other machines.
    const program = join(tree.package, "bin/opencode.exe");
    return { folders: [], programs: [program], links: { opencode: "/usr/local/bin/opencode.exe" } };
  },
  async gemini({ tree, inside }) {
    const links = { gemini: inside(join(tree.package, "bundle/gemini.js")) };
    return { folders: [tree], programs: [], links };
  },
};

class Missing extends Error {}

function searched(tree: Tree): Searched {
  return {
    tree,
    inside: (path) => join(tree.to, relative(tree.from, path)),
    async needed(path) {
      const places = [join(tree.package, "node_modules", path), join(tree.from, path)];
      const found = await firstThere(places);
      if (found === undefined) throw new Missing(path);
      return found;
    },
  };
}

/** The usual place of scripts/agents.sh. */
const usualAgents = join(homedir(), ".cache", "sallyport-agents");

/** Without the folders of our own agent, which are in every image. */
export async function imagePreset(name: string, agentsFolder = usualAgents): Promise<ImagePreset> {
  if (name === "workspace") return { ok: true, folders: [], programs: [], links: {} };
  if (!isKnownAgent(name)) return { ok: false, problem: `There is no agent ${name}.` };
  const { version } = knownAgents[name];
  const others: string[] = [];
  for (const tree of await treesOf(name, agentsFolder)) {
    const there = await versionIn(tree.package);
    if (there === version) return await imageParts(name, tree);
    if (there !== undefined) others.push(there);
  }
  const what =
    others.length === 0
      ? `The agent ${name} is not installed on this machine.`
      : `The agent ${name} is here in version ${others.join(" and ")}, but ${version} is what was tested with this Sallyport.`;
  return { ok: false, problem: `${what} Install it with: ${installLine(name)}` };
}

async function imageParts(name: KnownAgentName, tree: Tree): Promise<ImagePreset> {
  try {
    return { ok: true, ...(await partsOf[name](searched(tree))) };
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    const problem = `The agent ${name} is installed without ${error.message}, which it needs on this machine. Install it again with: ${installLine(name)}`;
    return { ok: false, problem };
  }
}
