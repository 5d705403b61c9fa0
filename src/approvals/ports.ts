// What approvals needs from outside, and the shapes it hands out.
import type { Channel, Part } from "../core/channel.ts";
import type { Clock } from "../core/clock.ts";
import type { MessageRef } from "../core/events.ts";
import type { Log } from "../core/log.ts";
import type { Address, Caller, Markdown } from "../core/words.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { QuestionKind, QuestionOption } from "../store/questions.ts";
import type { Store } from "../store/store.ts";

export interface Recipient {
  /** Caller id of the person who is shown the card. */
  readonly person: string;
  readonly to: Address;
  readonly replyTo?: MessageRef;
}

type Abilities = Pick<
  Channel,
  "limits" | "noReplies" | "oneMessage" | "decidesByWord" | "patience"
>;

export interface ApprovalPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Unguessable, at most 48 characters. */
  token(): string;
  render(listener: string, text: Markdown): Promise<Part[]>;
  /** Direct chats of owners that can be reached now. */
  ownerChats(): Promise<readonly Recipient[]>;
  deliver(rows: readonly OutboxRow[]): void;
  isIdle(to: Address): boolean;
  /** Where this card can be answered in a browser; undefined where its chat has buttons, or nobody could reach us. */
  cardLink?(listener: string, card: string): string | undefined;
  /** What people can do there. Absent: as much as anywhere. */
  channel?(listener: string): Abilities | undefined;
  /** What the text that decides must have, where the channel says so. */
  word?(card: string): string;
}

export interface Ask {
  readonly turn: string;
  readonly task: string;
  readonly conversation: string;
  readonly starter: Caller;
  /** Where the task lives: the card goes there, unless only owners may answer. */
  readonly home: Recipient;
  readonly ownersOnly: boolean;
  readonly kind: QuestionKind;
  readonly title: string;
  readonly body: Markdown;
  readonly options: readonly QuestionOption[];
  /** Set with the decision, in the same commit: what "for this task" grants. */
  readonly grant?: { readonly kind: string; readonly target: string };
  readonly signal: AbortSignal;
}

export type Answer =
  | { readonly is: "answered"; readonly key: string; readonly reason: string | null }
  | { readonly is: "expired"; readonly why: string };
