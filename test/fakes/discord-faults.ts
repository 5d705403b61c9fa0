// Faults a test injects in the fake REST API: answers dropped, refused, late or never given, and calls held.
import { type Json, RestFailure } from "./discord-types.ts";

/** One call of the bot, as it is kept for tests; the token is nowhere in it. */
export interface Call {
  /** What Discord calls the operation, e.g. `createMessage`. */
  route: string;
  method: string;
  /** The body, with the names in the path (`channel`, `message`, ...) and the query. */
  params: Json;
  at: number;
  /** HTTP status of the answer; undefined while pending, dropped or hanging. */
  status?: number;
  /** Discord's own number of the refusal. */
  code?: number;
}

export interface FaultScope {
  /** How many calls are hit; the default is one. */
  times?: number;
  match?: (params: Json) => boolean;
}

export type Fault =
  | { kind: "drop" }
  | { kind: "hang" }
  | { kind: "slow"; ms: number }
  | { kind: "status"; status: number; code?: number; message?: string; retryAfter?: number }
  | { kind: "limit"; retryAfter: number; scope: "user" | "global" | "shared" };

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
  route: string;
  left: number;
  match: (params: Json) => boolean;
  what: T;
}

interface Hold {
  when: "before" | "stored";
  arrive: (call: Call) => void;
  released: Promise<void>;
}

/** Routes have the names of discord-routes.ts; `*` is every route. */
export class Faults {
  #faults: Rule<Fault>[] = [];
  #holds: Rule<Hold>[] = [];
  #releases = new Set<() => void>();

  /** The call is carried out; the connection dies instead of an answer. */
  drop(route: string, scope?: FaultScope): void {
    this.add(route, { kind: "drop" }, scope);
  }

  /** The server fails before it does anything. */
  fail(route: string, scope: FaultScope & { status?: number } = {}): void {
    this.add(route, { kind: "status", status: scope.status ?? 502 }, scope);
  }

  /** Nothing is done and nothing is ever answered. */
  hang(route: string, scope?: FaultScope): void {
    this.add(route, { kind: "hang" }, scope);
  }

  slow(route: string, scope: FaultScope & { ms: number }): void {
    this.add(route, { kind: "slow", ms: scope.ms }, scope);
  }

  /** Refused as Discord refuses, e.g. `{status: 403, code: 50007, message: "..."}`. */
  refuse(
    route: string,
    scope: FaultScope & { status: number; code: number; message: string },
  ): void {
    const { status, code, message } = scope;
    this.add(route, { kind: "status", status, code, message }, scope);
  }

  /** 429; `retryAfter` in seconds. */
  limit(
    route: string,
    scope: FaultScope & { retryAfter: number; scope?: "user" | "global" | "shared" },
  ): void {
    const { retryAfter } = scope;
    this.add(route, { kind: "limit", retryAfter, scope: scope.scope ?? "user" }, scope);
  }

  stallAt(route: string, scope: StallScope = {}): Stall {
    const when = scope.when ?? "before";
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#releases.add(release);
    const arrived = new Promise<Call>((arrive) => {
      this.#holds.push(rule(route, { when, arrive, released }, scope));
    });
    return { arrived, release };
  }

  add(route: string, fault: Fault, scope?: FaultScope): void {
    this.#faults.push(rule(route, fault, scope));
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
}

function rule<T>(route: string, what: T, scope: FaultScope = {}): Rule<T> {
  return { route, what, left: scope.times ?? 1, match: scope.match ?? (() => true) };
}

function takeFrom<T>(rules: Rule<T>[], { route, params }: Call): T | undefined {
  const found = rules.find(
    (each) => each.left > 0 && (each.route === "*" || each.route === route) && each.match(params),
  );
  if (!found) return undefined;
  found.left -= 1;
  if (found.left <= 0) rules.splice(rules.indexOf(found), 1);
  return found.what;
}

export function tooMany(retryAfter: number, scope: string): RestFailure {
  const global = scope === "global";
  return new RestFailure(
    429,
    { code: 0, message: "You are being rate limited.", retry_after: retryAfter, global },
    {
      "retry-after": String(Math.ceil(retryAfter)),
      "x-ratelimit-scope": scope,
      ...(global
        ? { "x-ratelimit-global": "true" }
        : { "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": String(retryAfter) }),
    },
  );
}
