// How the listener is: what was heard last, what is wrong, and whether it only looks connected.
import type { ListenerHealth } from "../../src/core/channel.ts";

type State = ListenerHealth["state"];

export interface Health {
  /** A frame of the gateway came. */
  contact(): void;
  /** An event came, of whatever kind: what was waited for is not needed any more. */
  dispatched(): void;
  /** Something that a person did was accepted. */
  event(): void;
  /** Discord tells every message, ours as well: one was sent, so that an event has to come. */
  expect(): void;
  connected(): void;
  trouble(state: State, why: string): void;
  /** The connection is being made anew; what is known to be wrong stays. */
  reconnecting(): void;
  /** Something works less well than it could; shown while nothing worse is known. */
  hint(why: string | undefined): void;
  /** What came in could not be kept, or can be again. */
  unstored(why: string): void;
  stored(): void;
  stopped(): void;
  state(): State;
  isDeaf(): boolean;
  read(): ListenerHealth;
}

interface Known {
  state: State;
  /** Since when it is as it is, where nothing was ever heard. */
  since: number;
  lastContact?: number;
  lastEvent?: number;
  expectedSince?: number | undefined;
  /** Of the connection, of what is accepted, of what could be better: the first of them is shown. */
  readonly errors: {
    connection?: string | undefined;
    intake?: string | undefined;
    hint?: string | undefined;
  };
}

export function createHealth(deafSeconds: number): Health {
  const known: Known = { state: "starting", since: Date.now(), errors: {} };
  const { errors } = known;
  return {
    contact() {
      known.lastContact = Date.now();
    },
    dispatched() {
      known.lastContact = Date.now();
      known.expectedSince = undefined;
    },
    event() {
      known.lastEvent = Date.now();
    },
    expect() {
      if (known.state === "connected") known.expectedSince ??= Date.now();
    },
    connected() {
      if (known.state === "stopped") return;
      known.state = "connected";
      known.lastContact = Date.now();
      errors.connection = undefined;
    },
    trouble(next, why) {
      if (known.state === "stopped") return;
      known.state = next;
      errors.connection = why;
    },
    reconnecting() {
      if (known.state === "connected") known.state = "reconnecting";
    },
    hint(why) {
      errors.hint = why;
    },
    unstored(why) {
      errors.intake = why;
    },
    stored() {
      errors.intake = undefined;
    },
    stopped() {
      known.state = "stopped";
    },
    state: () => known.state,
    isDeaf: () => isDeaf(known, deafSeconds),
    read: () => shown(known, deafSeconds),
  };
}

function isDeaf({ state, since, lastContact, expectedSince }: Known, deafSeconds: number): boolean {
  const late = (time = Date.now()) => Date.now() - time > deafSeconds * 1000;
  if (state === "connected") return late(lastContact ?? since) || late(expectedSince);
  return (state === "starting" || state === "reconnecting") && late(lastContact ?? since);
}

function shown(known: Known, deafSeconds: number): ListenerHealth {
  const { state, lastContact, lastEvent, errors } = known;
  const why = errors.connection ?? errors.intake ?? errors.hint;
  return {
    state: isDeaf(known, deafSeconds) ? "deaf" : state,
    ...(lastContact === undefined ? {} : { lastContact }),
    ...(lastEvent === undefined ? {} : { lastEvent }),
    ...(why === undefined ? {} : { lastError: why }),
  };
}
