// What turns needs from outside: gateway.ts wires it.
import type { TokenLimits } from "../access/model-budget.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { Policy } from "../approvals/verdict.ts";
import type { Deliver } from "../bus/deliver.ts";
import type { Lanes } from "../bus/lanes.ts";
import type { Agent } from "../core/agent.ts";
import type { Channel, Listener, Part } from "../core/channel.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { SandboxScope } from "../core/sandbox.ts";
import type { ListenerId, Markdown } from "../core/words.ts";
import type { Store } from "../store/store.ts";
import type { Alarm } from "./alarm.ts";
import type { Doing } from "./places.ts";
import type { StopEffect, StopReason } from "./stop.ts";
import type { Meter } from "./usage.ts";

/** The settings that turns read; live, so that a change acts at once. */
export interface TurnSettings {
  readonly public: "nobody" | "anyone";
  /** Whose mail is let in, once it is proved whom it is from. */
  readonly allowEmail: readonly string[];
  readonly merge: boolean;
  readonly concurrent: number;
  readonly listenerTasksPerHour: number;
  readonly listenerConcurrent: number;
  readonly callerTasksPerHour: number;
  readonly tokens: TokenLimits;
  readonly auto: Policy["auto"];
  readonly deny: Policy["deny"];
}

export interface TurnPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly lanes: Lanes;
  readonly deliver: Deliver;
  readonly approvals: Approvals;
  readonly agent: Agent;
  readonly alarm: Alarm;
  readonly meter: Meter;
  /** It was seen to ask: known from here on, also by the next gateway. */
  agentAsked(): void;
  settings(): TurnSettings;
  /** Unguessable, at most 48 characters. */
  token(): string;
  hmac(code: string): string;
  /** What the text that decides on this card must have, where the channel says so. */
  word(card: string): string;
  listener(id: ListenerId): Listener | undefined;
  channel(id: ListenerId): Channel | undefined;
  render(id: ListenerId, text: Markdown): Promise<Part[]>;
  scopeOf(doing: Doing): SandboxScope;
  /** The folder of all homes. */
  readonly homes: string;
  /** Of a sandbox in which nothing runs any more. False: something of it is left. */
  removeHome(home: string): Promise<boolean>;
  /** Where the scope's folders are inside the sandbox. */
  inside(scope: SandboxScope): { readonly workspace: string; readonly home: string };
  /** A file of ours that goes out: a long answer, or what the agent made. The name must be safe. */
  keepFile(name: string, content: string | Uint8Array): Promise<{ path: string; size: number }>;
  /** Where a file of the outbox can be fetched for a day; undefined when nobody outside could reach it. */
  fileLink(part: number): string | undefined;
}

/** Looks for what waits in a conversation's lane. */
export type Wake = (conversation: string) => void;

/** What a command may set going, or end. */
export interface Moves {
  readonly wake: Wake;
  /** The effect of a stop that is committed. */
  stopped(effect: StopEffect, why?: StopReason): void;
}
