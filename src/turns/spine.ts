// The spine: bus, access, approvals and turns as one, without channels of its own.
import { randomBytes } from "node:crypto";
import { hmacOf } from "../access/codes.ts";
import { createApprovals } from "../approvals/approvals.ts";
import { renderCard } from "../approvals/copy.ts";
import { wordOf } from "../approvals/word.ts";
import { accept } from "../bus/accept.ts";
import { createDeliver, type Deliver } from "../bus/deliver.ts";
import { createLanes } from "../bus/lanes.ts";
import { createListeners, type Listeners, type Open } from "../bus/listeners.ts";
import type { Agent } from "../core/agent.ts";
import { systemClock } from "../core/clock.ts";
import { writeCommands } from "../core/command-text.ts";
import type { Log } from "../core/log.ts";
import type { Sandbox } from "../core/sandbox.ts";
import type { Store } from "../store/store.ts";
import { admitter } from "./admit.ts";
import { createAlarm } from "./alarm.ts";
import { drain } from "./drain.ts";
import { tellGone } from "./gone.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { keepFile, reachableOwners, scopeOf } from "./places.ts";
import type { TurnPorts, TurnSettings } from "./ports.ts";
import { createReceiver, type Receiver } from "./receive.ts";
import { recover } from "./recover.ts";
import { unhandled } from "./resume.ts";
import { forgetHomes } from "./share.ts";
import { createMeter } from "./usage.ts";
import { groupMenu, menu } from "./words.ts";

export interface SpineParts {
  readonly log: Log;
  readonly store: Store;
  readonly agent: Agent;
  readonly sandbox: Sandbox;
  readonly workspace: string;
  readonly workspaceMode: "rw" | "ro";
  readonly homes: string;
  readonly files: string;
  removeHome(home: string): Promise<boolean>;
  /** Random, of this state only: what pairing codes are kept under. */
  readonly codeKey: Uint8Array;
  /** How long a stop waits for turns that are at work. */
  readonly drainMs: number;
  agentAsked(): void;
  /** Absent: nobody outside can reach this machine. */
  fileLink?(part: number): string | undefined;
  /** Absent: no page of ours can be reached. Where a card is answered in a browser. */
  hitlUrl?(card: string, listener: string): string | undefined;
  settings(): TurnSettings & { readonly retentionDays: number };
}

/** The middle, without channels of its own. */
export interface Spine {
  readonly ports: TurnPorts;
  readonly receiver: Receiver;
  readonly listeners: Listeners;
  /** Settles what the last gateway left, then opens these listeners; call it once. */
  open(first: readonly Open[]): Promise<void>;
  stop(): Promise<void>;
}

export function createSpine(parts: SpineParts): Spine {
  const { log, store } = parts;
  const clock = systemClock;
  const listeners = createListeners({
    log,
    clock,
    menu: [...menu, ...groupMenu],
    accept: (id) => (events) => accept(door, id, events),
  });
  const ports = createPorts(parts, listeners);
  const receiver = createReceiver(ports);
  const door = { store, clock, log, admit: admitter(ports), handle: receiver.handle };
  const housekeeping = startHousekeeping({
    ...parts,
    clock,
    retentionDays: () => parts.settings().retentionDays,
    look: ports.alarm.look,
  });
  return {
    ports,
    receiver,
    listeners,
    open: (first) => open({ ports, receiver, listeners, sandbox: parts.sandbox }, first),
    async stop() {
      housekeeping.stop();
      await close({ ports, receiver, listeners }, parts);
    },
  };
}

function createPorts(parts: SpineParts, listeners: Listeners): TurnPorts {
  const { log, store, settings } = parts;
  const render: TurnPorts["render"] = async (id, text) => {
    const channel = listeners.get(id)?.channel;
    return channel?.render(writeCommands(text, channel.writeCommand)) ?? [];
  };
  const basics = { store, log, render, clock: systemClock, token: tokens() };
  const showing = { ...basics, ...cardPorts(parts, listeners) };
  const { channel, word } = showing;
  const deliver: Deliver = createDeliver({
    ...basics,
    listener: (id) => listeners.get(id)?.listener,
    isOneMessage: (id) => channel(id)?.oneMessage === true,
    renderCard: (row) => renderCard(showing, row),
    ...tellGone({
      ...basics,
      approvals: () => approvals,
      alarm: () => alarm,
      deliver: { deliver: (rows) => deliver.deliver(rows) },
    }),
  });
  const ownerChats = () => reachableOwners(store, listeners);
  const approvals = createApprovals({
    ...showing,
    ownerChats,
    deliver: deliver.deliver,
    isIdle: deliver.isIdle,
  });
  const alarm = createAlarm({
    ...basics,
    deliver,
    ownerChats,
    listeners: () => listeners.all().map(({ listener }) => listener),
  });
  return {
    ...basics,
    deliver,
    approvals,
    alarm,
    meter: createMeter({ ...basics, settings }),
    settings,
    lanes: createLanes(settings().concurrent, (error) => log.error({ error }, "A lane failed")),
    agent: parts.agent,
    agentAsked: parts.agentAsked,
    hmac: (code) => hmacOf(parts.codeKey, code),
    word,
    listener: (id) => listeners.get(id)?.listener,
    channel,
    scopeOf: (doing) => scopeOf(parts, doing),
    homes: parts.homes,
    removeHome: parts.removeHome,
    inside: (scope) => parts.sandbox.inside(scope),
    keepFile: (name, content) => keepFile(parts.files, name, content),
    fileLink: (part) => parts.fileLink?.(part),
  };
}

function cardPorts({ codeKey, hitlUrl }: SpineParts, listeners: Listeners) {
  const channel = (id: string) => listeners.get(id)?.channel;
  return {
    channel,
    word: (card: string) => wordOf(codeKey, card),
    cardLink: (id: string, card: string) =>
      channel(id)?.limits.buttons === 0 ? hitlUrl?.(card, id) : undefined,
  };
}

/** 120 random bits in 20 characters, which the command line does not take for an option; the system is asked for many at once. */
function tokens(): () => string {
  const size = 15;
  let pool = Buffer.alloc(0);
  return () => {
    if (pool.length < size) pool = randomBytes(size * 256);
    const token = pool.toString("base64url", 0, size).replace(/^-/, "0");
    pool = pool.subarray(size);
    return token;
  };
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
  await ports.meter.prime();
  const swept = (await sandbox.sweep()) === "clean";
  if (swept) await forgetHomes(ports);
  const found = await recover(ports, swept);
  for (const one of first) listeners.add(one);
  const commands = await unhandled(ports);
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
  for (const { listener } of first) void listeners.start(listener.id);
}

async function close(spine: Omit<Opening, "sandbox">, parts: SpineParts): Promise<void> {
  const { ports, receiver, listeners } = spine;
  await listeners.stop();
  await drain(ports, receiver, parts.drainMs);
  ports.approvals.stop();
  await parts.agent.stop();
  await ports.deliver.stop();
  await parts.sandbox.stop();
  await ports.meter.write();
  await parts.store.close();
}
