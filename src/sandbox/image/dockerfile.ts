// Builds the image of an agent from docker/agent.Dockerfile, for people who reach a registry.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTail } from "../local/tail.ts";
import type { MadeImage } from "./from-host.ts";
import { repositoryOf } from "./host-image.ts";
import { imageLabel } from "./images.ts";

export interface BuildWish {
  readonly agentName: string;
  /** Of the process that builds: where Docker is, and how a registry is reached. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** What the build says while it works. */
  onOutput(text: string): void;
}

const dockerfile = join("docker", "agent.Dockerfile");
const tailBytes = 16 * 1024;
const instead =
  "Without a registry it is made of this machine's own files: sallyport image build --from-host";

/** The folder of Sallyport itself, which its own agent in the image is taken from: above us, in a checkout and as published. */
async function packageRoot(): Promise<string | undefined> {
  for (let at = dirname(fileURLToPath(import.meta.url)); dirname(at) !== at; at = dirname(at)) {
    const found = await stat(join(at, dockerfile)).catch(() => undefined);
    if (found?.isFile()) return at;
  }
  return undefined;
}

async function versionOf(root: string): Promise<string> {
  const manifest: { version?: string } = JSON.parse(
    await readFile(join(root, "package.json"), "utf8"),
  );
  return manifest.version ?? "latest";
}

const unreachable =
  /failed to resolve|failed to do request|no such host|dial tcp|i\/o timeout|TLS handshake|connection refused|network is unreachable|proxyconnect|error getting credentials|temporary failure|Client\.Timeout|pull access denied|failed to (?:fetch|authorize)|EAI_AGAIN|ENOTFOUND|Could not resolve/i;

function problemOf(said: string): string {
  if (/no space left on device/i.test(said))
    return "The disk is full. Free space, for example with: docker system prune";
  if (/permission denied.*docker|dial unix.*permission denied/is.test(said))
    return "You may not use Docker. Add your user to the group docker, and log in again.";
  if (/Cannot connect to the Docker daemon|Is the docker daemon running/i.test(said))
    return "Docker does not run on this machine. Start it (sudo systemctl start docker), or install it.";
  if (unreachable.test(said)) return `The registry could not be reached. ${instead}`;
  const last = said.trim().split("\n").at(-1)?.trim() || "it said nothing";
  return `The image could not be built: ${last}. ${instead}`;
}

interface Ran {
  /** Null: the program docker could not be started. */
  readonly code: number | null;
  readonly said: string;
}

async function runDocker(args: readonly string[], wish: BuildWish): Promise<Ran> {
  const { variables, onOutput } = wish;
  const child = spawn("docker", [...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...variables },
  });
  const closed = once(child, "close").catch(() => [null]);
  const tails = [child.stdout, child.stderr].map((stream) => {
    stream.on("data", (chunk: Buffer) => onOutput(chunk.toString("utf8")));
    return createTail(stream, tailBytes);
  });
  const [code] = (await closed) as [number | null];
  return {
    code: child.pid === undefined ? null : (code ?? 1),
    said: tails.map((tail) => tail()).join("\n"),
  };
}

/** What a build leaves is named by the agent and the version of Sallyport. */
export async function imageFromDockerfile(wish: BuildWish): Promise<MadeImage> {
  const root = await packageRoot();
  if (root === undefined)
    return { ok: false, problem: `This Sallyport came without ${dockerfile}. ${instead}` };
  const image = `${repositoryOf(wish.agentName)}:${await versionOf(root)}`;
  const { code, said } = await runDocker(
    [
      "build",
      ...["--file", join(root, dockerfile), "--tag", image],
      ...["--build-arg", `AGENT=${wish.agentName}`, "--label", `${imageLabel}=dockerfile`],
      root,
    ],
    wish,
  );
  if (code === 0) return { ok: true, image, isNew: true };
  const missing = `The program docker was not found, which builds from a Dockerfile. Install it. ${instead}`;
  return { ok: false, problem: code === null ? missing : problemOf(said) };
}
