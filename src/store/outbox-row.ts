// What a row of the outbox is to the rest of the gateway.
import type { Button, Only, OutFile } from "../core/channel.ts";
import type { MessageRef } from "../core/events.ts";
import type { Address, TurnId } from "../core/words.ts";

/** reply: part of a turn's answer; card: rendered from its question when sent; notice: anything else. */
export type OutboxKind = "reply" | "card" | "notice";
export type OutboxState = "pending" | "sending" | "sent" | "failed" | "ambiguous";

export interface OutboxRow {
  readonly id: number;
  readonly kind: OutboxKind;
  readonly state: OutboxState;
  readonly turn: TurnId | null;
  readonly question: string | null;
  readonly seq: number;
  readonly to: Address;
  readonly body?: string;
  readonly plain: string;
  readonly buttons: readonly Button[];
  readonly file: OutFile | null;
  /** Further files of its message, once they are looked up. */
  readonly along?: readonly OutFile[];
  readonly replyTo: MessageRef | null;
  /** Shown to this account of the chat alone. */
  readonly only: Only | null;
  /** The message it already is: the next delivery edits it. */
  readonly ref: MessageRef | null;
  /** How often a send was begun; above zero and without a ref it may have arrived, whatever the state. */
  readonly attempts: number;
  readonly createdAt: number;
}

interface Row {
  id: number;
  kind: string;
  state: string;
  turn: string | null;
  question: string | null;
  seq: number;
  listener: string;
  chat: string;
  thread: string | null;
  body: string | null;
  plain: string;
  buttonsJson: string | null;
  fileJson: string | null;
  replyToJson: string | null;
  onlyJson: string | null;
  refJson: string | null;
  attempts: number;
  createdAt: number;
}

export function toRow(row: Row): OutboxRow {
  return {
    id: row.id,
    kind: row.kind as OutboxKind,
    state: row.state as OutboxState,
    turn: row.turn,
    question: row.question,
    seq: row.seq,
    to: {
      listener: row.listener,
      chat: row.chat,
      ...(row.thread === null ? {} : { thread: row.thread }),
    },
    ...(row.body === null ? {} : { body: row.body }),
    plain: row.plain,
    buttons: parsed<Button[]>(row.buttonsJson) ?? [],
    file: parsed<OutFile>(row.fileJson),
    replyTo: parsed<MessageRef>(row.replyToJson),
    only: parsed<Only>(row.onlyJson),
    ref: parsed<MessageRef>(row.refJson),
    attempts: row.attempts,
    createdAt: row.createdAt,
  };
}

function parsed<T>(json: string | null): T | null {
  return json === null ? null : (JSON.parse(json) as T);
}
