// Wires everything: the only file that knows all of src/ and channels/.
import { setTimeout as sleep } from "node:timers/promises";
import { channels } from "../channels/index.ts";
import { identifyToken } from "./access/identify.ts";
import { ensureLocal, hashToken, makeToken } from "./access/pairings.ts";
import type { Running } from "./admin/running.ts";
import { settled } from "./admin/settled.ts";
import { createAgent } from "./agent/agent.ts";
import { type Preset, presetNamed, presetNames, presetOfCommand } from "./agent/presets.ts";
import type { Listeners, Open } from "./bus/listeners.ts";
import { createTerminal } from "./cli/terminal/channel.ts";
import type { Config } from "./config/config.ts";
import { writeWhole } from "./config/files.ts";
import { ensureState } from "./config/paths.ts";
import { channelSecret, codeKey, readSecret } from "./config/secrets.ts";
import type { Settings } from "./config/settings.ts";
import { turnSettings } from "./config/turn-settings.ts";
import type { Agent } from "./core/agent.ts";
import type { ChannelContext } from "./core/channel.ts";
import { systemClock } from "./core/clock.ts";
import type { ListenerId } from "./core/words.ts";
import { createLocalSandbox } from "./sandbox/local/sandbox.ts";
import { type Lock, waitForLock } from "./store/lock.ts";
import { hasAsked, markAsked } from "./store/meta.ts";
import { openSqlite } from "./store/sqlite.ts";
import type { Store } from "./store/store.ts";
import { createOperate } from "./turns/operate.ts";
import { createSpine, type Spine, type SpineParts } from "./turns/spine.ts";

export interface Gateway {
  readonly running: Running;
  /** Resolves once the first listeners have been started, well or not, and the control socket is open. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
}

export type Started =
  | { readonly ok: true; readonly gateway: Gateway }
  | { readonly ok: false; readonly problem: string };

/** With SIGTERM's 25 s in mind. */
const drainMs = 20_000;

export async function startGateway(config: Config): Promise<Started> {
  const { paths } = config;
  ensureState(paths);
  const lock = await waitForLock(paths.lock);
  if (!lock)
    return {
      ok: false,
      problem: `A gateway already runs on ${paths.dir}. Talk to it with: sallyport chat`,
    };
  const preset = presetOf(config);
  if (typeof preset === "string") {
    lock.release();
    return { ok: false, problem: preset };
  }
  const live = { settings: config.settings };
  const store = openSqlite(paths.database);
  const { agent, sandbox, agentAsked } = await createWorker(config, preset, store);
  const parts: SpineParts = {
    ...config,
    store,
    agent,
    sandbox,
    homes: paths.homes,
    files: paths.files,
    codeKey: codeKey(paths),
    agentAsked,
    drainMs,
    settings: () => turnSettings(live.settings),
  };
  const spine = createSpine(parts);
  const wiring: Wiring = { config, live, preset, agent, store, spine, lock };
  const running = createRunning(wiring);
  return { ok: true, gateway: await openAll(wiring, running) };
}

interface Wiring {
  readonly config: Config;
  readonly live: { settings: Settings };
  readonly preset: Preset;
  readonly agent: Agent;
  readonly store: Store;
  readonly spine: Spine;
  readonly lock: Lock;
}

async function openAll(wiring: Wiring, running: Running): Promise<Gateway> {
  const { config, store, spine, lock } = wiring;
  await giveLocalOwner(config, store);
  const terminal = openTerminal(wiring);
  const ids = Object.keys(wiring.live.settings.channels);
  const opened = await Promise.all(ids.map((id) => openChannel(wiring, id)));
  for (const one of opened)
    if (typeof one === "string")
      config.log.error({ problem: one }, "A channel could not be opened");
  await spine.open([terminal, ...opened.filter((one) => typeof one !== "string")]);
  const doors = openDoors(wiring, { running, terminal });
  return {
    running,
    ready: Promise.all([doors, spine.listeners.started()]).then(() => undefined),
    async stop() {
      // Doors that could not be opened are said by `ready`. They close last: what a drained turn answers is still seen.
      const opened = await doors.catch(() => undefined);
      await spine.stop();
      await opened?.stop();
      lock.release();
    },
  };
}

/** A fresh token at each start, in a file that only this user can read. */
async function giveLocalOwner({ paths }: Config, store: Store): Promise<void> {
  const token = makeToken();
  const now = systemClock.now();
  const id = hashToken(token).slice(0, 20);
  await store.run(() => ensureLocal({ id, tokenHash: hashToken(token), now }));
  writeWhole(paths.localToken, `${token}\n`);
}

function presetOf({ agent }: Config): Preset | string {
  if (agent.is === "command")
    return (
      presetOfCommand(agent.line) ??
      "The command line of the agent cannot be read: check its quotes. Set it with: sallyport config set command 'PROGRAM ARGS'"
    );
  return (
    presetNamed(agent.name) ??
    `There is no agent ${JSON.stringify(agent.name)}. Known ones: ${presetNames.join(", ")}. Choose one with: sallyport config set agent NAME. Any other: --command "PROGRAM ARGS"`
  );
}

async function createWorker(config: Config, preset: Preset, store: Store) {
  const { paths, log, environment } = config;
  const sandbox = createLocalSandbox({
    stateDir: paths.dir,
    stateHash: paths.hash,
    log,
    environment: environment.variables,
  });
  const worker = createAgent({ preset, spawn: sandbox.spawn, inside: sandbox.inside, log });
  const command = [preset.program, ...preset.args].join(" ");
  const known = { asks: preset.asks || (await store.run(() => hasAsked(command))) };
  const agent: Agent = {
    ...worker,
    get asks() {
      return known.asks;
    },
  };
  const agentAsked = () => {
    if (known.asks) return;
    known.asks = true;
    store
      .run(() => markAsked(command))
      .catch((error) => log.error({ error }, "Could not note that the agent asks"));
  };
  return { agent, sandbox, agentAsked };
}

function openTerminal({ config, store }: Wiring): Open {
  const channel = createTerminal({
    settled: (chat, signal) => settled(store, { listener: "terminal", chat }, signal),
  });
  return { channel, listener: channel.open({}, contextOf(config, "terminal")) };
}

/** The channel of `channels.<id>`, not listening yet, or what is wrong with it. */
async function openChannel({ config, live }: Wiring, id: ListenerId): Promise<Open | string> {
  const entry = live.settings.channels[id];
  const load = entry && Object.hasOwn(channels, entry.kind) ? channels[entry.kind] : undefined;
  if (!entry || !load) return `There is no channel ${id} of a known kind.`;
  const token = readSecret(config.paths, channelSecret(id));
  if (!token)
    return `${id} has no token. Give it one with: sallyport secret set ${channelSecret(id)}`;
  const { channel, configSchema } = await load();
  const { kind: _, ...settings } = entry;
  const parsed = configSchema.safeParse({ ...settings, token });
  if (!parsed.success)
    return `${id}: ${parsed.error.issues.map(({ message }) => message).join("; ")}`;
  return { channel, listener: channel.open(parsed.data, contextOf(config, id)) };
}

function contextOf({ log }: Config, listener: ListenerId): ChannelContext {
  return {
    listener,
    log,
    fetchFrom(root) {
      // Loaded with the first file that somebody sends.
      const client = import("./net/guarded-fetch.ts").then(({ createGuardedFetch }) =>
        createGuardedFetch({ allow: { root } }),
      );
      return async (url, init) => (await client).fetch(url, init);
    },
  };
}

/** The control socket, and the TCP server when it was asked for; loaded once the listeners, which people wait for, are heard. */
async function openDoors(
  { config, store, spine }: Wiring,
  { running, terminal }: { running: Running; terminal: Open },
): Promise<Pick<Gateway, "stop">> {
  const { paths, log, listen } = config;
  const aSecond = sleep(1000, undefined, { ref: false });
  await Promise.race([spine.listeners.started(), aSecond]);
  const [{ openControl }, { runOperation }] = await Promise.all([
    import("./http/control.ts"),
    import("./admin/operations.ts"),
  ]);
  const context = { place: config, clock: systemClock, running, store: async () => store };
  const control = await openControl({
    path: paths.socket,
    record: paths.socketRecord,
    runtimeDir: paths.runtimeDir,
    log,
    routes: terminal.listener.routes?.() ?? [],
    admin: (name, input) => runOperation(context, name, input),
  });
  const closing = (error: unknown) => control.stop().then(() => Promise.reject(error));
  const server = listen && (await openHttp({ config, store, running, listen }).catch(closing));
  return {
    async stop() {
      await server?.stop();
      await control.stop();
    },
  };
}

async function openHttp(it: {
  config: Config;
  store: Store;
  running: Running;
  listen: { readonly host: string; readonly port: number };
}) {
  const { openServer } = await import("./http/server.ts");
  const server = await openServer({
    ...it.listen,
    log: it.config.log,
    async isOwner(token) {
      const known = await it.store.run(() => identifyToken(hashToken(token)));
      return known?.kind === "local";
    },
    health: () => ({ listeners: it.running.listeners() }),
  });
  it.config.log.info({ url: server.url }, "Listening");
  return server;
}

function createRunning(wiring: Wiring): Running {
  const { config, live, preset, agent, spine } = wiring;
  const operate = createOperate(spine.ports, spine.receiver);
  return {
    agent,
    stopCaller: operate.endCaller,
    stopAccounts: operate.endAccounts,
    cancelTask: operate.cancelTask,
    decide: operate.decide,
    async openChannel(id) {
      const settings = await config.reload();
      if (!settings.ok) return { done: false, problem: settings.problem };
      live.settings = settings.value;
      const one = await openChannel(wiring, id);
      if (typeof one === "string") return { done: false, problem: one };
      await spine.listeners.remove(id);
      return await openAndLook(spine.listeners, one);
    },
    closeChannel: (id) => spine.listeners.remove(id),
    listeners: () =>
      spine.listeners.all().map(({ channel, listener }) => ({
        id: listener.id,
        kind: channel.name,
        health: listener.health(),
      })),
    joinLink: (id, code) => spine.listeners.get(id)?.listener.joinLink?.(code),
    async reload() {
      const settings = await config.reload();
      if (!settings.ok) return { done: false, problem: settings.problem };
      live.settings = settings.value;
      spine.ports.lanes.setConcurrency(settings.value.turns.concurrent);
      return { done: true };
    },
    async probeAgent() {
      const { probeAgent } = await import("./agent/probe.ts");
      const { started, asked, error } = await probeAgent({ agent, prompt: preset.probe });
      if (asked) spine.ports.agentAsked();
      return { agent: agent.name, starts: started, asked, ...(error ? { problem: error } : {}) };
    },
  };
}

/** A token that the platform refuses at once is said at once. */
async function openAndLook(listeners: Listeners, one: Open) {
  listeners.add(one);
  await listeners.start(one.listener.id);
  const { state, lastError } = one.listener.health();
  return state === "unauthorised"
    ? ({ done: false, problem: lastError ?? "its token is refused" } as const)
    : ({ done: true } as const);
}
