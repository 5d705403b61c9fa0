// Stands between a client and a server on loopback, and cuts or stalls what goes through when a test says so.
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

export interface CutRule {
  /** Whose words are looked at; only of use where they are not encrypted. */
  readonly from: "client" | "server";
  /** Met by what arrives at once, read as Latin-1. */
  readonly at: RegExp;
  /** `cut`: both ends see the connection break. `stall`: it stays open, and nothing gets through any more. */
  readonly how: "cut" | "stall";
  /** How much of what met the rule still gets through, in bytes; absent: all of it. */
  readonly pass?: number;
  /** How often it is met before it counts. */
  readonly skip?: number;
}

export interface TcpCut {
  readonly port: number;
  /** Open now. */
  connected(): number;
  /** Ever opened. */
  accepted(): number;
  /** All that clients sent, read as Latin-1; with TLS nothing to be read. */
  heard(): string;
  /** Every open connection breaks. */
  cut(): void;
  /** Open connections stay open and silent, and so do those that come, until `flow`; those that were stalled never recover. */
  stall(): void;
  flow(): void;
  /** From now on nobody gets in, until it is called with false. */
  refuse(on: boolean): void;
  /** Counts once. Resolves when it was met. */
  when(rule: CutRule): Promise<void>;
  /** Changes what the server says, piece by piece as it arrives; absent: nothing any more. */
  rewrite(change?: (text: string) => string): void;
  /** Where clients are led to from now on. */
  leadTo(port: number): void;
  close(): Promise<void>;
}

interface Armed extends CutRule {
  met(): void;
  left: number;
}

interface State {
  port: number;
  stalled: boolean;
  refusing: boolean;
  accepted: number;
  heard: string;
  readonly pairs: Set<Pair>;
  rules: Armed[];
  change: ((text: string) => string) | undefined;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  stalled: boolean;
}

export async function startTcpCut({ port }: { readonly port: number }): Promise<TcpCut> {
  const state: State = {
    ...{ port, stalled: false, refusing: false, accepted: 0, heard: "" },
    ...{ pairs: new Set(), rules: [], change: undefined },
  };
  const listening = createServer({ allowHalfOpen: true }, (client) => admit(state, client));
  listening.listen(0, "127.0.0.1");
  await once(listening, "listening");
  const address = listening.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    connected: () => state.pairs.size,
    accepted: () => state.accepted,
    heard: () => state.heard,
    cut: () => breakAll(state),
    stall() {
      state.stalled = true;
      for (const pair of state.pairs) pair.stalled = true;
    },
    flow() {
      state.stalled = false;
    },
    refuse(on) {
      state.refusing = on;
    },
    when: (rule) =>
      new Promise((met) => {
        state.rules.push({ ...rule, met, left: rule.skip ?? 0 });
      }),
    rewrite(change) {
      state.change = change;
    },
    leadTo(next) {
      state.port = next;
    },
    close: () => close(state, listening),
  };
}

function admit(state: State, client: Socket): void {
  if (state.refusing) {
    client.on("error", () => {});
    client.resetAndDestroy();
    return;
  }
  state.accepted += 1;
  const server = connect({ port: state.port, host: "127.0.0.1", allowHalfOpen: true });
  const pair: Pair = { client, server, stalled: state.stalled };
  state.pairs.add(pair);
  const gone = () => {
    // A stalled connection stays open for whoever has not left it.
    if (!pair.stalled || client.destroyed) leave(state, pair);
  };
  for (const socket of [client, server]) socket.on("error", gone).on("close", gone);
  pump(state, pair, "client");
  pump(state, pair, "server");
}

function leave({ pairs }: State, pair: Pair): void {
  pairs.delete(pair);
  pair.client.destroy();
  pair.server.destroy();
}

function pump(state: State, pair: Pair, from: CutRule["from"]): void {
  const [source, target] =
    from === "client" ? [pair.client, pair.server] : [pair.server, pair.client];
  source.on("data", (data) => {
    if (pair.stalled) return;
    const chunk = changed(state, from, data);
    const rule = ruleFor(state, from, chunk);
    const passed = rule?.pass === undefined ? chunk : chunk.subarray(0, rule.pass);
    if (from === "client") state.heard += passed.toString("latin1");
    if (rule === undefined) {
      if (!target.write(passed)) source.pause();
    } else apply(pair, rule, { target, passed });
  });
  target.on("drain", () => source.resume());
  source.on("end", () => {
    if (!pair.stalled) target.end();
    else if (from === "client") leave(state, pair);
  });
}

function changed({ change }: State, from: CutRule["from"], data: Buffer): Buffer {
  if (from === "client" || !change) return data;
  return Buffer.from(change(data.toString("latin1")), "latin1");
}

function ruleFor(state: State, from: CutRule["from"], chunk: Buffer): Armed | undefined {
  const text = chunk.toString("latin1");
  for (const rule of state.rules) {
    if (rule.from !== from || !rule.at.test(text)) continue;
    rule.left -= 1;
    if (rule.left >= 0) continue;
    state.rules = state.rules.filter((one) => one !== rule);
    return rule;
  }
  return undefined;
}

interface Passing {
  readonly target: Socket;
  readonly passed: Buffer;
}

function apply(pair: Pair, { how, met }: Armed, { target, passed }: Passing): void {
  pair.stalled = true;
  const then = () => {
    if (how === "cut") breakPair(pair);
    met();
  };
  if (passed.length > 0) target.write(passed, then);
  else then();
}

function breakPair(pair: Pair): void {
  pair.stalled = false;
  pair.server.destroy();
  pair.client.destroy();
}

function breakAll({ pairs }: State): void {
  for (const pair of pairs) breakPair(pair);
}

async function close(state: State, listening: Server): Promise<void> {
  breakAll(state);
  if (!listening.listening) return;
  listening.close();
  await once(listening, "close");
}
