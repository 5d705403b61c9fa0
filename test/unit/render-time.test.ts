// Rendering takes linear time, whatever an agent writes: measured in CPU time at 16, 32 and 64 kB.
import assert from "node:assert/strict";
import { it } from "node:test";
import { channel } from "../../channels/telegram/index.ts";

const repeated = (text: string) => (size: number) =>
  text.repeat(Math.ceil(size / text.length)).slice(0, size);
const around =
  (before: string, text: string, after = "") =>
  (size: number) =>
    before + repeated(text)(size - before.length - after.length) + after;
const half = (open: string, close: string) => (size: number) =>
  open.repeat(size / 2 / open.length) + close.repeat(size / 2 / close.length);

const ordinary: Record<string, (size: number) => string> = {
  prose: repeated("Some **bold** text with `code` and a [link](http://x.yz/a), and more.\n\n"),
  "one paragraph": repeated(
    "Some **bold** text with `code` and a [link](http://x.yz/a), and more. ",
  ),
  list: repeated("- an item with **bold** words\n"),
  "nested list": repeated("- a\n  - b\n    - c\n      1. d\n"),
  code: around("```js\n", "const a = 1;\n", "```"),
  table: around("| a | b |\n|---|---|\n", "| some | cell |\n"),
  "one word": repeated("x"),
  emoji: repeated("👨‍👩‍👧‍👦"),
};
const hostile: Record<string, (size: number) => string> = {
  ...Object.fromEntries(
    [
      "*",
      "_",
      "**a",
      "*a ",
      "a* ",
      "**a*",
      "a**b",
      "[",
      "]",
      "[a](",
      "![",
      "[]",
      "<",
      "<a ",
      "&",
      "`",
      "`a ",
      "~~a ",
      "|",
      "|a\n",
      "\\",
      "\t",
      " ",
      "  \n",
      "\n",
      "#\n",
      "> ",
      ">",
      "- ",
      "1. ",
      "+ ",
      "> - ",
      "-\n",
      "a\n=\n",
      "www.a_",
      "www.a_ b ",
      "a@",
      "http://a.b(",
      "[^a]: b\n",
      "[a]: b\n",
      "<!--",
      "&amp;",
      "|a|\n|-|\n",
      "```\n",
      "~~~\n",
      "] a ",
    ].map((text) => [JSON.stringify(text), repeated(text)]),
  ),
  "stars around": half("*", "a*"),
  "nested links": half("[", "](u)"),
  "lazy quote": around(`${">".repeat(100)}a\n`, "b\n"),
  "lazy list": around(`${"- ".repeat(50)}a\n`, "b\n"),
  "fence that is none": around("```a`\n", "]"),
  "fence and more": around("```\n```\n", "]"),
  "fence in a list": around("- ```\n  ```\n", "]"),
  "wide table": around("|a|\n|-|\n|", "]"),
  "table rule": around("|a|\n", " -", "x"),
  "deep lines": repeated("> - > - > - a\n"),
  accents: around("e", "\u0301"),
};

async function cpuOf(text: string): Promise<number> {
  const before = process.cpuUsage();
  await channel.render(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

for (const [name, make] of Object.entries({ ...ordinary, ...hostile })) {
  it(`renders 64 kB of ${name} in linear time`, async () => {
    await channel.render("**warm** up");
    const taken: number[] = [];
    for (const size of [16_000, 32_000, 64_000]) taken.push(await cpuOf(make(size)));
    const [first = 0, , last = 0] = taken;
    // Four times the text; twice that for the machine, and a floor below which nothing is measured.
    assert.ok(last < Math.max(8 * first, 600), `took ${taken.map(Math.round).join(", ")} ms`);
    assert.ok(last < 3000, `took ${taken.map(Math.round).join(", ")} ms`);
  });
}
