// One thing in a conversation as the page shows it: what somebody wrote, what the gateway wrote.
import { cardText, howToAnswer } from "../../approvals/card.ts";
import { fileLinks } from "../../core/artifact.ts";
import type { OutFile } from "../../core/channel.ts";
import type { Posted, Said, ShownFile } from "../../core/page.ts";
import { harmless } from "../../core/visible.ts";
import type { Caller } from "../../core/words.ts";
import { buttonsOf, type Card } from "../../store/cards.ts";
import type { OutboxRow } from "../../store/outbox-row.ts";
import type { Op } from "../../store/query.ts";
import type { Question } from "../../store/questions.ts";
import type { SaidRow } from "../../store/shown.ts";
import { cutMarkdown, short, type ViewPorts } from "./seeing.ts";

const longestText = 64_000;
/** Of a question that is closed: nobody decides on it any more. */
const longestClosed = 16_000;

/** `place`: in the line of its conversation, while it waits. Undefined: nothing that was written. */
export function saidOf(viewer: Caller, row: SaidRow, place: number | undefined): Said | undefined {
  const { event } = row;
  if (event.kind !== "message") return undefined;
  const text = harmless(event.text);
  return {
    is: "said",
    // The page knows its own messages by the id that it chose itself.
    id: row.listener === "web" ? event.message.id : `m-${row.id}`,
    at: row.receivedAt,
    who: short(event.sender.name),
    mine: row.caller === viewer.id,
    text: text.length > longestText ? `${text.slice(0, longestText)}…` : text,
    files: event.files.map(({ name, size = 0 }) => ({ name: short(name), size })),
    ...(place === undefined ? {} : { place }),
  };
}

/** These listeners are sent Markdown as it is; to others it goes in their own dialect. */
const showMarkdown: ReadonlySet<string> = new Set(["web", "terminal"]);

/** `press`: the viewer may press its buttons. Undefined: there is nothing to show. */
export function postedOf(
  { isKept }: ViewPorts,
  row: OutboxRow,
  press: boolean,
): Posted | undefined {
  const markdown = row.body !== undefined && showMarkdown.has(row.to.listener);
  const text = markdown ? (row.body ?? "") : harmless(row.plain);
  if (!text.trim() && !row.file) return undefined;
  return {
    is: "posted",
    id: `o${row.id}`,
    at: row.createdAt,
    text: text.slice(0, longestText),
    format: markdown ? "markdown" : "plain",
    buttons: press ? row.buttons : [],
    ...(row.file ? { file: shownFile(row.id, row.file, isKept(row.file)) } : {}),
  };
}

interface CardShown {
  readonly question: Question;
  readonly card: Card;
  readonly press: boolean;
  /** It was asked in this very conversation. */
  readonly home: boolean;
}

export function* cardOf(row: OutboxRow, { question, card, press, home }: CardShown): Op<Posted> {
  const isOpen = question.state === "pending";
  const body = isOpen ? question.body : cutMarkdown(question.body, longestClosed);
  const how = howToAnswer(question, card.number, { where: home ? "here" : "elsewhere" });
  const tokens = isOpen && press ? yield* buttonsOf(card.id) : [];
  return {
    is: "posted",
    id: `o${row.id}`,
    at: row.createdAt,
    text: cardText({ ...question, body }, card.number, { how: press ? how : "" }),
    format: "markdown",
    buttons: question.options.flatMap(({ key, label }) => {
      const button = tokens.find(({ option }) => option === key);
      return button ? [{ label, data: button.token }] : [];
    }),
    question: question.id,
  };
}

export function shownFile(id: number, file: OutFile, kept: boolean): ShownFile {
  const { name, mime, size } = file;
  return { name: short(name), mime, size, ...(kept ? fileLinks(`o${id}`, file) : {}) };
}
