// How the listener is: what it last heard, and whether it hears what it should.
import type { ListenerHealth } from "../../src/core/channel.ts";
import type { Log } from "../../src/core/log.ts";

export interface Health {
  now(): ListenerHealth;
  /** A sign of life from Slack. */
  contact(): void;
  event(): void;
  connected(): void;
  /** A request came that Slack did not sign, or not with our secret. */
  unsigned(): void;
  /** Logged once for each kind of trouble, however often it is met. */
  trouble(state: "reconnecting" | "unauthorised", why: string): void;
  stopped(): void;
  /** What was heard cannot be stored. */
  cannotStore(why: string): void;
  stored(): void;
  /** A message of ours is out: Slack tells us of it like of any other, if it tells us anything. */
  spoke(chat: string): void;
  /** We were told of one of our own. */
  heardOwn(chat: string): void;
  /** It did not, for too long. */
  isDeaf(): boolean;
}

interface State {
  state: ListenerHealth["state"];
  lastContact?: number;
  lastEvent?: number;
  lastError?: string;
  readonly since: number;
  /** Since when an event is due. */
  due?: number;
}

const deafAdvice =
  "Slack tells this app of no messages, not even its own. Look whether its event subscriptions are on, and in HTTP mode at its Request URL.";

const unsignedAdvice =
  "A request came whose signature is not Slack's. If it is Slack that calls, its signing secret here is wrong, or this machine's clock is.";

export function createHealth({ log, deafMs }: { log: Log; deafMs: number }): Health {
  const it: State = { state: "starting", since: Date.now() };
  /** Direct messages are always told; of other conversations it shows with the first one. */
  const told = new Set(["D"]);
  const isDeaf = () => it.due !== undefined && Date.now() - it.due > deafMs;
  const fine = () => {
    if (it.state === "connected") return;
    log.info({}, "Connected to Slack");
    it.state = "connected";
    delete it.lastError;
  };
  return {
    isDeaf,
    now() {
      const { since, due: _, ...shown } = it;
      if (it.state === "stopped" || it.state === "unauthorised") return shown;
      if (isDeaf()) return { ...shown, state: "deaf", lastError: deafAdvice };
      const silent = Date.now() - (it.lastContact ?? since);
      return silent > deafMs ? { ...shown, state: "deaf" } : shown;
    },
    contact() {
      it.lastContact = Date.now();
      if (it.lastError === unsignedAdvice) delete it.lastError;
    },
    unsigned() {
      if (it.lastError === undefined) log.warn({}, unsignedAdvice);
      it.lastError ??= unsignedAdvice;
    },
    event() {
      it.lastContact = Date.now();
      it.lastEvent = Date.now();
      delete it.due;
    },
    connected() {
      it.lastContact = Date.now();
      if (it.state !== "stopped") fine();
    },
    trouble(state, why) {
      if (it.state === "stopped") return;
      if (it.lastError !== why) log.warn({ why }, "Slack is not heard");
      it.state = state;
      it.lastError = why;
    },
    stopped() {
      it.state = "stopped";
      delete it.due;
    },
    cannotStore(why) {
      it.lastError = why;
    },
    stored() {
      if (it.state === "connected") delete it.lastError;
    },
    spoke(chat) {
      if (told.has(chat.slice(0, 1))) it.due ??= Date.now();
    },
    heardOwn(chat) {
      told.add(chat.slice(0, 1));
    },
  };
}
