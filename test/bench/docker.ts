// The docker sandbox against bare containers of the same image beside it, in turn: `npm run bench:docker [-- --rounds 5 --quick]`.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { parseArgs } from "node:util";
import { masksFor } from "../../src/sandbox/docker/mask-list.ts";
import { createDockerSandbox } from "../../src/sandbox/docker/sandbox.ts";
import { workspaceAgentInside } from "../../src/sandbox/image/own-agent.ts";
import { startBare } from "../fakes/docker-bare.ts";
import { docker, image, makeFolder, socket, withDocker } from "../fakes/docker-rig.ts";
import { aligned, shown } from "./table.ts";

interface Started {
  readonly id: () => Promise<string>;
  readonly stdin: NodeJS.WritableStream;
  readonly stdout: NodeJS.ReadableStream;
  end(): Promise<void>;
}

interface Subject {
  start(): Promise<Started>;
  close(): Promise<void>;
}

const agent = { program: "node", args: [workspaceAgentInside], env: {} };

/** As the gateway makes it, without what it puts in for the network. */
function hardened(): Subject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-bench-")));
  const [workspace, stateDir] = [join(folder, "project"), join(folder, "state")];
  makeFolder(workspace);
  mkdirSync(stateDir);
  const silent = () => {};
  const sandbox = createDockerSandbox({
    docker,
    socket,
    image,
    stateDir,
    stateHash: folder,
    userHome: join(folder, "nobody"),
    log: { debug: silent, info: silent, warn: console.error, error: console.error },
    masks: masksFor("command"),
  });
  const home = join(stateDir, "homes", "p-1");
  const scope = { key: "p-1", pairing: "1", workspace, workspaceMode: "rw", home } as const;
  return {
    async start() {
      const started = await sandbox.spawn(scope, agent);
      const id = async () => {
        const filters = { label: [`sallyport=${folder}`] };
        return (await docker.listContainers({ filters }))[0]?.Id ?? "";
      };
      const stdin = Writable.fromWeb(started.stdin);
      const stdout = Readable.fromWeb(started.stdout as never);
      return { id, stdin, stdout, end: started.kill };
    },
    async close() {
      await sandbox.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

const bare: Subject = {
  async start() {
    const { id, ...rest } = await startBare(agent.program, agent.args);
    return { ...rest, id: async () => id };
  },
  close: async () => {},
};

const hello = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: 1, clientCapabilities: {} },
})}\n`;

/** Until the agent has answered with its first byte. */
async function answered(subject: Subject): Promise<Started> {
  const started = await subject.start();
  started.stdout.on("error", () => {});
  started.stdin.on("error", () => {});
  started.stdin.write(hello);
  await once(started.stdout, "data");
  return started;
}

/** MB that are its own: what files it has read does not count. */
async function memoryOf(id: string): Promise<number> {
  const { memory_stats } = await docker.getContainer(id).stats({ stream: false });
  const { anon, total_rss } = memory_stats.stats as unknown as Record<string, number | undefined>;
  return (anon ?? total_rss ?? 0) / 1024 / 1024;
}

/** What the image's files hold of the machine's memory is let go; only root may. */
async function forgetImage(): Promise<void> {
  const { GraphDriver } = await docker.getImage(image).inspect();
  const { LowerDir = "", UpperDir = "" } = (GraphDriver.Data ?? {}) as Record<string, string>;
  const folders = [...LowerDir.split(":"), UpperDir].filter(Boolean);
  const drop = [
    "-type",
    "f",
    "-exec",
    "dd",
    "if={}",
    "iflag=nocache",
    "count=0",
    "status=none",
    ";",
  ];
  execFileSync("find", [...folders, ...drop]);
}

const canForget = process.getuid?.() === 0;

interface Round {
  readonly cold: number;
  readonly warm: number;
  readonly memory: number;
  readonly inTurn: number;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function measure(subject: Subject, containers: number): Promise<Round> {
  let started: Started | undefined;
  const first = () =>
    timed(async () => {
      started = await answered(subject);
    });
  if (canForget) await forgetImage();
  const cold = await first();
  await started?.end();
  const warm = await first();
  const memory = started ? await memoryOf(await started.id()) : 0;
  await started?.end();
  const inTurn = await timed(async () => {
    for (let n = 0; n < containers; n += 1) await (await answered(subject)).end();
  });
  return { cold, warm, memory, inTurn: inTurn / 1000 };
}

function median(rounds: readonly Round[], of: keyof Round): number {
  const values = rounds.map((round) => round[of]).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? 0;
}

async function compare(rounds: number, containers: number): Promise<void> {
  const ours = hardened();
  const [sandbox, floor]: [Round[], Round[]] = [[], []];
  try {
    for (let round = 1; round <= rounds; round += 1) {
      sandbox.push(await measure(ours, containers));
      floor.push(await measure(bare, containers));
      console.error(`round ${round} of ${rounds}`);
    }
  } finally {
    await Promise.all([ours.close(), bare.close()]);
  }
  const line = (name: string, of: keyof Round, unit: string) => {
    const [a, b] = [median(sandbox, of), median(floor, of)];
    return [name, `${shown(a)} ${unit}`, `${shown(b)} ${unit}`, (a / b).toFixed(2)];
  };
  const cold = canForget ? "the image's files not in memory" : "not as root, so like warm";
  console.log(
    `\nFrom the start of a container to the agent's first byte, ${availableParallelism()} cores, medians of ${rounds} rounds\n`,
  );
  console.log(
    aligned([
      ["", "docker sandbox", "bare container", "ratio"],
      line("first byte, warm", "warm", "ms"),
      line(`first byte, cold (${cold})`, "cold", "ms"),
      line("memory of its own, ready", "memory", "MB"),
      line(`${containers} containers in turn, with their end`, "inTurn", "s"),
    ]),
  );
}

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    /** How many one after the other. */
    containers: { type: "string", default: "20" },
    /** Tiny numbers: shows that it runs, measures nothing. */
    quick: { type: "boolean", default: false },
  },
});
if (withDocker.skip) console.log(`Not measured: ${withDocker.skip}`);
else
  await compare(flags.quick ? 1 : Number(flags.rounds), flags.quick ? 2 : Number(flags.containers));
