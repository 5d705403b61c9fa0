// A chat's side of the terminal listener: says and presses exactly once, follows the events over drops and restarts.
import { setTimeout as sleep } from "node:timers/promises";
import { call, events } from "../control-client.ts";
import { routes, type Settled, type SettledReply, type TerminalEvent } from "./events.ts";

export interface ConnectionOptions {
  /** Looked up again at each attempt: a gateway that starts anew may have another. */
  socket(): string;
  readonly after: "now" | "unseen";
  /** How long a gateway may be away before `say` and `settled` give up, ms. */
  readonly patience: number;
  on(event: TerminalEvent): void;
  onState(state: "connected" | "lost"): void;
}

export interface Connection {
  /** Resolves once the gateway has it durably. The caller chooses the ids: the same id is the same message. */
  say(message: { readonly id: string; readonly text: string }): Promise<void>;
  press(press: {
    readonly id: string;
    readonly message: string;
    readonly data: string;
  }): Promise<void>;
  /** Resolves once nothing is under way and every event of before was handed to `on`. */
  settled(): Promise<Settled>;
  close(): void;
}

const retryAfter = 200;

export function connect(options: ConnectionOptions): Connection {
  const closed = new AbortController();
  const position = createPosition();
  follow(options, position, closed.signal).catch(() => {});

  let before: Promise<void> = Promise.resolve();
  const post = async (path: string, body: unknown) => {
    await persist(options, closed.signal, async () => {
      const reply = await call(options.socket(), { path, body, signal: closed.signal });
      if (reply.status === 503) throw new Error("not ready");
      if (reply.status !== 200) throw new Refused(problemIn(reply.body));
    });
  };
  return {
    say(message) {
      // One after the other: what is said first must arrive first.
      const said = before.then(() => post(routes.messages, message));
      before = said.catch(() => {});
      return said;
    },
    press: (press) => post(routes.presses, press),
    settled: () =>
      persist(options, closed.signal, async () => {
        const path = routes.settled;
        const reply = await call(options.socket(), { method: "GET", path, signal: closed.signal });
        if (reply.status !== 200) throw new Error("not ready");
        const { settled, last } = reply.body as SettledReply;
        await position.reached(last, closed.signal);
        return settled;
      }),
    close: () => closed.abort(),
  };
}

/** The gateway understood and said no: asking again changes nothing. */
class Refused extends Error {}

function problemIn(body: unknown): string {
  const problem = (body as { problem?: unknown } | undefined)?.problem;
  return typeof problem === "string" ? problem : "The gateway refused it.";
}

async function persist<T>(
  { patience }: ConnectionOptions,
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + patience;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof Refused || signal.aborted || performance.now() > until) throw error;
      await sleep(retryAfter, undefined, { signal });
    }
  }
}

async function follow(
  { socket, after, on, onState }: ConnectionOptions,
  position: Position,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const path = `${routes.events}?after=${encodeURIComponent(position.at() ?? after)}`;
      let connected = false;
      for await (const { id, data } of events(socket(), { path, signal })) {
        if (!connected) onState("connected");
        connected = true;
        if (data !== undefined) on(JSON.parse(data) as TerminalEvent);
        if (id !== undefined) position.move(id);
      }
    } catch {
      // The gateway is away; what it says later is not lost.
    }
    if (signal.aborted) return;
    onState("lost");
    await sleep(retryAfter, undefined, { signal });
  }
}

interface Position {
  at(): string | undefined;
  move(id: string): void;
  /** Resolves once this event, or one of a later gateway, was seen. */
  reached(id: string, signal: AbortSignal): Promise<void>;
}

function createPosition(): Position {
  let current: string | undefined;
  const waiting = new Set<() => void>();
  const has = (id: string) => {
    const [boot, seq] = id.split("-");
    const [ourBoot, ourSeq] = (current ?? "").split("-");
    return boot === ourBoot && Number(ourSeq) >= Number(seq);
  };
  return {
    at: () => current,
    move(id) {
      current = id;
      for (const look of waiting) look();
    },
    async reached(id, signal) {
      if (has(id)) return;
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => end(() => reject(new Error("not reached"))), 5000);
        const end = (settle: () => void) => {
          clearTimeout(timer);
          waiting.delete(look);
          settle();
        };
        const look = () => has(id) && end(resolve);
        waiting.add(look);
        signal.addEventListener("abort", () => end(() => reject(signal.reason)), { once: true });
      });
    },
  };
}
