// To Slack: the dialect that Markdown is rendered in, and messages as text and blocks.
import type { Button, Part } from "../../src/core/channel.ts";
import { type Dialect, render } from "../shared/render.ts";
import { escaped, markCost, needsPlain, textCost, toMrkdwn } from "./mrkdwn.ts";

/** A section takes no more, and a message with buttons is one section. */
export const textMost = 3000;
const buttonsPerRow = 5;
const labelMost = 75;
const homeBlocksMost = 100;

/** Counted as it is written, since the limit is on what is sent. */
export const slackDialect: Dialect = {
  limit: textMost,
  textCost,
  markCost,
  write: (pieces) => toMrkdwn(pieces) ?? "",
};

export async function toParts(text: string, dialect: Dialect = slackDialect): Promise<Part[]> {
  return (await render(text, dialect)).map(asPart);
}

/** What mrkdwn cannot express goes out plain. */
export function asPart({ body, ...plain }: Part): Part {
  return body ? { ...plain, body } : plain;
}

interface Text {
  readonly type: "mrkdwn" | "plain_text";
  readonly text: string;
  readonly verbatim?: true;
  readonly emoji?: false;
}

export type Block =
  | { readonly type: "section"; readonly text: Text }
  | { readonly type: "actions"; readonly elements: readonly ButtonElement[] };

interface ButtonElement {
  readonly type: "button";
  readonly action_id: string;
  readonly text: { readonly type: "plain_text"; readonly text: string; readonly emoji: false };
  readonly value: string;
}

export interface Shown {
  /** Without blocks it is the message; with them, what notifications and screen readers tell. */
  readonly text: string;
  /** Empty takes those away that were there. */
  readonly blocks: Block[];
}

export function toMessage({ body, plain, buttons = [] }: Part): Shown {
  const text = body ?? escaped(plain);
  const asBlocks = buttons.length > 0 || (body === undefined && needsPlain(plain));
  const said = asBlocks && plain.trim() !== "" ? sections({ body, plain }) : [];
  return { text, blocks: [...said, ...rows(buttons)] };
}

/** One, unless somebody gave more than a message takes: nothing that is decided about may be cut off. */
function sections({ body, plain }: { body: string | undefined; plain: string }): Block[] {
  const text = body ?? escaped(plain);
  const formatted = body !== undefined || !needsPlain(plain);
  // Verbatim: no name in it becomes a mention.
  if (formatted && text.length <= textMost)
    return [{ type: "section", text: { type: "mrkdwn", text, verbatim: true } }];
  return slices(plain, textMost).map((slice) => ({
    type: "section",
    text: { type: "plain_text", text: slice, emoji: false },
  }));
}

function slices(text: string, most: number): string[] {
  const found: string[] = [];
  for (let rest = text; rest !== ""; ) {
    const end = /[\uD800-\uDBFF]$/.test(rest.slice(0, most)) ? most - 1 : most;
    found.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return found;
}

function rows(buttons: readonly Button[]): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < buttons.length; at += buttonsPerRow) {
    const row = buttons.slice(at, at + buttonsPerRow);
    blocks.push({ type: "actions", elements: row.map((one, index) => toElement(one, at + index)) });
  }
  return blocks;
}

function toElement({ label, data }: Button, index: number): ButtonElement {
  const text = cut(label, labelMost) || "…";
  return {
    type: "button",
    action_id: `button-${index}`,
    text: { type: "plain_text", text, emoji: false },
    value: data,
  };
}

/** The App Home: a section for each part, as many as it takes. */
export function toHome(parts: readonly Part[]): Block[] {
  const blocks = parts.flatMap(({ body, plain }) =>
    plain.trim() === "" ? [] : sections({ body, plain }),
  );
  if (blocks.length <= homeBlocksMost) return blocks;
  return [...blocks.slice(0, homeBlocksMost - 1), ...sections({ body: undefined, plain: "…" })];
}

export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
