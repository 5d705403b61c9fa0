import assert from "node:assert/strict";
import { it } from "node:test";
import { emptyInput, type Input, insert, type Key, type } from "../../src/cli/terminal/input.ts";
import { createScreen, type Frame } from "../../src/cli/terminal/screen.ts";

/** A terminal that knows the few sequences we use. */
function glass(rows: number) {
  const lines: string[][] = [[]];
  let row = 0;
  let column = 0;
  const csi = (count: number, verb: string) => {
    if (verb === "A") row = Math.max(Math.max(0, lines.length - rows), row - count);
    if (verb === "B") row = Math.min(lines.length - 1, row + count);
    if (verb === "C") column += count;
    if (verb === "J") {
      lines[row] = (lines[row] ?? []).slice(0, column);
      lines.length = row + 1;
    }
  };
  const put = (character: string) => {
    if (character === "\r") column = 0;
    else if (character === "\n") {
      row += 1;
      lines[row] ??= [];
    } else {
      const line = lines[row] ?? [];
      while (line.length < column) line.push(" ");
      line[column] = character;
      column += 1;
    }
  };
  return {
    rows,
    columns: 80,
    write(text: string) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences
      for (const [all, count, verb] of text.matchAll(/\u001b\[(\d*)([ABCJ])|[\s\S]/g))
        if (verb) csi(Number(count || 1), verb);
        else put(all);
    },
    text: () => lines.map((line) => line.join("")),
    cursor: () => ({ row, column }),
  };
}

const frame = (...rows: string[]): Frame => ({ rows, cursor: { row: rows.length - 1, column: 2 } });

it("grows a message in place and keeps the cursor in the input", () => {
  const terminal = glass(10);
  const screen = createScreen(terminal);
  screen.draw(frame("hel", "> "));
  screen.draw(frame("hello", "second", "> "));
  screen.draw(frame("hello", "> "));
  screen.draw({ rows: ["hello", "> ab", "hint"], cursor: { row: 1, column: 3 } });
  screen.draw({ rows: ["hello", "> ab", "hint"], cursor: { row: 1, column: 2 } });
  assert.deepEqual(terminal.text(), ["hello", "> ab", "hint"]);
  assert.deepEqual(terminal.cursor(), { row: 1, column: 2 });
  screen.draw(frame("bye", "> "));
  assert.deepEqual(terminal.text(), ["bye", "> "]);
  screen.end();
  assert.deepEqual(terminal.cursor(), { row: 2, column: 0 });
});

it("writes again what changed above the window, so that nothing is missing", () => {
  const terminal = glass(4);
  const screen = createScreen(terminal);
  const long = Array.from({ length: 8 }, (_, n) => `row ${n}`);
  screen.draw(frame(...long, "> "));
  screen.draw(frame("changed", ...long.slice(1), "> "));
  assert.deepEqual(terminal.text().slice(-9), ["changed", ...long.slice(1), "> "]);
  screen.draw(frame("changed", ...long.slice(1), "more", "> "));
  assert.deepEqual(terminal.text().slice(-10), ["changed", ...long.slice(1), "more", "> "]);
});

function typed(keys: readonly (string | Key)[], start: Input = emptyInput) {
  let input = start;
  const sent: string[] = [];
  for (const key of keys) {
    const one = type(input, typeof key === "string" ? { sequence: key } : key);
    if (one.do === "submit") sent.push(one.text);
    if (one.do === "submit" || one.do === "edit") input = one.input;
  }
  return { text: input.text.join(""), cursor: input.cursor, sent, input };
}

it("edits the line that is typed", () => {
  const left = { name: "left" };
  assert.equal(typed(["a", "c", left, "b"]).text, "abc");
  assert.equal(typed(["a", "😀", { name: "backspace" }, "b"]).text, "ab");
  assert.equal(typed([..."one two", { name: "w", ctrl: true }]).text, "one ");
  assert.equal(
    typed([..."one", { name: "a", ctrl: true }, "x", { name: "k", ctrl: true }]).text,
    "x",
  );
  assert.equal(typed([..."one", { name: "u", ctrl: true }]).text, "");
  assert.equal(typed(["a", "\u001b", "\u0000"]).text, "a");
});

it("sends at return, goes on after a backslash, and recalls what was sent", () => {
  const enter = { name: "return" };
  const sent = typed([..."one", enter, ..."two\\", enter, ..."more", enter, " ", enter]);
  assert.deepEqual(sent.sent, ["one", "two\nmore"]);
  const cleared = { ...sent.input, text: [], cursor: 0 };
  assert.equal(typed([{ name: "up" }, { name: "up" }], cleared).text, "one");
  assert.equal(
    typed([{ name: "up" }, { name: "up" }, { name: "down" }], cleared).text,
    "two\nmore",
  );
});

it("takes a paste as text, line breaks and all", () => {
  const pasted = insert(emptyInput, "a\r\nb\rc");
  assert.equal(pasted.do === "edit" && pasted.input.text.join(""), "a\nb\nc");
});
