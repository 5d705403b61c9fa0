// The growing reply: nothing before 400 ms, then one message that grows by edits; the end is always whole.
import type { ToolCall } from "../core/agent.ts";
import type { MessageRef } from "../core/events.ts";
import { visibleLine } from "../core/visible.ts";
import type { Address, Markdown, TurnId } from "../core/words.ts";
import { addPart, repliesOf } from "../store/outbox.ts";
import type { TurnPorts } from "./ports.ts";
import { startProgress } from "./progress.ts";

export interface Reply {
  append(text: string): void;
  tool(call: ToolCall): void;
  /** A question is open: no typing, no tool line. */
  waiting(on: boolean): void;
  readonly text: string;
  /** A message of it is in the chat, or on its way. */
  readonly posted: boolean;
  /** No preview starts after this. */
  close(): Promise<void>;
}

/** A quick answer is one call: no typing and no preview before this. */
const quiet = 400;
const typingEvery = 4500;
/** More than this is a file in the end. */
const keepMost = 8_000_000;

interface Growing {
  text: string;
  line: string;
  asked: boolean;
  shown: string;
  begun: boolean;
  message: MessageRef | undefined;
  closed: boolean;
}

export function openReply(
  ports: TurnPorts,
  place: { turn: TurnId; to: Address; replyTo?: MessageRef },
): Reply {
  const listener = ports.listener(place.to.listener);
  const growing: Growing = {
    text: "",
    line: "",
    asked: false,
    shown: "",
    begun: false,
    message: undefined,
    closed: false,
  };
  let busy: Promise<void> = Promise.resolve();
  let lastTyping = 0;
  const pace =
    listener?.pace?.(place.to).editEvery ?? ports.channel(place.to.listener)?.limits.editPace;
  const tick = () => {
    const now = ports.clock.now();
    if (!growing.asked && now - lastTyping >= typingEvery) {
      lastTyping = now;
      listener?.showTyping?.(place.to).catch(() => undefined);
    }
    if (listener?.edit) busy = grow(ports, place, growing);
  };
  const step = async () => {
    if (growing.closed) return;
    tick();
    await busy.catch((error) => ports.log.debug({ error }, "A preview was lost"));
    if (!growing.closed) timer = setTimeout(step, Math.max(quiet, pace ?? 0));
  };
  // Where an answer is one message there is nothing to be seen of it before.
  const shows = ports.channel(place.to.listener)?.oneMessage !== true;
  let timer = shows ? setTimeout(step, quiet) : undefined;
  const progress = startProgress(ports, place, () => growing.line.replace("⏳ ", ""));
  return {
    append(text) {
      growing.line = "";
      if (growing.text.length < keepMost) growing.text += text;
    },
    tool(call) {
      const running = call.status === "pending" || call.status === "in_progress";
      growing.line = running ? toolLine(call) : "";
    },
    waiting(on) {
      growing.asked = on;
      progress.waiting(on);
    },
    get text() {
      return growing.text;
    },
    get posted() {
      return growing.begun;
    },
    async close() {
      growing.closed = true;
      clearTimeout(timer);
      await progress.close();
      await busy.catch(() => undefined);
    },
  };
}

function toolLine(call: ToolCall): string {
  const title = visibleLine(call.command ?? call.title).replace(/`/g, "'");
  return `⏳ \`${title.length > 100 ? `${title.slice(0, 99)}…` : title || call.kind}\``;
}

async function grow(
  ports: TurnPorts,
  place: { turn: TurnId; to: Address; replyTo?: MessageRef },
  growing: Growing,
): Promise<void> {
  const wanted = previewText(growing);
  if (!wanted || wanted === growing.shown) return;
  if (!growing.begun) return await begin(ports, place, { growing, text: wanted });
  const ref = growing.message;
  if (!ref) return;
  const part = (await ports.render(place.to.listener, wanted))[0];
  if (!part || growing.closed) return;
  growing.shown = wanted;
  // Not waited for: what the chat gets next queues behind it anyway, and a slow platform must not hold up the turn.
  void ports.deliver.preview(place.to, ref, part);
}

/** Only the first message grows; what is longer arrives with the end. */
function previewText({ text, line, asked }: Growing): Markdown {
  const shown = text.length > previewMost ? `${text.slice(0, previewMost)}…` : text;
  return [shown, asked ? "" : line].filter((piece) => piece.trim()).join("\n\n");
}
const previewMost = 3000;

/**
 * The first message is written down here, and not waited for: a platform that takes nothing must not keep the turn from
 * its end. After a crash the answer goes on in the message that was already posted.
 */
async function begin(
  ports: TurnPorts,
  place: { turn: TurnId; to: Address; replyTo?: MessageRef },
  { growing, text }: { growing: Growing; text: Markdown },
): Promise<void> {
  const part = (await ports.render(place.to.listener, text))[0];
  if (!part || growing.closed) return;
  growing.begun = true;
  const { known, row } = await ports.store.run(function* () {
    const [known] = yield* repliesOf(place.turn);
    if (known) return { known };
    const state = ports.deliver.isIdle(place.to) ? "sending" : "pending";
    const at = ports.clock.now();
    return { row: yield* addPart({ ...place, ...part, kind: "reply", state, at }) };
  });
  // Of a run before a crash: what was not out by then is on its way since the start.
  growing.message = known?.ref ?? undefined;
  if (!row) return;
  growing.shown = text;
  void ports.deliver.sent(row.id).then((ref) => {
    growing.message = ref;
  });
  ports.deliver.deliver([row]);
}
