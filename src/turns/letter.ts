// What is read of a letter: a command, a decision or a code stands in its first line, with a greeting or a name below it.

import { codeIn } from "../access/codes.ts";
import type { Channel } from "../core/channel.ts";
import type { InboundMessage } from "../core/events.ts";
import { bareAnswer, type Command, commandIn } from "./words.ts";

/** How a channel's messages are read. */
interface Reader {
  command(event: Pick<InboundMessage, "text">): Command | undefined;
  /** Of a yes or no that is all there is. */
  bare(text: string): Command["name"] | undefined;
  code(text: string): string | null;
}

const messages: Reader = { command: commandIn, bare: bareAnswer, code: codeIn };

const letters: Reader = {
  command({ text }) {
    const own = ownText(text);
    return decisionIn(own) ?? slashedIn(own) ?? commandIn({ text: own });
  },
  bare: (text) => bareAnswer(ownText(text).split("\n", 1)[0] ?? ""),
  code: codeInLetter,
};

export function readerOf(channel: Pick<Channel, "decidesByWord"> | undefined): Reader {
  return channel?.decidesByWord ? letters : messages;
}

const invisible = /[\u00AD\u200B-\u200F\u2060-\u2064\uFEFF]/g;

/** What they wrote themselves: an answer between quoted lines is one, and what these say is not. */
export function ownText(text: string): string {
  const lines = text.split("\n").filter((line) => !/^\s{0,3}>/.test(line));
  return lines.join("\n").replace(invisible, "").trim();
}

/** What stands around words that were copied, made bold, quoted or taken from a list. */
const marks = "[\\s\"'`´*_“”„«»‹›‘’‚<>()[\\]]";
const bullet = "(?:(?:[•·*+–—-]|\\d{1,2}[.)])\\s+)?";
const between = `(?:${marks}|[.,:;#–—-])`;
const decision = new RegExp(
  `^${marks}*${bullet}${marks}*/?(allow|deny|answer)${between}+(?:(?:question|number|no\\.?)\\s+)?#?` +
    `(\\d{1,6})(?:${between}+(?:word\\s+)?|(?=[a-z]))${marks}*([A-HJ-NP-Z2-9]{4})(?![\\p{L}\\p{N}])([\\s\\S]*)$`,
  "iu",
);
const around = new RegExp(`^(?:${marks}|[.,:;!])+`);
/** What decides stands before that: nobody's quotation marks by the million are looked through. */
const lineMost = 200;
/** The line of the card, to its end. */
const copied =
  /^because\s+(?:…|\.{3})[^\n:]{0,3}(?::\s*Deny; the reason is up to you)?\s*(?:\n|$)/i;

/** Only with something that may be its word: whatever is around it, nothing else can be meant. */
function decisionIn(text: string): Command | undefined {
  const [, name, number, word, tail = ""] = decision.exec(text.slice(0, lineMost)) ?? [];
  if (!name || !number || !word) return undefined;
  const rest = (tail + text.slice(lineMost)).replace(around, "").replace(copied, "");
  return { name: name.toLowerCase(), rest: `${number} ${word} ${rest}`.trim() };
}

/** What stands below it is a greeting, or a name. */
function slashedIn(text: string): Command | undefined {
  const [first = "", second = ""] = text.split("\n", 2);
  if (first.length > lineMost) return undefined;
  const bare = first.replace(/^["'`*_“”„‘’]+|["'`*_“”„‘’.,!]+$/g, "").trim();
  if (bare.startsWith("/")) return commandIn({ text: bare });
  const alone = second.trim() === "" && /^retry$/i.test(bare);
  return alone ? commandIn({ text: bare }) : undefined;
}

const salutationMost = 40;

/** Below a salutation as well: whoever is not known yet would get no answer at all. */
function codeInLetter(text: string): string | null {
  const [first = "", second = ""] = ownText(text)
    .split("\n", 20)
    .filter((line) => line.trim() !== "");
  const greets = first.length <= salutationMost && /[,!]$/.test(first.trim());
  return codeIn(first) ?? (greets ? codeIn(second) : null);
}
