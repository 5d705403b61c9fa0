// What an operator can do to a gateway that runs; gateway.ts gives it.
import type { ListenerHealth } from "../core/channel.ts";
import type {
  AccountId,
  Caller,
  ChannelName,
  ListenerId,
  PairingId,
  TaskId,
} from "../core/words.ts";

export interface OpenListener {
  readonly id: ListenerId;
  readonly kind: ChannelName;
  readonly health: ListenerHealth;
}

/** What a scripted turn showed about the agent. */
export interface AgentProbe {
  readonly agent: string;
  readonly starts: boolean;
  /** It asked for permission before it changed something. */
  readonly asked: boolean;
  /** For people, when something is wrong. */
  readonly problem?: string;
}

export type Change = { readonly done: true } | { readonly done: false; readonly problem: string };

export interface Decision {
  /** Key of one of the question's options ("allow": the narrowest), or the text of a text question. */
  readonly option: string;
  readonly reason?: string | undefined;
  /** Where it was said, for the audit row. */
  readonly place: string;
}

/** What became of it, with a sentence for whoever decided. */
export interface Decided {
  readonly is: "decided" | "already-decided" | "expired" | "not-yours" | "no-such-option";
  readonly text: string;
}

export interface Running {
  readonly agent: { readonly name: string; readonly asks: boolean };
  /** What its agent runs in: flags may have said so. */
  readonly sandbox: "docker" | "local";
  /** Its turns stop, its questions expire, its sandbox ends. The grant itself is gone already. */
  stopCaller(pairing: PairingId, why: string): Promise<void>;
  /** Accounts of a pairing that were unlinked: what they started there stops. */
  stopAccounts(
    accounts: readonly { readonly listener: ListenerId; readonly account: AccountId }[],
    why: string,
  ): Promise<void>;
  cancelTask(id: TaskId): Promise<Change>;
  /** `option`: "allow" (the narrowest) or "deny", or the key of one of the question's options. By the local owner. */
  decide(question: string, option: string, reason?: string): Promise<Change>;
  /** Undefined alike for a question that is not there and one that is not theirs to answer. */
  decideAs(caller: Caller, question: string, decision: Decision): Promise<Decided | undefined>;
  /** Undefined alike for a task that is not there and one that is not theirs to stop. */
  stopTask(caller: Caller, id: TaskId): Promise<"stopping" | "not-running" | undefined>;
  /** Opens the listener of `channels.<id>`, or opens it anew with changed settings. */
  openChannel(id: ListenerId): Promise<Change>;
  closeChannel(id: ListenerId): Promise<void>;
  listeners(): readonly OpenListener[];
  /** Where this machine reaches the page, without a slash at the end; undefined while it is not served. */
  pageUrl(): string | undefined;
  joinLink(id: ListenerId, code: string): string | undefined;
  /** The settings file has changed: act on it, or say why not and keep the old ones. */
  reload(): Promise<Change>;
  /** A scripted turn in a scratch workspace: does the agent start, and does it ask? */
  probeAgent(): Promise<AgentProbe>;
}
