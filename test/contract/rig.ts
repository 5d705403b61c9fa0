// The rig that the channel contract runs on: a running listener, and the other side of its platform.
import type { Channel, Listener } from "../../src/core/channel.ts";
import type { InboundEvent, InboundMessage } from "../../src/core/events.ts";
import type { Address } from "../../src/core/words.ts";

/** A message as people see it now. */
export interface Seen {
  readonly text: string;
  readonly buttons: readonly string[];
  readonly file?: string;
  readonly ours: boolean;
}

/** What the next send meets. */
export type Fault = "rate-limited" | "format" | "too-long" | "gone" | "not-sent" | "unknown";

/** The platform's side of one bot, app or terminal, as a person and as its operator. */
export interface Rig {
  readonly channel: Channel;
  readonly listener: Listener;
  readonly direct: Address;
  readonly group?: Address;
  readonly thread?: Address;
  /** A person writes; in groups `addressed` decides whether it is meant for us. */
  says(place: Address, text: string, addressed?: boolean): void;
  visible(place: Address): readonly Seen[];
  /** Resolves once `check` holds; asked again after each change. */
  until(what: string, check: () => boolean): Promise<void>;
  /** Events that the platform would deliver again; absent where nothing is delivered twice. */
  unconfirmed?(): number;
  /** The same bot in a new process. */
  again?(): Listener;
  /** Our own messages, bots and service messages: whatever must end in the channel. */
  noise?(place: Address): void;
  presses?(place: Address, label: string): void;
  /** What pressers were told in private. */
  notices?(place: Address): readonly string[];
  sendsFile?(place: Address, name: string, content: string): void;
  typing?(): readonly { readonly chat: string; readonly thread?: string }[];
  faults?: Partial<Record<Fault, () => void>>;
  /** The token no longer counts. */
  revoke?(): void;
  /** From now on nothing more is delivered, though sends go through; `undefined` undoes it. */
  deafen?(): void;
  close(): Promise<void>;
}

export type Setup = () => Promise<Rig>;

/** Keeps what was accepted, and lets a test decide how acceptance goes. */
export function inbox(accept: (events: readonly InboundEvent[]) => Promise<void> = async () => {}) {
  const events: InboundEvent[] = [];
  return {
    events,
    messages: () => events.filter((event): event is InboundMessage => event.kind === "message"),
    /** What people said: a silent message is noted, and heard by nobody. */
    texts: () =>
      events.flatMap((event) =>
        event.kind === "message" && event.silent === undefined ? [event.text] : [],
      ),
    async accept(batch: readonly InboundEvent[]) {
      await accept(batch);
      events.push(...batch);
    },
  };
}

/** Runs `work` with a fresh rig, and ends everything it started. */
export async function withRig(setup: Setup, work: (rig: Rig) => Promise<void>): Promise<void> {
  const rig = await setup();
  try {
    await work(rig);
  } finally {
    await rig.listener.stop();
    await rig.close();
  }
}

export interface Watching {
  /** Resolves once a person was shown everything up to now. */
  seen(): Promise<unknown>;
  /** Resolves once whoever was writing when the listener stopped knows what became of it. */
  stopped?(): Promise<unknown>;
}

/** What is sent is in front of a person when the send resolves. */
export function shownWhenDone(listener: Listener, { seen, stopped }: Watching): Listener {
  const pending = new Set<Promise<unknown>>();
  const then = <A extends unknown[], T>(act: (...args: A) => Promise<T>) => {
    return (...args: A): Promise<T> => {
      const shown = act(...args).then(async (result) => {
        await seen();
        return result;
      });
      pending.add(shown);
      return shown;
    };
  };
  const { send, edit, remove, answerPress, showTyping } = listener;
  if (!edit || !remove || !answerPress || !showTyping) throw new Error("an ability is missing");
  return {
    ...listener,
    send: then(send),
    edit: then(edit),
    remove: then(remove),
    answerPress: then(answerPress),
    showTyping: then(showTyping),
    async stop() {
      await listener.stop();
      await Promise.all(pending);
      await stopped?.();
    },
  };
}
