// The end of a turn, in one transaction: turn, task, inbox, and the answer's parts in the outbox.
import type { OutFile, Part } from "../core/channel.ts";
import type { MessageRef } from "../core/events.ts";
import type { Address, Markdown, TaskState } from "../core/words.ts";
import { addButton } from "../store/cards.ts";
import { setNote } from "../store/conversations.ts";
import { finishTurnEntries, promptsOfTurn } from "../store/inbox.ts";
import type { InboxOutcome } from "../store/inbox-row.ts";
import { addPart, repliesOf, rewritePart } from "../store/outbox.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Op } from "../store/query.ts";
import { setTaskState } from "../store/tasks.ts";
import { endTurn, type Turn } from "../store/turns.ts";
import { megabytes, type Piece, piecesOf, withhold } from "./answer-parts.ts";
import type { TurnPorts } from "./ports.ts";

export interface Ending {
  readonly turn: Turn;
  readonly task: TaskState;
  readonly inbox: InboxOutcome;
  /** ok, failed, cancelled, reported: for `task show`. */
  readonly how: string;
  readonly reason?: string;
  readonly text: Markdown;
  /** They come after the text. */
  readonly files?: readonly OutFile[];
  readonly to: Address;
  readonly replyTo?: MessageRef;
  /** A message was posted while it worked: the first part goes on there. */
  readonly grown: boolean;
  readonly retry?: boolean;
  /** What the next prompt must carry (reasons of denials). */
  readonly note?: string;
}

export async function finish(ports: TurnPorts, ending: Ending): Promise<void> {
  const parts = await piecesOf(ports, ending);
  const state = ports.deliver.isIdle(ending.to) ? "sending" : "pending";
  const token = ending.retry ? ports.token() : undefined;
  const rows = await ports.store.run(() => commit(ports, ending, { parts, state, token }));
  ports.deliver.deliver(rows);
}

interface Out {
  readonly parts: readonly Piece[];
  readonly state: "sending" | "pending";
  readonly token: string | undefined;
}

function* commit(ports: TurnPorts, ending: Ending, out: Out): Op<OutboxRow[]> {
  const { turn } = ending;
  const at = ports.clock.now();
  if (!(yield* endTurn(turn.id, ending.how, at))) return [];
  yield* setTaskState({ id: turn.task, state: ending.task, at, reason: ending.reason ?? null });
  yield* finishTurnEntries(turn.id, ending.inbox);
  if (ending.note) yield* setNote(turn.conversation, ending.note);
  const retry = out.token ? yield* retryButton(ending, out.token, at) : [];
  const parts = yield* withLinks(ports, ending, out.parts);
  return yield* writeParts(ending, { ...out, parts, retry, at });
}

function* withLinks(ports: TurnPorts, ending: Ending, pieces: readonly Piece[]): Op<Part[]> {
  const whole: Part[] = [];
  for (const [seq, { withheld: file, ...part }] of pieces.entries()) {
    if (!file) {
      whole.push(part);
      continue;
    }
    const link = yield* withhold(ports, ending, { file, seq });
    const where = link ? ` For a day it is here: ${link}` : "";
    const size = megabytes(file.size);
    whole.push({ plain: `📎 ${file.name} (${size}) is larger than this chat takes.${where}` });
  }
  return whole;
}

function* writeParts(
  { turn, to, replyTo, grown }: Ending,
  { parts, state, retry, at }: Out & { retry: Part["buttons"]; at: number },
): Op<OutboxRow[]> {
  const [posted] = grown || turn.run > 1 ? yield* repliesOf(turn.id) : [];
  const rows: OutboxRow[] = [];
  for (const [seq, { along = [], ...part }] of parts.entries()) {
    const buttons = seq === parts.length - 1 ? (retry ?? []) : [];
    if (seq === 0 && posted && !part.file) {
      const row = yield* rewritePart({ ...part, id: posted.id, state: "pending", buttons });
      if (row) rows.push(row);
      continue;
    }
    const quoted = seq === 0 && replyTo ? { replyTo } : {};
    const first = rows.length === 0 ? state : "pending";
    const common = { kind: "reply", turn: turn.id, to, at } as const;
    const row = yield* addPart({ ...part, ...quoted, ...common, state: first, seq, buttons });
    rows.push(row);
    for (const [index, file] of along.entries()) {
      const further = { state: "pending", plain: "", file, goesWith: row.id } as const;
      yield* addPart({ ...common, ...further, seq: seq + 1 + index });
    }
  }
  return rows;
}

function* retryButton({ turn, to }: Ending, token: string, at: number): Op<Part["buttons"]> {
  const [entry] = yield* promptsOfTurn(turn.id);
  if (!entry) return [];
  yield* addButton({
    token,
    card: null,
    inbox: entry.id,
    option: "retry",
    listener: to.listener,
    chat: to.chat,
    createdAt: at,
  });
  return [{ label: "Retry", data: token }];
}
