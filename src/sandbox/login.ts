// Lets a person log an agent in: its own program, at their terminal, in a container that has the internet and nothing else.
import { randomUUID } from "node:crypto";
import { lchown, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ContainerCreateOptions } from "dockerode";
import type { KnownAgentName } from "../core/known-agents.ts";
import type { Log } from "../core/log.ts";
import { type AgentCommand, SandboxTrouble } from "../core/sandbox.ts";
import { type PersonsTerminal, runAtTerminal } from "./docker/at-terminal.ts";
import { containerOf, defaultContainerLimits, scopeLabel, stateLabel } from "./docker/container.ts";
import { type Docker, inWords, isFullDisk, isMissing, isOfDocker } from "./docker/engine.ts";
import { createHostPaths } from "./docker/host-paths.ts";
import type { Bind } from "./docker/masks.ts";
import { launch } from "./docker/process.ts";
import { agentUser, mustGive, prepareHome, type User } from "./docker/user.ts";
import { loginIn, logins } from "./logins.ts";

export interface LoginOptions {
  readonly docker: Docker;
  readonly image: string;
  readonly runtime: string | undefined;
  readonly agent: KnownAgentName;
  /** Where the log-in comes to lie. */
  readonly home: string;
  readonly workspace: string;
  readonly stateDir: string;
  readonly stateHash: string;
  readonly terminal: PersonsTerminal;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export type LoggedIn =
  /** Which files of the home are the log-in. */
  | { readonly ok: true; readonly files: readonly string[] }
  | { readonly ok: false; readonly problem: string };

const inside = "/home/agent";
const prefix = "login-";
/** Small files. Who takes longer is kept from it. */
const copyMs = 30_000;
const env = { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8", TERM: "xterm-256color" };

interface Ground extends LoginOptions {
  readonly user: User;
  readonly cpusThere: number;
  /** A home with nothing in it: what the agent has left in its own must not run with the internet at hand. */
  readonly fresh: string;
  readonly name: string;
}

function container(ground: Ground, command: AgentCommand, binds: readonly Bind[]) {
  const labels = { [stateLabel]: ground.stateHash, [scopeLabel]: "login" };
  const wish = { ...ground, command, binds, env, labels, limits: defaultContainerLimits };
  return { ...containerOf({ ...wish, workingDir: inside }), name: ground.name };
}

async function ask(ground: Ground): Promise<number> {
  const { docker, agent, terminal, signal, fresh } = ground;
  const binds = [{ source: fresh, target: inside, readOnly: false }];
  const made: ContainerCreateOptions = container(ground, logins[agent].command, binds);
  const HostConfig = { ...made.HostConfig, NetworkMode: "bridge" };
  return await runAtTerminal({ docker, container: { ...made, HostConfig }, terminal, signal });
}

/** By a program inside, as the agent's user: a link that the agent has put there leads nowhere but into its own home. */
async function keep(ground: Ground, home: string): Promise<string | undefined> {
  const { docker, log, fresh } = ground;
  const binds = [
    { source: fresh, target: "/mnt", readOnly: true },
    { source: home, target: inside, readOnly: false },
  ];
  // What is there is removed and not written to: an agent may have put a pipe there, which nobody reads.
  const args = ["-a", "--remove-destination", "/mnt/.", `${inside}/`];
  const command = { program: "cp", args, env: {} };
  const wish = container(ground, command, binds);
  const { memoryMB } = defaultContainerLimits;
  const own = { docker, log, memoryMB, graceMs: 1000, awayMs: 10_000 };
  const copying = await launch({ ...own, container: wish });
  if (!copying.ok) throw copying.error;
  const late = AbortSignal.timeout(copyMs);
  const kill = () => void copying.agent.kill().catch(() => {});
  const cut = AbortSignal.any([ground.signal, late]);
  if (cut.aborted) kill();
  else cut.addEventListener("abort", kill, { once: true });
  const { code, reason } = await copying.agent.ended;
  cut.removeEventListener("abort", kill);
  ground.signal.throwIfAborted();
  if (code === 0) return undefined;
  if (late.aborted)
    return `The log-in could not be put into the home within ${copyMs / 1000} seconds. Give it a fresh home first: sallyport agent reset NAME`;
  const why = reason ?? (copying.agent.stderrTail().trim().split("\n").at(-1) || "no word of why");
  return `The log-in could not be put into the home: ${why}`;
}

/** Of a log-in that was cut off with its process. */
async function removeLeftovers({ docker, stateDir }: LoginOptions): Promise<void> {
  for (const name of (await readdir(stateDir)).filter((one) => one.startsWith(prefix))) {
    const isGone = await docker
      .getContainer(name)
      .inspect()
      .then(() => false, isMissing);
    if (isGone) await rm(join(stateDir, name), { recursive: true, force: true });
  }
}

async function inFresh(ground: Ground): Promise<LoggedIn> {
  const { docker, agent, fresh, home, user } = ground;
  const hostPath = createHostPaths(docker);
  const outside = { ...ground, fresh: await hostPath(fresh, false) };
  const code = await ask(outside);
  const files = await loginIn(fresh, agent);
  if (files.length === 0) {
    const { command, files: expected } = logins[agent];
    const missing = `the image ${ground.image} has no program ${command.program}. Make one that has: sallyport image build --from-host --preset ${agent}`;
    const left = `it left no log-in (${expected.join(" or ")})`;
    const why = code === 127 ? missing : `${left}. It ended with ${code}; try again.`;
    return { ok: false, problem: `Nothing has changed: ${why}` };
  }
  await prepareHome(home, user);
  const problem = await keep(outside, await hostPath(home, false));
  return problem === undefined ? { ok: true, files } : { ok: false, problem };
}

function problemOf(error: unknown, { image, agent, signal }: LoginOptions): string {
  if (signal.aborted) return "The log-in was cut off. Nothing has changed.";
  if (isMissing(error))
    return `The image ${image} is not there. Make it with: sallyport image build --from-host --preset ${agent}`;
  if (isOfDocker(error) || isFullDisk(error)) return inWords(error, "run the log-in");
  const detail = error instanceof SandboxTrouble ? error.detail : undefined;
  return detail ?? (error instanceof Error ? error.message : String(error));
}

export async function logIn(options: LoginOptions): Promise<LoggedIn> {
  const name = `${prefix}${randomUUID()}`;
  const fresh = join(options.stateDir, name);
  try {
    const { NCPU, SecurityOptions = [] } = await options.docker.info();
    await removeLeftovers(options);
    const rootless = SecurityOptions.some((one: string) => one.includes("name=rootless"));
    const user = await agentUser(options.workspace, rootless);
    await mkdir(fresh, { mode: 0o700 });
    if (mustGive(user)) await lchown(fresh, user.uid, user.gid);
    return await inFresh({ ...options, user, cpusThere: NCPU, fresh, name });
  } catch (error) {
    return { ok: false, problem: problemOf(error, options) };
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
