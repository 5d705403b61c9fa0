// Stands for a gateway that runs in a container itself: starts an agent in the docker sandbox for each case it is given.
// Usage: node inner-gateway.ts '{"image": …, "stateDir": …, "cases": […]}'; says what each of them said, as JSON.
import { join } from "node:path";
import { SandboxTrouble } from "../../src/core/sandbox.ts";
import { dockerAt } from "../../src/sandbox/docker/engine.ts";
import { createHostPaths } from "../../src/sandbox/docker/host-paths.ts";
import { masksFor } from "../../src/sandbox/docker/mask-list.ts";
import type { ExtraMount } from "../../src/sandbox/docker/mount-rules.ts";
import { createDockerSandbox } from "../../src/sandbox/docker/sandbox.ts";

export interface InnerCase {
  readonly workspace: string;
  readonly mounts?: readonly ExtraMount[];
  readonly mode?: "rw" | "ro";
  readonly script: string;
}

export interface InnerWish {
  readonly image: string;
  readonly stateDir: string;
  readonly stateHash: string;
  readonly cases: readonly InnerCase[];
}

const socket = "/var/run/docker.sock";
const silent = () => {};
const log = { debug: silent, info: silent, warn: silent, error: silent };

async function tried({ image, stateDir, stateHash }: InnerWish, one: InnerCase): Promise<string> {
  const docker = dockerAt(socket);
  const { workspace, mounts = [], mode = "rw", script } = one;
  const sandbox = createDockerSandbox({
    ...{ docker, socket, image, stateDir, stateHash, log, mounts },
    userHome: "/nobody",
    masks: masksFor("command"),
    hostPath: createHostPaths(docker),
  });
  const home = join(stateDir, "homes/p-1");
  const scope = { key: "p-1", pairing: "1" as never, workspace, workspaceMode: mode, home };
  try {
    const agent = await sandbox.spawn(scope, { program: "sh", args: ["-c", script], env: {} });
    return await new Response(agent.stdout).text();
  } catch (error) {
    // What the log says: the chat has no path.
    return (error instanceof SandboxTrouble ? error.detail : undefined) ?? String(error);
  } finally {
    await sandbox.stop();
  }
}

const wish: InnerWish = JSON.parse(process.argv[2] ?? "");
const all: string[] = [];
for (const one of wish.cases) all.push(await tried(wish, one));
process.stdout.write(JSON.stringify(all));
