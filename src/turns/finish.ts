// The end of a turn, in one transaction: turn, task, inbox, and the answer's parts in the outbox.
import type { OutFile, Part } from "../core/channel.ts";
import type { MessageRef } from "../core/events.ts";
import { markdownParts } from "../core/markdown-parts.ts";
import type { Address, Markdown, TaskState } from "../core/words.ts";
import { addButton } from "../store/cards.ts";
import { setNote } from "../store/conversations.ts";
import { finishTurnEntries, promptsOfTurn } from "../store/inbox.ts";
import type { InboxOutcome } from "../store/inbox-row.ts";
import { addPart, repliesOf, rewritePart, setOutboxState } from "../store/outbox.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Op } from "../store/query.ts";
import { setTaskState } from "../store/tasks.ts";
import { endTurn, type Turn } from "../store/turns.ts";
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

/** Longer answers go as a file. */
const textMost = 64_000;

export async function finish(ports: TurnPorts, ending: Ending): Promise<void> {
  const text = ending.text.trim() ? await partsOf(ports, ending) : [];
  const parts = [...text, ...filesOf(ports, ending)];
  const state = ports.deliver.isIdle(ending.to) ? "sending" : "pending";
  const token = ending.retry ? ports.token() : undefined;
  const rows = await ports.store.run(() => commit(ports, ending, { parts, state, token }));
  ports.deliver.deliver(rows);
}

interface Piece extends Part {
  /** What the platform does not take: this message tells of it. */
  readonly withheld?: OutFile;
}

function filesOf(ports: TurnPorts, { to, files = [] }: Ending): Piece[] {
  const most = ports.channel(to.listener)?.limits.file ?? 0;
  return files.map((file) =>
    file.size <= most ? { plain: "", file } : { plain: "", withheld: file },
  );
}

async function partsOf(ports: TurnPorts, { to, text }: Ending): Promise<Part[]> {
  if (text.length <= textMost) return ports.render(to.listener, text);
  const name = "answer.md";
  const { path, size } = await ports.keepFile(name, text);
  // Cut so that a code block is closed: else what is said below would be in it.
  const [start] = markdownParts(text, 600);
  const said = await ports.render(
    to.listener,
    `${start?.plain ?? ""}\n\n…\n\nThe whole answer is long (${Math.ceil(size / 1024)} kB), so it is in this file.`,
  );
  const file = { path, name, size, mime: "text/markdown" };
  return said.map((part, index) => (index === said.length - 1 ? { ...part, file } : part));
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
  const parts = yield* withLinks(ports, ending, { parts: out.parts, at });
  return yield* writeParts(ending, { ...out, parts, retry, at });
}

/** A file that cannot go out has a row all the same: it is what a link, or a page of ours, leads to. */
function* withLinks(
  ports: TurnPorts,
  { turn, to }: Ending,
  { parts, at }: { parts: readonly Piece[]; at: number },
): Op<Part[]> {
  const whole: Part[] = [];
  for (const [seq, { withheld: file, ...part }] of parts.entries()) {
    if (!file) {
      whole.push(part);
      continue;
    }
    const row = {
      kind: "notice",
      state: "pending",
      turn: turn.id,
      plain: "",
      seq,
      to,
      file,
    } as const;
    const { id } = yield* addPart({ ...row, at });
    yield* setOutboxState(id, "failed", "larger than this chat takes");
    const size = (file.size / 1_000_000).toFixed(1);
    const link = ports.fileLink(id);
    const where = link ? ` For a day it is here: ${link}` : "";
    whole.push({ plain: `📎 ${file.name} (${size} MB) is larger than this chat takes.${where}` });
  }
  return whole;
}

function* writeParts(
  { turn, to, replyTo, grown }: Ending,
  { parts, state, retry, at }: Out & { retry: Part["buttons"]; at: number },
): Op<OutboxRow[]> {
  const [posted] = grown || turn.run > 1 ? yield* repliesOf(turn.id) : [];
  const rows: OutboxRow[] = [];
  for (const [seq, part] of parts.entries()) {
    const buttons = seq === parts.length - 1 ? (retry ?? []) : [];
    if (seq === 0 && posted && !part.file) {
      const row = yield* rewritePart({ ...part, id: posted.id, state: "pending", buttons });
      if (row) rows.push(row);
      continue;
    }
    const quoted = seq === 0 && replyTo ? { replyTo } : {};
    const first = rows.length === 0 ? state : "pending";
    rows.push(
      yield* addPart({
        ...part,
        ...quoted,
        kind: "reply",
        state: first,
        turn: turn.id,
        seq,
        to,
        buttons,
        at,
      }),
    );
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
