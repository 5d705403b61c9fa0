// Images of the sandbox: made of this machine's own files or from our Dockerfile, listed, removed. No gateway is needed.
import { readEnvironment } from "../config/environment.ts";
import type { Place } from "../config/paths.ts";
import { readProject } from "../config/project.ts";
import type { Settings } from "../config/settings.ts";
import { loadSettings } from "../config/settings-file.ts";
import { connectDocker } from "../sandbox/docker/engine.ts";
import { imageFromDockerfile } from "../sandbox/image/dockerfile.ts";
import { hostImage } from "../sandbox/image/host-image.ts";
import { type ImageRow, imageList, imageRemove } from "../sandbox/image/images.ts";
import { done, failed, type Outcome } from "./context.ts";

/** What an image can be made for. */
export const imagePresets = ["workspace", "claude", "codex", "opencode", "gemini"] as const;
export type ImagePreset = (typeof imagePresets)[number];

export interface BuildRequest {
  readonly place: Place;
  readonly fromHost: boolean;
  /** Undefined: the agent that is set. */
  readonly preset?: ImagePreset | undefined;
  onOutput(text: string): void;
}

export interface Built {
  readonly image: string;
  readonly isNew: boolean;
  readonly preset: ImagePreset;
  /** What has to be done before it is used; a sentence. */
  readonly next: string;
}

function isPreset(name: string): name is ImagePreset {
  return (imagePresets as readonly string[]).includes(name);
}

/** As a gateway would choose without flags; of an agent that we do not know there is no image but our own. */
async function chosen({ place, preset }: BuildRequest, settings: Settings): Promise<ImagePreset> {
  if (preset !== undefined) return preset;
  if (settings.command !== undefined) return "workspace";
  const name = settings.agent ?? (await readProject(place)).config.agent ?? "workspace";
  return isPreset(name) ? name : "workspace";
}

async function nextStep(
  request: BuildRequest,
  settings: Settings,
  { image, preset }: Pick<Built, "image" | "preset">,
): Promise<string> {
  const now = await chosen({ ...request, preset: undefined }, settings);
  const agent = now === preset ? [] : [`sallyport config set agent ${preset}`];
  const found = request.fromHost ? undefined : image;
  const setImage =
    found === undefined
      ? ["sallyport config unset docker.image"]
      : [`sallyport config set docker.image ${found}`];
  const steps = [...agent, ...(settings.docker.image === found ? [] : setImage)];
  if (steps.length === 0) return "A gateway that starts now uses it.";
  return `Use it from the next start with: ${steps.join(" && ")}`;
}

export async function buildImage(request: BuildRequest): Promise<Outcome<Built>> {
  const { place, fromHost, onOutput } = request;
  const loaded = await loadSettings(place.paths);
  if (!loaded.ok) return loaded;
  const { variables } = readEnvironment();
  const preset = await chosen(request, loaded.settings);
  const connected = connectDocker(variables);
  if (!connected.ok) return connected;
  const made = fromHost
    ? await hostImage({
        docker: connected.docker,
        agentName: preset,
        workspace: place.workspace,
      })
    : await imageFromDockerfile({ agentName: preset, variables, onOutput });
  if (!made.ok) return failed(made.problem);
  const { image, isNew } = made;
  const next = await nextStep(request, loaded.settings, { image, preset });
  return done({ image, isNew, preset, next });
}

export async function listImages(): Promise<Outcome<readonly ImageRow[]>> {
  const connected = connectDocker(readEnvironment().variables);
  if (!connected.ok) return connected;
  const list = await imageList(connected.docker);
  return list.ok ? done(list.images) : list;
}

export async function removeImage(name: string): Promise<Outcome<{ name: string; removed: true }>> {
  const connected = connectDocker(readEnvironment().variables);
  if (!connected.ok) return connected;
  const problem = await imageRemove(connected.docker, name);
  return problem === undefined ? done({ name, removed: true }) : failed(problem);
}
