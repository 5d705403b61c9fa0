// What is measured: the gateway as people start it, and its floor, each on a fake platform of its own.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { linkAccount } from "../../src/store/accounts.ts";
import { markAsked } from "../../src/store/meta.ts";
import { addPairing } from "../../src/store/pairings.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { type Person, type Platform, type PlatformName, platforms } from "./platforms.ts";

const agentProgram = fileURLToPath(new URL("../fakes/acp-agent.ts", import.meta.url));
const cliProgram = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const floorPrograms = {
  telegram: fileURLToPath(new URL("./floor-telegram.ts", import.meta.url)),
  discord: fileURLToPath(new URL("./floor-discord.ts", import.meta.url)),
  slack: fileURLToPath(new URL("./floor-slack.ts", import.meta.url)),
};

export interface Subject {
  readonly name: string;
  readonly platform: Platform;
  readonly chats: readonly string[];
  start(): ChildProcess;
  close(): Promise<void>;
}

export interface SubjectOptions {
  readonly on: PlatformName;
  readonly chats: number;
  /** Keep every message, to look at in the end. */
  readonly record?: boolean;
  /** What the fake agent is given: `echo`, or more of it as JSON. */
  readonly agent?: string;
  /** Whether the gateway takes the agent for one that asks before it changes something: then it runs cut off turns again. */
  readonly asks?: boolean;
  /** Options of Node for the gateway or the floor, as for profiling. */
  readonly node?: readonly string[];
}

async function stage({ on, chats, record = false }: SubjectOptions) {
  const platform = await platforms[on]({ record });
  const folder = mkdtempSync(join(tmpdir(), "sallyport-bench-"));
  const people = await platform.people(chats);
  return {
    platform,
    folder,
    people,
    chats: people.map(({ chat }) => chat),
    async close() {
      await platform.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const launch = (args: readonly string[]) =>
  spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });

export async function floor(options: SubjectOptions): Promise<Subject> {
  const { platform, chats, close } = await stage(options);
  const { agent = "echo", node = [] } = options;
  const { apiRoot, token, appToken } = platform;
  const tokens = appToken ? [token, appToken] : [token];
  const args = [...node, floorPrograms[options.on], apiRoot, ...tokens, agentProgram, agent];
  return { name: "floor", platform, chats, start: () => launch(args), close };
}

export async function gateway(options: SubjectOptions): Promise<Subject> {
  const { platform, folder, people, chats, close } = await stage(options);
  const { agent = "echo", asks = true, node = [] } = options;
  const [state, workspace] = [join(folder, "state"), join(folder, "workspace")];
  mkdirSync(workspace);
  const args = [cliProgram, "--state", state, "--workspace", workspace];
  const tell = (words: string[], input = "") => {
    const stdio = ["pipe", "ignore", "inherit"] as const;
    execFileSync(process.execPath, [...args, ...words], { input, stdio: [...stdio] });
  };
  tell([...adding(platform, folder), "--token-file", "-"], platform.token);
  tell(["config", "set", "conversations.merge", "false"]);
  tell(["config", "set", "turns.concurrent", "100"]);
  const command = [process.execPath, agentProgram, agent];
  const { channel } = platform;
  await link({ database: join(state, "server.db"), channel, people, command, asks });
  // Its command line comes back from here without quotes, as the gateway remembers agents.
  const line = command.map((word) => `'${word}'`).join(" ");
  const start = () => launch([...node, ...args, "start", "--sandbox", "local", "--command", line]);
  return { name: "gateway", platform, chats, start, close };
}

/** For the CLI; the token itself comes on standard input. */
function adding({ channel, apiRoot, appToken }: Platform, folder: string): string[] {
  const words = ["channel", "add", channel, "--api-root", apiRoot, "--pace", "off"];
  if (!appToken) return words;
  const file = join(folder, "app-token");
  writeFileSync(file, appToken, { mode: 0o600 });
  return [...words, "--app-token-file", file];
}

/** Every account belongs to one pairing, so that one agent serves them all, as in the floor. */
async function link(it: {
  database: string;
  channel: PlatformName;
  people: readonly Person[];
  command: readonly string[];
  asks: boolean;
}): Promise<void> {
  const store = openSqlite(it.database);
  const at = Date.now();
  await store.run(function* () {
    yield* addPairing({ id: "bench", name: "bench", role: "owner", kind: "person", createdAt: at });
    for (const { account } of it.people)
      yield* linkAccount({
        listener: it.channel,
        account,
        pairing: "bench",
        name: "",
        linkedAt: at,
      });
    if (it.asks) yield* markAsked(it.command.join(" "));
  });
  await store.close();
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}
