// Starts a gateway; with the files of gateway/ the only one that knows all of src/ and channels/.
import { ensureLocal, hashToken, makeToken } from "./access/pairings.ts";
import type { Running } from "./admin/running.ts";
import type { Config } from "./config/config.ts";
import { writeWhole } from "./config/files.ts";
import { ensureState } from "./config/paths.ts";
import { codeKey } from "./config/secrets.ts";
import { turnSettings } from "./config/turn-settings.ts";
import { systemClock } from "./core/clock.ts";
import { openChannel, openTerminal } from "./gateway/channels.ts";
import { openDoors } from "./gateway/doors.ts";
import { linksOf } from "./gateway/links.ts";
import { createPage } from "./gateway/page.ts";
import { createRunning } from "./gateway/running.ts";
import { endBefore } from "./gateway/uncovered.ts";
import type { Live, Wiring } from "./gateway/wiring.ts";
import { createWorker, presetOf } from "./gateway/worker.ts";
import { removeHome } from "./sandbox/set-aside.ts";
import { type Lock, waitForLock } from "./store/lock.ts";
import { openSqlite } from "./store/sqlite.ts";
import type { Store } from "./store/store.ts";
import { createSpine, type Spine, type SpineParts } from "./turns/spine.ts";

/** Loaded by the commands that deal with mail; a gateway loads its channels itself. */
export const mail = () => import("./gateway/mail.ts");

export interface Gateway {
  readonly running: Running;
  /** Resolves once the first listeners have been started, well or not, and the control socket is open. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
}

export type Started =
  | { readonly ok: true; readonly gateway: Gateway }
  | { readonly ok: false; readonly problem: string };

/** With SIGTERM's 25 s in mind: what is parked after it has to end as well. */
const drainMs = 18_000;

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
  const live: Live = { settings: config.settings };
  const store = openSqlite(paths.database);
  const late: { spine?: Spine } = {};
  const meter = () => {
    if (!late.spine) throw new Error("The meter was needed before it was there.");
    return late.spine.ports.meter;
  };
  const worker = await createWorker({ config, live, preset, store, meter });
  if (typeof worker === "string") {
    await store.close();
    lock.release();
    return { ok: false, problem: worker };
  }
  const { agent, sandbox, agentAsked } = worker;
  const parts: SpineParts = {
    ...config,
    store,
    agent,
    sandbox,
    workspaceMode: config.sandbox.is === "docker" ? config.sandbox.workspaceMode : "rw",
    homes: paths.homes,
    removeHome,
    files: paths.files,
    codeKey: codeKey(paths),
    agentAsked,
    drainMs,
    settings: () => turnSettings(live.settings),
    ...linksOf(live, codeKey(paths)),
  };
  const spine = createSpine(parts);
  late.spine = spine;
  const wiring: Wiring = { config, live, preset, agent, store, spine };
  const gateway = await openAll(wiring, lock);
  void gateway.ready.then(sandbox.prepare, () => {});
  return { ok: true, gateway };
}

async function openAll(wiring: Wiring, lock: Lock): Promise<Gateway> {
  const { config, store, spine } = wiring;
  const page = createPage(wiring);
  const running = createRunning(wiring, page);
  await giveLocalOwner(config, store);
  const entries = wiring.live.settings.access.allowEmail;
  await endBefore({ store, clock: systemClock, entries }, spine.ports.approvals);
  const terminal = openTerminal(config, store);
  const ids = Object.keys(wiring.live.settings.channels);
  const opened = await Promise.all(ids.map((id) => openChannel(wiring, id)));
  for (const one of opened)
    if (typeof one === "string")
      config.log.error({ problem: one }, "A channel could not be opened");
  await spine.open([terminal, page.open, ...opened.filter((one) => typeof one !== "string")]);
  const doors = openDoors(wiring, { running, terminal, page });
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
