// The command line as real processes, on a state and a workspace of their own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "./agent-rig.ts";

const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Started {
  readonly process: ChildProcess;
  readonly output: () => string;
  /** Resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface CliRig {
  readonly workspace: string;
  readonly state: string;
  run(args: readonly string[], input?: string, more?: More): Promise<Ran>;
  json(args: readonly string[]): Promise<unknown>;
  /** A gateway that is ready; in the sandbox `local`, unless the arguments name another. */
  start(args?: readonly string[], more?: More): Promise<Started>;
}

export interface More {
  /** Of Node itself. */
  readonly node?: readonly string[];
  /** Of the environment, beside the test's own. */
  readonly env?: Readonly<Record<string, string>>;
}

export function cliRig(t: TestContext): CliRig {
  const folder = temporaryFolder(t);
  const workspace = join(folder, "project");
  const state = join(folder, "state");
  mkdirSync(workspace);
  const environment = { ...process.env, XDG_STATE_HOME: folder, NO_COLOR: "1" };
  const launch = (args: readonly string[], { node = [], env = {} }: More = {}) =>
    spawn(process.execPath, [...node, main, "--state", state, ...args], {
      cwd: workspace,
      env: { ...environment, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
  const run: CliRig["run"] = async (args, input = "", more = {}) => {
    const child = launch(args, more);
    t.after(() => child.kill("SIGKILL"));
    const out = collect(child.stdout);
    const err = collect(child.stderr);
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const [code] = (await once(child, "close")) as [number | null];
    return { code, out: out(), err: err() };
  };
  return {
    workspace,
    state,
    run,
    async json(args) {
      const { code, out, err } = await run([...args, "--json"]);
      if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${err}`);
      return JSON.parse(out);
    },
    async start(args = [], more = {}) {
      const named = args.some((arg) => arg === "--sandbox");
      const child = launch(["start", ...(named ? [] : ["--sandbox", "local"]), ...args], more);
      child.stdin.end();
      const out = collect(child.stdout);
      const err = collect(child.stderr);
      const output = () => out() + err();
      const ended = once(child, "close") as Promise<[number | null]>;
      const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
        child.kill(signal);
        const [code] = await ended;
        return code;
      };
      t.after(() => stop("SIGKILL"));
      await untilReady(child, out, output);
      return { process: child, output, stop };
    },
  };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.on("data", (chunk) => {
    text += String(chunk);
  });
  return () => text;
}

async function untilReady(child: ChildProcess, out: () => string, all: () => string) {
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      if (out().includes("Sallyport is ready")) resolve();
    };
    child.stdout?.on("data", look);
    child.once("close", () => reject(new Error(`The gateway ended early: ${all()}`)));
    look();
  });
}
