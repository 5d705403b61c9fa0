// discord.js's connection to the gateway, held so that nothing it meets ends the process, and every try to connect asks first.
import { setTimeout as sleep } from "node:timers/promises";
import {
  DefaultWebSocketManagerOptions,
  WebSocketShardDestroyRecovery as Recovery,
  type SessionInfo,
  SimpleShardingStrategy,
} from "discord.js";

export interface Frame {
  readonly t: string;
  readonly d: unknown;
}

export interface ShardPorts {
  readonly token: string;
  readonly intents: number;
  /** Where to connect; filled before `mayConnect` says yes for the first time. */
  readonly info: { url: string };
  /** Until a handshake, a hello or a start of the session counts as failed. */
  readonly patience: number;
  /** Least ms between two starts of a session. */
  readonly identifyEvery: number;
  /** Before every try; it waits as long as it is wise. False: never again. */
  mayConnect(session: SessionInfo | null): Promise<boolean>;
  hello(): void;
  /** A heartbeat was answered. */
  beat(): void;
  /** A session began or went on. */
  settled(): void;
  dispatch(frame: Frame): void;
  closed(code: number): void;
  failed(error: unknown): void;
}

export interface Shard {
  /** Tries until it is connected, and again whenever the connection breaks in a way that can mend. */
  connect(): void;
  reconnect(keepSession: boolean): void;
  forgetSession(): void;
  stop(): Promise<void>;
}

/** What is used of discord.js's shard beside its public side: the steps it runs without anybody waiting for them. */
interface Inner {
  readonly status: number;
  readonly connection: Socket | null;
  internalConnect(): Promise<void>;
  onMessage(...given: never[]): Promise<unknown>;
  onClose(...given: never[]): Promise<unknown>;
  heartbeat(...given: never[]): Promise<unknown>;
  destroy(how: { code?: number; reason?: string; recover?: Recovery }): Promise<unknown>;
}

interface Socket {
  on(name: "error", hear: () => void): unknown;
  terminate(): void;
}

const idle = 0;
const normal = 1000;
const resuming = 4200;
const farewellMs = 1000;

export async function openShard(ports: ShardPorts): Promise<Shard> {
  const state: { session: SessionInfo | null } = { session: null };
  const strategy = new SimpleShardingStrategy(managerFor(ports, state) as never);
  await strategy.spawn([0]);
  const inner = (strategy as unknown as { shards: Map<number, Inner> }).shards.get(0);
  if (!inner) throw new Error("discord.js made no connection.");
  guard(inner, ports, state);
  return {
    connect: () => void inner.internalConnect(),
    reconnect(keepSession) {
      const letGo = release(inner);
      const how = keepSession
        ? { code: resuming, recover: Recovery.Resume }
        : { code: normal, recover: Recovery.Reconnect };
      void inner.destroy({ ...how, reason: "nothing is heard" });
      setTimeout(letGo, farewellMs).unref();
    },
    forgetSession() {
      state.session = null;
    },
    async stop() {
      const letGo = release(inner);
      const late = new AbortController();
      // Whoever else gives this connection up takes the answer to our goodbye away.
      const enough = sleep(farewellMs, undefined, late).catch(() => undefined);
      await Promise.race([inner.destroy({ code: normal, reason: "stopping" }), enough]);
      late.abort();
      letGo();
    },
  };
}

/** discord.js takes its own listeners off a connection that it gives up; an error without any would end the process. */
function release({ connection }: Inner): () => void {
  connection?.on("error", () => undefined);
  return () => connection?.terminate();
}

/** The few things that discord.js's shards ask of their manager. */
function managerFor(ports: ShardPorts, state: { session: SessionInfo | null }) {
  const { token, intents, info, patience } = ports;
  let identified = 0;
  return {
    options: {
      ...DefaultWebSocketManagerOptions,
      ...{ token, intents, shardCount: 1, shardIds: [0] },
      // A handshake has to fail first: giving up a half-open connection is where discord.js loses its listeners.
      ...{ handshakeTimeout: patience, helloTimeout: patience * 1.5, readyTimeout: patience },
      retrieveSessionInfo: () => state.session,
      updateSessionInfo: (_: number, session: SessionInfo | null) => {
        state.session = session;
      },
      buildIdentifyThrottler: async () => ({
        async waitForIdentify(_: number, signal: AbortSignal) {
          await sleep(Math.max(0, identified + ports.identifyEvery - Date.now()), undefined, {
            signal,
          });
          identified = Date.now();
        },
      }),
    },
    fetchGatewayInformation: async () => info,
    getShardCount: async () => 1,
    emit: (name: string, given: Given) => hear(ports, name, given),
  };
}

interface Given {
  readonly data?: Frame;
  readonly code?: number;
  readonly error?: unknown;
}

function hear(ports: ShardPorts, name: string, { data, code = 0, error }: Given): void {
  if (name === "hello") ports.hello();
  else if (name === "heartbeat") ports.beat();
  else if (name === "ready" || name === "resumed") ports.settled();
  else if (name === "closed") ports.closed(code);
  else if (name === "error") ports.failed(error);
  else if (name === "dispatch" && data) ports.dispatch(data);
}

/** Nobody waits for these steps: what they throw would be nobody's. */
function guard(inner: Inner, ports: ShardPorts, state: { session: SessionInfo | null }): void {
  const recover = (error: unknown) => {
    ports.failed(error);
    if (inner.status === idle) void inner.internalConnect();
    else void inner.destroy({ code: normal, recover: Recovery.Reconnect });
  };
  for (const name of ["onMessage", "onClose", "heartbeat"] as const) {
    const act = inner[name].bind(inner);
    inner[name] = (...given) => act(...given).catch(recover);
  }
  const destroy = inner.destroy.bind(inner);
  inner.destroy = (how) => destroy(how).catch(ports.failed);
  const connect = inner.internalConnect.bind(inner);
  let turn = Promise.resolve();
  // One at a time: two ways of giving up one connection must not make two new ones.
  inner.internalConnect = () => {
    turn = turn.then(async () => {
      if (inner.status !== idle || !(await ports.mayConnect(state.session))) return;
      await connect().catch(recover);
    });
    return turn;
  };
}
