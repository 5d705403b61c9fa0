// A whole gateway in this process on a desk, with the fake agent as a real process: for tests of the middle.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { addInvite, hmacOf, makeCode } from "../../src/access/codes.ts";
import { type AgentOptions, createAgent } from "../../src/agent/agent.ts";
import type { AgentLimits } from "../../src/agent/limits.ts";
import type { Log } from "../../src/core/log.ts";
import { createLocalSandbox } from "../../src/sandbox/local/sandbox.ts";
import { removeHome } from "../../src/sandbox/set-aside.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import type { TurnSettings } from "../../src/turns/ports.ts";
import { createSpine, type Spine as Middle } from "../../src/turns/spine.ts";
import type { FakeAgentOptions } from "./acp-agent.ts";
import { fakePreset, memoryLog, temporaryFolder } from "./agent-rig.ts";
import { createDesk, type Desk } from "./desk.ts";

export interface Spine {
  readonly desk: Desk;
  readonly gateway: Middle;
  readonly store: Store;
  readonly folder: string;
  readonly workspace: string;
  readonly log: ReturnType<typeof memoryLog>;
  /** Pairs an account by a real code. */
  join(account: string, name: string, role?: "owner" | "authenticated"): Promise<void>;
  stop(): Promise<void>;
}

export interface SpineOptions {
  readonly fake?: FakeAgentOptions | "echo";
  readonly asks?: boolean;
  readonly settings?: Partial<TurnSettings>;
  readonly limits?: Partial<AgentLimits>;
  /** What else the agent is given. */
  readonly agent?: Partial<AgentOptions>;
  readonly folder?: string;
  readonly desk?: Desk;
  /** Further channels beside the first desk. */
  readonly more?: readonly Pick<Desk, "channel" | "listener">[];
  readonly drainMs?: number;
  readonly agentAsked?: () => void;
  readonly fileLink?: (part: number) => string;
  readonly hitlUrl?: (card: string) => string | undefined;
}

export const usualSettings: TurnSettings = {
  public: "nobody",
  allowEmail: [],
  merge: true,
  concurrent: 4,
  listenerTasksPerHour: 20,
  listenerConcurrent: 2,
  callerTasksPerHour: 5,
  tokens: { task: 0, caller: 0, unpaired: 200_000 },
  auto: [],
  deny: { kinds: [], commands: [] },
};

function once(stop: () => Promise<void>): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= stop();
    return stopped;
  };
}

function localSandbox(folder: string, log: Log) {
  const environment = process.env;
  return createLocalSandbox({ stateDir: folder, stateHash: folder, log, environment });
}

const codeKey = Buffer.alloc(32, 7);

export async function startSpine(t: TestContext, options: SpineOptions = {}): Promise<Spine> {
  const folder = options.folder ?? temporaryFolder(t);
  const workspace = join(folder, "workspace");
  mkdirSync(workspace, { recursive: true });
  const log = memoryLog();
  const store = openSqlite(join(folder, "server.db"));
  const sandbox = localSandbox(folder, log);
  const agent = createAgent({
    preset: fakePreset(options.fake ?? {}, { asks: options.asks ?? true }),
    spawn: sandbox.spawn,
    inside: sandbox.inside,
    log,
    ...(options.limits ? { limits: options.limits } : {}),
    ...options.agent,
  });
  const settings = { retentionDays: 90, ...usualSettings, ...options.settings };
  const gateway = createSpine({
    log,
    store,
    agent,
    sandbox,
    workspaceMode: "rw",
    homes: join(folder, "homes"),
    removeHome,
    files: join(folder, "files"),
    workspace,
    codeKey,
    drainMs: options.drainMs ?? 50,
    agentAsked: options.agentAsked ?? (() => undefined),
    settings: () => settings,
    ...(options.fileLink ? { fileLink: options.fileLink } : {}),
    ...(options.hitlUrl ? { hitlUrl: options.hitlUrl } : {}),
  });
  const desk = options.desk ?? createDesk();
  await gateway.open([desk, ...(options.more ?? [])]);
  const stop = once(gateway.stop);
  t.after(stop);
  return {
    desk,
    gateway,
    store,
    folder,
    workspace,
    log,
    stop,
    async join(account, name, role = "owner") {
      const code = makeCode();
      const invite = { hmac: hmacOf(codeKey, code), name, role, now: Date.now() };
      await store.run(() => addInvite(invite));
      await desk.say(account, `join ${code}`);
      await desk.until(/Welcome/, account);
    },
  };
}
