// The docker sandbox on the real Docker of this machine, with an image made of this machine; skipped where none answers.
import assert from "node:assert/strict";
import { chownSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { AgentProcess, SandboxScope } from "../../src/core/sandbox.ts";
import { type Docker, dockerAt } from "../../src/sandbox/docker/engine.ts";
import { masksFor } from "../../src/sandbox/docker/mask-list.ts";
import type { DockerSandboxOptions } from "../../src/sandbox/docker/options.ts";
import { createDockerSandbox } from "../../src/sandbox/docker/sandbox.ts";
import { agentUser, gatewayUser } from "../../src/sandbox/docker/user.ts";
import { imageFromHost } from "../../src/sandbox/image/from-host.ts";
import { imageList, imageRemove } from "../../src/sandbox/image/images.ts";
import { ownAgentFolders } from "../../src/sandbox/image/own-agent.ts";
import { memoryLog, temporaryFolder } from "./agent-rig.ts";

export const socket = "/var/run/docker.sock";
export const docker: Docker = dockerAt(socket);
const repository = `sallyport-test-${process.version}`;

async function whyNot(): Promise<string | false> {
  if (process.platform !== "linux") return "needs Linux";
  const answers = await docker.ping().then(
    () => true,
    () => false,
  );
  return answers ? false : `no Docker answers at ${socket}`;
}

/** For `it`: every test here needs Docker. */
export const withDocker = { skip: await whyNot(), timeout: 120_000 };

/** When what goes into the image was changed last, so that not every test file makes it again. */
function lastChange(): number {
  const source = fileURLToPath(new URL("../../src/", import.meta.url));
  const files = ["agent/workspace", "core", "sandbox/image"].flatMap((folder) =>
    readdirSync(join(source, folder)).map((name) => join(source, folder, name)),
  );
  return Math.max(...files.map((path) => statSync(path).mtimeMs));
}

async function makeImage(): Promise<string> {
  const list = await imageList(docker);
  const known = (list.ok ? list.images : []).filter(({ name }) =>
    name.startsWith("sallyport-test"),
  );
  // A second is the finest that Docker tells.
  const fresh = known.find(({ name, made }) => {
    return name.startsWith(`${repository}:`) && made > lastChange() + 1000;
  });
  if (fresh !== undefined) return fresh.name;
  const user = await agentUser("/");
  const folders = await ownAgentFolders();
  // With it an agent could try to become root of a namespace of its own.
  const programs = ["/usr/bin/unshare"];
  const made = await imageFromHost({ docker, repository, user, folders, programs });
  assert.ok(made.ok, made.ok ? "" : made.problem);
  const old = known.filter(({ made: at }) => at < Date.now() - 600_000);
  // What is in use stays.
  for (const { name } of old) if (name !== made.image) await imageRemove(docker, name);
  return made.image;
}

export const image = withDocker.skip === false ? await makeImage() : "";

export interface DockerRig {
  readonly sandbox: ReturnType<typeof createDockerSandbox>;
  readonly folder: string;
  readonly workspace: string;
  readonly stateDir: string;
  readonly log: ReturnType<typeof memoryLog>;
  scope(key?: string, mode?: "rw" | "ro"): SandboxScope;
  /** A shell script inside, to its end. */
  run(script: string, scope?: SandboxScope): Promise<Ended>;
}

export interface Ended {
  readonly out: string;
  readonly err: string;
  readonly code: number | null;
  readonly reason: string | undefined;
}

export const shell = (script: string) => ({ program: "sh", args: ["-c", script], env: {} });

export async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return await new Response(stream).text();
}

export async function firstLine(agent: AgentProcess): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of agent.stdout.values({ preventCancel: true })) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n")) break;
  }
  return text.trim();
}

export async function toEnd(agent: AgentProcess): Promise<Ended> {
  const out = await textOf(agent.stdout);
  const { code, reason } = await agent.ended;
  return { out: out.trim(), err: agent.stderrTail().trim(), code, reason };
}

/** A folder that the agent may write to: where root runs the tests, the project is somebody else's. */
export function makeFolder(path: string): void {
  mkdirSync(path);
  if (gatewayUser().uid === 0) chownSync(path, 1234, 1234);
}

export function dockerRig(t: TestContext, more: Partial<DockerSandboxOptions> = {}): DockerRig {
  const folder = temporaryFolder(t);
  const [workspace, stateDir] = [join(folder, "project"), join(folder, "state")];
  makeFolder(workspace);
  mkdirSync(stateDir, { mode: 0o700 });
  const log = memoryLog();
  const sandbox = createDockerSandbox({
    docker,
    socket,
    image,
    stateDir,
    stateHash: folder,
    userHome: join(folder, "nobody"),
    log,
    masks: masksFor("command"),
    graceMs: 1000,
    ...more,
  });
  t.after(() => sandbox.stop());
  const scope = (key = "p-1", workspaceMode: "rw" | "ro" = "rw"): SandboxScope => ({
    key,
    pairing: key.startsWith("p-") ? (key as NonNullable<SandboxScope["pairing"]>) : null,
    workspace,
    workspaceMode,
    home: join(stateDir, "homes", key),
  });
  return {
    sandbox,
    folder,
    workspace,
    stateDir,
    log,
    scope,
    run: async (script, place = scope()) => toEnd(await sandbox.spawn(place, shell(script))),
  };
}

/** All of a state's containers, running or not. */
export async function containersOf({ folder }: Pick<DockerRig, "folder">) {
  return await docker.listContainers({ all: true, filters: { label: [`sallyport=${folder}`] } });
}
