// The image of one agent, made of this machine's own files: for the gateway, and for `sallyport image build --from-host`.
import { type Docker, inWords } from "../docker/engine.ts";
import { agentUser } from "../docker/user.ts";
import { imageFromHost, type MadeImage } from "./from-host.ts";
import { imageRepository } from "./images.ts";
import { npmOfHost } from "./installed.ts";
import { ownAgentFolders } from "./own-agent.ts";

export interface AgentImageWish {
  readonly docker: Docker;
  /** A preset; for any other agent the image has this machine's tools, and no agent but ours. */
  readonly agentName: string;
  /** Its owner is whom the agent runs as where the gateway is root. */
  readonly workspace: string;
}

/** Agents of others, which somebody has to have installed on this machine. */
const installed: readonly string[] = ["claude", "codex", "gemini", "opencode"];

/** The name before the colon. */
export function repositoryOf(agentName: string): string {
  return installed.includes(agentName) ? `${imageRepository}-${agentName}` : imageRepository;
}

async function partsOf(agentName: string) {
  const npm = await npmOfHost();
  const folders = [...(await ownAgentFolders()), ...npm.folders];
  const own = { ok: true, folders, links: npm.links, programs: [] } as const;
  if (!installed.includes(agentName)) return own;
  const { imagePreset } = await import("./presets.ts");
  const preset = await imagePreset(agentName);
  if (!preset.ok) return preset;
  const links = { ...own.links, ...preset.links };
  return { ...preset, links, folders: [...folders, ...preset.folders] };
}

/** Undefined, or why none can be made of this machine's files: its agent is not installed. */
export async function problemWithHostImage(agentName: string): Promise<string | undefined> {
  const parts = await partsOf(agentName);
  return parts.ok ? undefined : parts.problem;
}

/** Makes it, or finds that the same one is there already. */
export async function hostImage({
  docker,
  agentName,
  workspace,
}: AgentImageWish): Promise<MadeImage> {
  const parts = await partsOf(agentName);
  if (!parts.ok) return parts;
  const { folders, links, programs } = parts;
  let rootless: boolean;
  try {
    const { SecurityOptions = [] } = await docker.info();
    rootless = SecurityOptions.some((name: string) => name.includes("name=rootless"));
  } catch (error) {
    return { ok: false, problem: inWords(error, "say what it is") };
  }
  const user = await agentUser(workspace, rootless);
  const repository = repositoryOf(agentName);
  return await imageFromHost({ docker, repository, user, folders, links, programs });
}
