// What `doctor` looks at where agents run in Docker: Docker itself, the image, mounts, keys and log-ins, homes.
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { knownPairings } from "../access/pairings.ts";
import { readEnvironment } from "../config/environment.ts";
import type { Place } from "../config/paths.ts";
import { type ProjectConfig, readProject } from "../config/project.ts";
import { type DockerChoice, sandboxOf } from "../config/sandbox.ts";
import { readSecret } from "../config/secrets.ts";
import type { Settings } from "../config/settings.ts";
import { loadSettings } from "../config/settings-file.ts";
import { isKnownAgent, type KnownAgentName, knownAgents } from "../core/known-agents.ts";
import {
  connectDocker,
  type Docker,
  isMissing,
  problemWithDocker,
} from "../sandbox/docker/engine.ts";
import { problemWithMounts, problemWithWorkspace } from "../sandbox/docker/mount-rules.ts";
import { measureHome } from "../sandbox/home-size.ts";
import { problemWithHostImage, repositoryOf } from "../sandbox/image/host-image.ts";
import { imageList } from "../sandbox/image/images.ts";
import { loginIn } from "../sandbox/logins.ts";
import { isSetAside } from "../sandbox/set-aside.ts";
import type { AdminContext } from "./context.ts";
import { type Finding, ok, risk, wrong } from "./doctor-checks.ts";

interface Looking {
  readonly place: Place;
  readonly settings: Settings;
  readonly choice: DockerChoice;
  readonly agentName: string;
}

/** Nothing where agents run without Docker. */
export async function checkSandbox(context: AdminContext): Promise<Finding[]> {
  const { place, running } = context;
  const loaded = await loadSettings(place.paths);
  // Which is said already.
  if (!loaded.ok) return [];
  const { settings } = loaded;
  if ((running?.sandbox ?? settings.sandbox ?? "docker") !== "docker") return [];
  const { config } = await readProject(place);
  const choice = sandboxOf({ sandbox: "docker" }, settings, config);
  if (typeof choice === "string") return [wrong("sandbox", choice)];
  if (choice.is !== "docker") return [];
  const agentName = running?.agent.name ?? agentSet(settings, config);
  const looking = { place, settings, choice, agentName };
  const homes = await homesOf(context);
  return [
    ...(await checkDocker(looking)),
    ...checkSecrets(looking),
    ...(await checkKey(looking, homes)),
    ...(await checkHomes(looking, homes)),
  ];
}

function agentSet(settings: Settings, project: ProjectConfig): string {
  return settings.command === undefined
    ? (settings.agent ?? project.agent ?? "workspace")
    : "command";
}

async function checkDocker(looking: Looking): Promise<Finding[]> {
  const { choice, place } = looking;
  const connected = connectDocker(readEnvironment().variables);
  if (!connected.ok) return [wrong("docker", connected.problem)];
  const { docker, socket } = connected;
  const problem = await problemWithDocker(docker, choice.runtime);
  if (problem !== undefined)
    return [wrong("docker", `${problem} Or run agents without it: --sandbox local`)];
  const guarded = { stateDir: place.paths.dir, socket, userHome: homedir() };
  const mounts =
    (await problemWithWorkspace(place.workspace, guarded)) ??
    (await problemWithMounts(choice.mounts, place.workspace, guarded));
  return [
    ...(await checkEngine(docker, choice)),
    await checkImage(docker, looking),
    mounts === undefined
      ? ok("mounts", `the workspace and ${choice.mounts.length} further folders may be shown`)
      : wrong("mounts", `${mounts} See: sallyport config get docker.mounts`),
  ];
}

async function checkEngine(docker: Docker, { runtime }: DockerChoice): Promise<Finding[]> {
  const info = await docker.info();
  const { ServerVersion, SecurityOptions = [], MemoryLimit, CpuCfsQuota, PidsLimit } = info;
  const rootless = SecurityOptions.some((name: string) => name.includes("name=rootless"));
  const text = `Docker ${ServerVersion}, runtime ${runtime ?? info.DefaultRuntime}`;
  const limits = { memory: MemoryLimit, processors: CpuCfsQuota, processes: PidsLimit };
  const unlimited = Object.entries(limits).flatMap(([name, works]) => (works ? [] : [name]));
  return [
    ok("docker", `${text}${rootless ? ", rootless: root inside is you outside" : ""}`),
    ...(unlimited.length === 0
      ? []
      : [
          risk(
            "docker",
            `! this Docker does not limit ${unlimited.join(", ")}: an agent can take all there is. Cgroups v2 of this machine have to be given to it.`,
          ),
        ]),
  ];
}

async function checkImage(docker: Docker, { choice, agentName }: Looking): Promise<Finding> {
  const { image } = choice;
  if (image !== undefined) {
    try {
      await docker.getImage(image).inspect();
      return ok("image", `${image} is there`);
    } catch (error) {
      if (!isMissing(error)) throw error;
      return wrong(
        "image",
        `There is no image ${image}. Fetch it (docker pull ${image}), or use one of this machine's own files: sallyport config unset docker.image`,
      );
    }
  }
  const problem = await problemWithHostImage(agentName);
  if (problem !== undefined) return wrong("image", problem);
  const list = await imageList(docker);
  const of = `${repositoryOf(agentName)}:`;
  const made = list.ok ? list.images.find(({ name }) => name.startsWith(of)) : undefined;
  return ok(
    "image",
    made === undefined
      ? "it will be made of this machine's own files when an agent starts first"
      : `${made.name}, made of this machine's own files`,
  );
}

function checkSecrets({ choice, place }: Looking): Finding[] {
  return choice.secrets.map((name) =>
    readSecret(place.paths, name) === undefined
      ? wrong(
          "secrets",
          `docker.secrets names ${name}, which is not set: sallyport secret set ${name}`,
        )
      : risk(
          "secrets",
          `! docker.secrets: ${name} lies in the sandbox, where the agent can read it and whoever makes it act can ask for it`,
        ),
  );
}

interface Home {
  readonly path: string;
  /** Of whom, for people. */
  readonly whose: string;
  readonly logins: readonly { readonly agent: KnownAgentName; readonly files: readonly string[] }[];
}

async function homesOf(context: AdminContext): Promise<readonly Home[]> {
  const { homes } = context.place.paths;
  const names = (await readdir(homes).catch(() => [])).filter((name) => !isSetAside(name));
  if (names.length === 0) return [];
  const store = await context.store();
  const pairings = await store.run(function* () {
    return yield* knownPairings();
  });
  const people = new Map(pairings.map(({ id, name }) => [`p-${id}`, name]));
  const agents = Object.keys(knownAgents) as KnownAgentName[];
  return await Promise.all(
    names.map(async (name) => {
      const path = join(homes, name);
      const looked = agents.map(async (agent) => ({ agent, files: await loginIn(path, agent) }));
      const logins = (await Promise.all(looked)).filter(({ files }) => files.length > 0);
      return { path, whose: people.get(name) ?? name, logins };
    }),
  );
}

/** The usual name of the key for an API, as for the agents that speak it. */
export const secretOf = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  gemini: "GEMINI_API_KEY",
};
const usualApi = {
  claude: "anthropic",
  codex: "openai",
  opencode: "openai",
  gemini: "gemini",
} as const;

async function checkKey(
  { agentName, settings, place }: Looking,
  homes: readonly Home[],
): Promise<Finding[]> {
  if (!isKnownAgent(agentName)) return [];
  const { model } = settings;
  const name = model.secret ?? secretOf[model.api ?? usualApi[agentName]];
  if (readSecret(place.paths, name) !== undefined)
    return [ok("key", `${name} is set; the gateway adds it, and the sandbox never has it`)];
  const logged = homes.filter(({ logins }) => logins.some(({ agent }) => agent === agentName));
  if (logged.length > 0)
    return [ok("key", `none is set: ${agentName} uses the log-in of ${names(logged)}`)];
  return [
    wrong(
      "key",
      `${agentName} has no key for its model. Set it with: sallyport secret set ${name}, or log in with: sallyport agent login ${agentName}`,
    ),
  ];
}

function names(homes: readonly Home[]): string {
  return homes.map(({ whose }) => whose).join(", ");
}

const near = 0.8;
const megabyte = 1024 * 1024;

async function checkHomes({ settings }: Looking, homes: readonly Home[]): Promise<Finding[]> {
  const most = settings.homes.maxMB;
  const findings: Finding[] = [];
  for (const { path, whose, logins } of homes) {
    for (const { agent, files } of logins)
      findings.push(
        risk(
          "logins",
          `! a log-in of ${agent} lies in the sandbox of ${whose} (${files.join(", ")} in ${path}), where the agent can read it and whoever makes it act can ask for it`,
        ),
      );
    const { whole, bytes, trouble } = await measureHome(path, most * megabyte);
    if (trouble !== undefined) findings.push(wrong("homes", `${path}, of ${whose}: ${trouble}`));
    else if (!whole)
      findings.push(
        wrong(
          "homes",
          `the home of ${whose} is larger than ${most} MB. Empty ${path}, or allow more: sallyport config set homes.maxMB N`,
        ),
      );
    else if (bytes > near * most * megabyte)
      findings.push(risk("homes", `the home of ${whose} is near its ${most} MB: ${path}`));
  }
  return findings;
}
