// Faults a test injects: answers dropped, refused, delayed or never given, and calls held until they are let go.
import type { Call, FailureParameters, Params } from "./telegram-types.ts";

export interface FaultScope {
  /** How many calls are hit; the default is one. */
  times?: number;
  /** Only calls whose parameters pass. */
  match?: (params: Params) => boolean;
}

export type Fault =
  | { kind: "drop" }
  | { kind: "hang" }
  | { kind: "slow"; ms: number }
  | { kind: "status"; code: number; description: string; parameters?: FailureParameters };

export interface Stall {
  /** Resolves with the call that is being held. */
  arrived: Promise<Call>;
  release(): void;
}

export interface StallScope extends FaultScope {
  /** Held before the server acts on the call, or after it did and before it answers. */
  when?: "before" | "stored";
}

interface Rule<T> {
  method: string;
  left: number;
  match: (params: Params) => boolean;
  what: T;
}

interface Hold {
  when: "before" | "stored";
  arrive: (call: Call) => void;
  released: Promise<void>;
}

/** Methods are named as in the API; `download` is the fetching of a file, `*` is every method. */
export class Faults {
  #faults: Rule<Fault>[] = [];
  #holds: Rule<Hold>[] = [];
  #releases = new Set<() => void>();

  /** The call is carried out; the connection dies instead of an answer. */
  drop(method: string, scope?: FaultScope): void {
    this.add(method, { kind: "drop" }, scope);
  }

  /** The server fails before it does anything. */
  fail(method: string, scope: FaultScope & { code?: number } = {}): void {
    const code = scope.code ?? 502;
    const description = code === 502 ? "Bad Gateway" : "Internal Server Error";
    this.add(method, { kind: "status", code, description }, scope);
  }

  /** Nothing is done and nothing is ever answered. */
  hang(method: string, scope?: FaultScope): void {
    this.add(method, { kind: "hang" }, scope);
  }

  slow(method: string, scope: FaultScope & { ms: number }): void {
    this.add(method, { kind: "slow", ms: scope.ms }, scope);
  }

  status(method: string, answer: Omit<Fault & { kind: "status" }, "kind"> & FaultScope): void {
    const { code, description, parameters } = answer;
    const fault: Fault = { kind: "status", code, description, ...(parameters && { parameters }) };
    this.add(method, fault, answer);
  }

  stallAt(method: string, scope: StallScope = {}): Stall {
    const when = scope.when ?? "before";
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#releases.add(release);
    const arrived = new Promise<Call>((arrive) => {
      this.#holds.push(rule(method, { when, arrive, released }, scope));
    });
    return { arrived, release };
  }

  /** Ends every fault and lets go of every held call. */
  clear(): void {
    this.#faults = [];
    this.#holds = [];
    for (const release of this.#releases) release();
    this.#releases.clear();
  }

  take(call: Call): Fault | undefined {
    return this.#faults.length === 0 ? undefined : takeFrom(this.#faults, call);
  }

  /** Waits while a test holds this call. Undefined when nothing does. */
  hold(call: Call, when: "before" | "stored"): Promise<void> | undefined {
    if (this.#holds.length === 0) return undefined;
    const due = this.#holds.filter((held) => held.what.when === when);
    const hold = takeFrom(due, call);
    if (!hold) return undefined;
    this.#holds = this.#holds.filter((held) => held.left > 0);
    hold.arrive(call);
    return hold.released;
  }

  add(method: string, fault: Fault, scope?: FaultScope): void {
    this.#faults.push(rule(method, fault, scope));
  }
}

function rule<T>(method: string, what: T, scope: FaultScope = {}): Rule<T> {
  return { method, what, left: scope.times ?? 1, match: scope.match ?? (() => true) };
}

function takeFrom<T>(rules: Rule<T>[], { method, params }: Call): T | undefined {
  const found = rules.find(
    (each) =>
      each.left > 0 && (each.method === "*" || each.method === method) && each.match(params),
  );
  if (!found) return undefined;
  found.left -= 1;
  if (found.left <= 0) rules.splice(rules.indexOf(found), 1);
  return found.what;
}
