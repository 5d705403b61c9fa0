import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { painter, styleMarkdown, widthOf, wrap } from "../../src/cli/terminal/style.ts";
import { markdownParts } from "../../src/core/markdown-parts.ts";

const bodies = (text: string, limit: number) =>
  markdownParts(text, limit).map(({ plain }) => plain);
const letters = (text: string) => text.replace(/[\s`~]/g, "");

it("keeps a short answer as it is", () => {
  assert.deepEqual(bodies("**hi**\n\n- a\n", 100), ["**hi**\n\n- a"]);
  assert.deepEqual(bodies("  \n", 100), []);
});

it("closes a code block at a cut and opens it again", () => {
  const code = ["```js", ...Array.from({ length: 8 }, (_, n) => `line ${n};`), "```"].join("\n");
  const parts = bodies(`before\n\n${code}\n\nafter`, 60);
  assert.ok(parts.length > 1);
  for (const part of parts) assert.equal((part.match(/^```/gm) ?? []).length % 2, 0, part);
  assert.ok(parts.slice(1, -1).every((part) => part.startsWith("```js\n")));
});

it("splits any text at any limit: every part fits, nothing is lost, in order", () => {
  const line = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("```", "```js", "~~~~", "", "> a", "x".repeat(90)),
  );
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 40 }),
      fc.integer({ min: 40, max: 200 }),
      (lines, limit) => {
        const text = lines.join("\n");
        const parts = bodies(text, limit);
        for (const part of parts) assert.ok(part.length <= limit, `${part.length} > ${limit}`);
        const once = bodies(text, 1_000_000).join("\n");
        // A fence that is opened again brings its info word along.
        assert.equal(
          letters(parts.join("\n")).replaceAll("js", ""),
          letters(once).replaceAll("js", ""),
        );
      },
    ),
    { numRuns: 300 },
  );
});

it("disarms what would drive the terminal", () => {
  assert.deepEqual(bodies("a\u001b[2Jb\u0007\u202E", 100), ["a⟨U+001B⟩[2Jb⟨U+0007⟩⟨U+202E⟩"]);
});

it("styles without changing what is said", () => {
  const text = "# Title\n**bold** `co*de` \\*plain\\* [l](http://e.x)\n```diff\n+a\n-b\n```\n> q";
  assert.deepEqual(styleMarkdown(text, painter(false)), [
    "Title",
    "bold `co*de` *plain* l (http://e.x)",
    "```diff",
    "+a",
    "-b",
    "```",
    "> q",
  ]);
  assert.equal(styleMarkdown("**a** b", painter(true))[0], "\u001b[1ma\u001b[0m b");
});

it("wraps by columns, carrying the style over", () => {
  assert.deepEqual(wrap("abcdef", 4), ["abcd", "ef"]);
  assert.deepEqual(wrap("漢字漢字", 5), ["漢字", "漢字"]);
  assert.deepEqual(wrap("\u001b[1mabcdef\u001b[0m", 4), [
    "\u001b[1mabcd\u001b[0m",
    "\u001b[1mef\u001b[0m",
  ]);
  assert.deepEqual(
    ["a", "漢", "e\u0301"[1], "😀"].map((one) => widthOf(one ?? "")),
    [1, 2, 0, 2],
  );
});
