// Markdown to Discord's own: any text; nothing lost, nothing but what was meant is markup, every message within the limit.
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { channel } from "../../channels/discord/index.ts";
import { textsOf } from "../../channels/discord/message-body.ts";
import { discordDialect, toDiscord, toRows } from "../../channels/discord/outbound.ts";
import { prose } from "../../channels/shared/pieces.ts";
import { type Dialect, render } from "../../channels/shared/render.ts";
import type { Part } from "../../src/core/channel.ts";
import { readMarkdown } from "../fakes/discord-markdown.ts";

const at = (limit: number): Dialect => ({ ...discordDialect, limit });
const contentOf = ({ body, plain }: Part) => body ?? toDiscord(prose(plain, []));
/** Without what nobody sees; a mark in an address is written as its number. */
const solid = (text: string) =>
  text
    .replace(/%(2A|60|7C|5C|28|29|7E)/g, (encoded) => decodeURIComponent(encoded))
    .replace(/[\s\p{C}\p{Default_Ignorable_Code_Point}]/gu, "");

/** Behind words that are an address themselves stands where the link leads. */
const withoutTargets = (text: string) =>
  solid(text).replace(/\(http:\/\/a\.bc\/(?:[^()]|\([^()]*\))*\)/g, "");

const word = fc.stringMatching(/^[a-z]{1,12}$/);
const messy = fc.string({ unit: "grapheme", maxLength: 20 });
const inline = fc.oneof(
  word,
  messy,
  fc.constantFrom(
    ...[
      "**",
      "*",
      "_",
      "__",
      "***",
      "`",
      "``",
      "~~",
      "~",
      "||",
      "[",
      "](http://a.bc/d)",
      "\\",
      "\\*",
    ],
    ...["<@123>", "<@&5>", "<#7>", "@everyone", "@here", "<:a:1>", ":smile:", "<t:1:R>", "</x:1>"],
    ...["http://a.bc/*x*", "http://localhost/a_b", "<b>", "|", "\n", "  \n", "# x", "-# x", "> x"],
    ...[
      "**b**",
      "*i*",
      "~~s~~",
      "`c`",
      "**b *i* b**",
      "**a***b*",
      "[l](http://a.bc/x_(y))",
      "~~a~~~",
    ],
    ...[
      "<id:home>",
      "steam://run/1",
      "discord://a",
      "&lt;@1>",
      "<https://a.bc/d>",
      "[x](javascript:a)",
    ],
    ...["👨‍👩‍👧‍👦", "漢字", "e\u0301", "1.", "- x", "12)", ">>>"],
  ),
);
const bits = fc.array(inline, { maxLength: 30 });
const paragraph = bits.map((pieces) => pieces.join(" "));
const glued = bits.map((pieces) => pieces.join(""));
const prefix = fc.constantFrom(
  ...["", "# ", "> ", "- ", "1. ", "  - ", "> - ", "| ", "```js\n", "```\n", "~~~\n", "---\n"],
);
const markdown = fc
  .array(fc.tuple(prefix, paragraph, fc.constantFrom("\n", "\n\n")), { maxLength: 25 })
  .map((blocks) => blocks.flat().join(""));
const limits = fc.integer({ min: 100, max: 700 });
const meant = /^(?:fence(?: .*)?|code|bold|italic|strike|quote|link|to https?:.*)$/;

it("keeps every message of any Markdown within any limit, its own marks counted", async () => {
  await fc.assert(
    fc.asyncProperty(markdown, limits, async (text, limit) => {
      for (const part of await render(text, at(limit))) {
        const { length } = contentOf(part);
        assert.ok(length <= limit, `${length} > ${limit}`);
      }
    }),
    { numRuns: 400 },
  );
});

it("shows what was said, and nothing of it is markup, a mention or an emoji by accident", async () => {
  await fc.assert(
    fc.asyncProperty(markdown, limits, async (text, limit) => {
      for (const part of await render(text, at(limit))) {
        const content = contentOf(part);
        const { text: shown, marks } = readMarkdown(content);
        assert.equal(withoutTargets(shown), withoutTargets(part.plain), content);
        for (const mark of marks) assert.match(mark, meant, content);
      }
    }),
    { numRuns: 500 },
  );
});

it("lets nothing that stands beside an address become a mention, a link or another mark", async () => {
  await fc.assert(
    fc.asyncProperty(glued, async (text) => {
      for (const part of await channel.render(text)) {
        const content = contentOf(part);
        assert.ok(content.length <= 2000);
        for (const mark of readMarkdown(content).marks) assert.match(mark, meant, content);
      }
    }),
    { numRuns: 500, examples: [["<id:home>http://localhost/a_b"], ["a:b:http://x.yz"]] },
  );
});

it("shows plain text as it is, whatever it holds", () => {
  fc.assert(
    fc.property(fc.oneof(paragraph, glued), (text) => {
      for (const content of textsOf({ plain: text })) {
        assert.ok(content.length <= 2000);
        const { marks } = readMarkdown(content);
        // An address may be put into brackets, which nobody sees.
        const others = marks.filter((mark) => mark !== "link");
        assert.deepEqual(others, [], content);
      }
      const shown = textsOf({ plain: text }).map((content) => readMarkdown(content).text);
      assert.equal(solid(shown.join("")), solid(text));
    }),
    { numRuns: 500 },
  );
});

it("closes a fence at a cut and opens it again with its language, inside the limit", async () => {
  const code = Array.from({ length: 300 }, (_, n) => `  const line${n} = "<a&b>" + \`\${x}\`;`);
  const parts = await channel.render(`Before.\n\n\`\`\`ts\n${code.join("\n")}\n\`\`\`\n\nAfter.`);
  assert.ok(parts.length > 3);
  for (const part of parts) {
    const content = contentOf(part);
    assert.ok(content.length <= 2000, `${content.length}`);
    const { marks } = readMarkdown(content);
    assert.deepEqual(marks, ["fence ts"]);
  }
  const shown = parts.map((part) => readMarkdown(contentOf(part)).text).join("\n");
  for (const line of code) assert.ok(shown.includes(`${line}\n`), line);
});

it("counts the fence that it adds: an answer that just fits becomes two messages", async () => {
  for (let size = 1980; size <= 2004; size += 1) {
    const parts = await channel.render(`\`\`\`\n${"x".repeat(size)}\n\`\`\``);
    for (const part of parts) assert.ok(contentOf(part).length <= 2000, `${size}`);
    assert.equal(parts.map(({ plain }) => plain).join(""), "x".repeat(size));
  }
});

it("renders what Discord can show", async () => {
  const cases: [string, string][] = [
    ["**b** _i_ ~~s~~ `c<d`", "**b** *i* ~~s~~ `c<d`"],
    ["# Head `x`", "**Head `x`**"],
    ["[a](https://e.org/?a=1&b=2)", "[a](<https://e.org/?a=1&b=2>)"],
    ["https://e.org/a_b", "<https://e.org/a_b>"],
    ["[https://good.org](https://evil.org)", "https://good.org (<https://evil.org>)"],
    ["[x](javascript:alert(1)) *y*", "x (javascript:alert(1)) *y*"],
    ["> quote\n> on\n\nafter", "> quote\n> on\n\nafter"],
    ["- a\n  - b\n- [x] c\n3. d", "• a\n  • b\n• ☑ c\n\n3\\. d"],
    ["| a | bb |\n|--|--:|\n| 漢 | `c` |", "```\na  │ bb\n───┼───\n漢 │  c\n```"],
    ["`` a`b ``", "``a`b``"],
    ["\\# no\\-heading", "\\# no-heading"],
  ];
  for (const [text, wanted] of cases) {
    const [part, ...more] = await channel.render(text);
    assert.equal(more.length, 0, text);
    assert.equal(part && contentOf(part), wanted);
  }
});

it("shows mentions, emoji, times and spoilers as they are written", () => {
  const texts = ["@everyone @here", "<@&5> <@1> <#2>", "<:a:1> :smile:", "<t:1:R>", "||x|| __y__"];
  for (const text of texts) {
    const [content = ""] = textsOf({ plain: text });
    const { text: shown, marks } = readMarkdown(content);
    assert.deepEqual([shown, marks], [text, []]);
  }
});

it("puts five buttons in a row, and keeps data and labels within Discord's limits", () => {
  const buttons = Array.from({ length: 6 }, (_, n) => ({
    label: `${n} ${"l".repeat(90)}`,
    data: "d".repeat(64),
  }));
  const rows = toRows(buttons);
  assert.deepEqual(
    rows.map(({ components }) => components.length),
    [5, 1],
  );
  for (const { label, custom_id } of rows.flatMap(({ components }) => components)) {
    assert.ok(label.length <= 80);
    assert.ok(custom_id.length <= 100);
  }
  assert.equal(channel.limits.buttons, 25);
});
