// Wires everything: the only file that knows all of src/ and channels/.
import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hmacOf } from "./access/codes.ts";
import { createApprovals } from "./approvals/approvals.ts";
import { renderCard } from "./approvals/card.ts";
import type { Recipient } from "./approvals/ports.ts";
import { accept } from "./bus/accept.ts";
import { createDeliver } from "./bus/deliver.ts";
import { createLanes } from "./bus/lanes.ts";
import { createListeners, type Listeners, type Open } from "./bus/listeners.ts";
import type { Agent } from "./core/agent.ts";
import { systemClock } from "./core/clock.ts";
import type { Log } from "./core/log.ts";
import type { Sandbox, SandboxScope } from "./core/sandbox.ts";
import type { Caller } from "./core/words.ts";
import { ownerAccounts } from "./store/accounts.ts";
import type { Store } from "./store/store.ts";
import { admitter } from "./turns/admit.ts";
import { type Alarm, createAlarm } from "./turns/alarm.ts";
import { drain } from "./turns/drain.ts";
import { tellGone } from "./turns/gone.ts";
import type { TurnPorts, TurnSettings } from "./turns/ports.ts";
import { createReceiver, type Receiver } from "./turns/receive.ts";
import { recover } from "./turns/recover.ts";
import { unhandled } from "./turns/resume.ts";
import { menu } from "./turns/words.ts";

export interface GatewayParts {
  readonly log: Log;
  readonly store: Store;
  readonly agent: Agent;
  readonly sandbox: Sandbox;
  readonly stateDir: string;
  readonly workspace: string;
  /** Random, of this state only: what pairing codes are kept under. */
  readonly codeKey: Uint8Array;
  /** How long a stop waits for turns that are at work. */
  readonly drainMs: number;
  settings(): TurnSettings;
}

export interface Gateway {
  readonly ports: TurnPorts;
  readonly receiver: Receiver;
  readonly listeners: Listeners;
  readonly alarm: Alarm;
  /** Settles what the last gateway left, then opens these listeners; call it once. */
  open(first: readonly Open[]): Promise<void>;
  stop(): Promise<void>;
}

/** The spine, deaf until `open`. */
export function createGateway(parts: GatewayParts): Gateway {
  const { log, store } = parts;
  const clock = systemClock;
  const listeners = createListeners({
    log,
    clock,
    menu,
    accept: (id) => (events) => accept(door, id, events),
  });
  const ports = createPorts(parts, listeners);
  const receiver = createReceiver(ports);
  const door = { store, clock, log, admit: admitter(ports), handle: receiver.handle };
  const alarm = createAlarm({
    ...ports,
    ownerChats: () => reachableOwners(store, listeners),
    listeners: () => listeners.all().map(({ listener }) => listener),
  });
  return {
    ports,
    receiver,
    listeners,
    alarm,
    open: (first) => open({ ports, receiver, listeners, sandbox: parts.sandbox }, first),
    stop: () => close({ ports, receiver, listeners }, parts),
  };
}

function createPorts(parts: GatewayParts, listeners: Listeners): TurnPorts {
  const { log, store, settings } = parts;
  const render: TurnPorts["render"] = async (id, text) =>
    listeners.get(id)?.channel.render(text) ?? [];
  const basics = { store, log, render, clock: systemClock, token: newToken };
  const deliver = createDeliver({
    ...basics,
    listener: (id) => listeners.get(id)?.listener,
    renderCard: (row) => renderCard(basics, row),
    ...tellGone({ ...basics, approvals: () => approvals }),
  });
  const approvals = createApprovals({
    ...basics,
    ownerChats: () => reachableOwners(store, listeners),
    deliver: deliver.deliver,
    isIdle: deliver.isIdle,
  });
  return {
    ...basics,
    deliver,
    approvals,
    settings,
    lanes: createLanes(settings().concurrent, (error) => log.error({ error }, "A lane failed")),
    agent: parts.agent,
    hmac: (code) => hmacOf(parts.codeKey, code),
    listener: (id) => listeners.get(id)?.listener,
    channel: (id) => listeners.get(id)?.channel,
    scopeOf: (caller) => scopeOf(parts, caller),
    inside: (scope) => parts.sandbox.inside(scope),
    keepFile: (name, text) => keepFile(parts.stateDir, name, text),
  };
}

/** 120 random bits in 20 characters. */
function newToken(): string {
  return randomBytes(15).toString("base64url");
}

async function close(gateway: Omit<Opening, "sandbox">, parts: GatewayParts): Promise<void> {
  const { ports, receiver, listeners } = gateway;
  await listeners.stop();
  await drain(ports, receiver, parts.drainMs);
  ports.approvals.stop();
  await parts.agent.stop();
  await ports.deliver.stop();
  await parts.sandbox.stop();
  await parts.store.close();
}

interface Opening {
  readonly ports: TurnPorts;
  readonly receiver: Receiver;
  readonly listeners: Listeners;
  readonly sandbox: Sandbox;
}

/** What the last gateway left is settled before any new event is looked at. */
async function open(opening: Opening, first: readonly Open[]): Promise<void> {
  const { ports, receiver, listeners, sandbox } = opening;
  const swept = (await sandbox.sweep()) === "clean";
  const found = await recover(ports, swept);
  const commands = await unhandled(ports);
  for (const one of first) listeners.add(one);
  await found.report();
  const { reported, ambiguous } = found;
  if (found.again.length + found.lanes.length + reported + ambiguous + commands.length > 0)
    ports.log.info(
      { again: found.again.length, waiting: found.lanes.length, reported, ambiguous, swept },
      "Took up what the last gateway left",
    );
  ports.deliver.deliver(found.rows);
  for (const work of found.again) receiver.run(work);
  for (const lane of found.lanes) receiver.wake(lane);
  receiver.handle(commands);
  for (const { listener } of first) listeners.start(listener.id);
}

/** Owners' direct chats on listeners that can open one. */
async function reachableOwners(store: Store, listeners: Listeners): Promise<Recipient[]> {
  const accounts = await store.run(ownerAccounts);
  const found = await Promise.all(
    accounts.map(async ({ listener, account, pairing }) => {
      const to = await listeners
        .get(listener)
        ?.listener.openDirect?.(account)
        .catch(() => undefined);
      return to ? [{ person: `p:${pairing}`, to }] : [];
    }),
  );
  return found.flat();
}

/** One sandbox per pairing, one for all people we do not know. */
function scopeOf({ stateDir, workspace }: GatewayParts, { pairing, role }: Caller): SandboxScope {
  const key = pairing === null ? "anonymous" : `p-${pairing}`;
  const workspaceMode = role === "anonymous" ? "ro" : "rw";
  return { key, pairing, workspace, workspaceMode, home: join(stateDir, "homes", key) };
}

async function keepFile(stateDir: string, name: string, text: string) {
  const folder = join(stateDir, "files", randomBytes(9).toString("base64url"));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  await writeFile(path, text, { mode: 0o600 });
  return { path, size: Buffer.byteLength(text) };
}
