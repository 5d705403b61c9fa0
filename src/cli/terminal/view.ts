// From what a chat has seen and what is being typed to the rows on the screen.
import type { Conversation, Item } from "./conversation.ts";
import { openCard } from "./conversation.ts";
import type { Shown, ShownFile } from "./events.ts";
import type { Input } from "./input.ts";
import type { Frame } from "./screen.ts";
import { type Paint, styleMarkdown, widthOf, wrap } from "./style.ts";

export interface View {
  readonly conversation: Conversation;
  readonly input: Input;
  readonly connected: boolean;
  /** Below the input: what Ctrl-C would do. */
  readonly hint: string;
  readonly columns: number;
  readonly paint: Paint;
}

export function itemLines(item: Item, keys: boolean, paint: Paint): string[] {
  if (item.is === "note") return item.text.split("\n").map((line) => paint("dim", line));
  if (item.is === "said")
    return item.text.split("\n").map((line, i) => paint("bold", `${i === 0 ? ">" : " "} ${line}`));
  const buttons = keys && item.buttons.length > 0 ? [keyLine(item, paint)] : [];
  const text = item.text === "" ? [] : styleMarkdown(item.text, paint);
  return [...text, ...fileLine(item.file, paint), ...buttons];
}

function keyLine({ buttons }: Shown, paint: Paint): string {
  return buttons.map(({ label }, i) => `${paint("yellow", `[${i + 1}]`)} ${label}`).join("  ");
}

function fileLine(file: ShownFile | undefined, paint: Paint): string[] {
  if (!file) return [];
  return [paint("yellow", `File: ${file.name} (${sizeText(file.size)}) ${file.path}`)];
}

function sizeText(bytes: number): string {
  return bytes < 1024 ? `${bytes} bytes` : `${Math.ceil(bytes / 1024)} kB`;
}

export function frameOf(view: View): Frame {
  const { conversation, paint } = view;
  const columns = Math.max(10, view.columns - 1);
  const card = openCard(conversation);
  const above = conversation.items.flatMap((item) => [
    ...itemLines(item, item === card, paint).flatMap((line) => wrap(line, columns)),
    "",
  ]);
  const status = view.connected
    ? conversation.typing
      ? [paint("dim", "…")]
      : []
    : [paint("dim", "The gateway is away; waiting for it …")];
  const { rows, cursor } = inputRows(view.input, columns);
  const hint = view.hint ? wrap(paint("dim", view.hint), columns) : [];
  const top = [...above, ...status];
  return {
    rows: [...top, ...rows, ...hint],
    cursor: { row: top.length + cursor.row, column: cursor.column },
  };
}

const prompt = "> ";

function inputRows({ text, cursor }: Input, columns: number): Frame {
  const rows: string[] = [];
  let row = prompt;
  let width = prompt.length;
  let place = { row: 0, column: width };
  const next = () => {
    rows.push(row);
    row = "  ";
    width = 2;
  };
  for (const [index, character] of text.entries()) {
    const wide = character === "\n" ? 0 : character === "\t" ? 4 : widthOf(character);
    if (width + wide > columns) next();
    if (index === cursor) place = { row: rows.length, column: width };
    if (character === "\n") next();
    else {
      row += character === "\t" ? "    " : character;
      width += wide;
    }
  }
  if (cursor >= text.length) place = { row: rows.length, column: width };
  return { rows: [...rows, row], cursor: place };
}
