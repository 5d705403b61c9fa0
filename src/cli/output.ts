// What commands print: aligned tables for people, JSON for programs; text of others is made visible.
import { harmless, visible, visibleLine } from "../core/visible.ts";
import { widthOf } from "./terminal/style.ts";

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

export function complain(text: string): void {
  process.stderr.write(`${visible(text)}\n`);
}

export interface Column<T> {
  readonly title: string;
  of(row: T): string;
  /** Made visible already, where it was written down. */
  readonly visible?: boolean;
}

export function table<T>(rows: readonly T[], columns: readonly Column<T>[]): string {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) =>
      columns.map(({ of, visible: is }) => (is ? alreadyVisible(of(row)) : visibleLine(of(row)))),
    ),
  ];
  const widths = columns.map((_, i) =>
    Math.max(...cells.map((line) => widthOfText(line[i] ?? ""))),
  );
  return cells
    .map((line) =>
      line
        .map((cell, i) => cell + " ".repeat((widths[i] ?? 0) - widthOfText(cell)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** What was made visible before would be escaped twice; nothing in it may drive the terminal all the same. */
export function alreadyVisible(text: string): string {
  return harmless(text).replaceAll(/[\n\t]+/g, " ");
}

function widthOfText(text: string): number {
  return [...text].reduce((sum, character) => sum + widthOf(character), 0);
}

/** `2026-11-29 14:05`, in this machine's time. */
export function when(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "-";
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16).replace("T", " ");
}

export function short(text: string, most = 60): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
