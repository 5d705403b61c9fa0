// Markdown to Slack's mrkdwn: any text, any limit; what people see is the text, nobody is called, nothing is too long.
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { channel } from "../../channels/slack/index.ts";
import { slackDialect, toMessage, toParts } from "../../channels/slack/outbound.ts";
import type { Part } from "../../src/core/channel.ts";
import { checkBlocks } from "../fakes/slack-blocks.ts";
import { called, mrkdwnOf, visibleText } from "../fakes/slack-text.ts";

const solid = (text: string) => text.replace(/\s+/g, "");
const textOf = (parts: readonly Part[]) => solid(parts.map(({ plain }) => plain).join(""));
const at = (text: string, limit: number) => toParts(text, { ...slackDialect, limit });

/** What people see of a part as it goes out. */
function seen(part: Part): string {
  const message = toMessage(part) as Parameters<typeof visibleText>[0];
  if (message.blocks?.length) checkBlocks(message.blocks);
  assert.deepEqual(called(mrkdwnOf(message)), []);
  return visibleText(message, () => undefined);
}

const word = fc.stringMatching(/^[a-z]{1,12}$/);
const messy = fc.string({ unit: "grapheme", maxLength: 20 });
const signs = ["**", "*", "_", "`", "``", "~~", "~", "[", "](http://a.bc/d?e&f|g)", "<!channel>"];
const more = [
  "<@U1>",
  "@here",
  "&amp;",
  "|",
  "\\",
  "\n",
  "  \n",
  "<br>",
  "www.a.bc",
  "漢字",
  "\u200B",
];
const inline = fc.oneof(
  word,
  messy,
  fc.constantFrom(...signs, ...more, "👨‍👩‍👧‍👦", "\uD83D", "__init__"),
);
const paragraph = fc
  .array(fc.tuple(inline, fc.constantFrom(" ", " ", "")), { maxLength: 30 })
  .map((pieces) => pieces.flat().join(""));
const starts = [
  "",
  "# ",
  "> ",
  "- ",
  "1. ",
  "  - ",
  "    ",
  "> - ",
  "- [x] ",
  "| ",
  "```js\n",
  "```\n",
];
const prefix = fc.constantFrom(...starts, "~~~\n", "---\n", "[a]: http://b.cd\n");
const markdown = fc
  .array(fc.tuple(prefix, paragraph, fc.constantFrom("\n", "\n\n")), { maxLength: 25 })
  .map((blocks) => blocks.flat().join(""));
const limits = fc.integer({ min: 64, max: 600 });

it("keeps every message of any Markdown within any limit, as it is written", async () => {
  await fc.assert(
    fc.asyncProperty(markdown, limits, async (text, limit) => {
      for (const part of await at(text, limit)) {
        const { text: written } = toMessage(part);
        // An address stays whole: at these small limits, though not at Slack's, it may be too long by itself.
        const address = /<http[^|>]*\|/.exec(written)?.[0].length ?? 0;
        const most = address > limit / 3 ? limit + address : limit;
        assert.ok(written.length <= most, `${written.length} > ${limit}\n${written}`);
        assert.notEqual(part.plain.trim(), "");
      }
    }),
    { numRuns: 250 },
  );
});

it("keeps within Slack's limit whatever costs most", async () => {
  const address = `https://example.org/?${"&".repeat(470)}`;
  const nasty = [
    `> - **~~*[${"<&>".repeat(400)}](${address})*~~**\n`.repeat(4),
    `> ${"_a_ ".repeat(3000)}`,
    `> **${"\\*x ".repeat(2000)}**`,
    `> ${"a\n> ".repeat(3000)}`,
    `> \`\`\`\n> ${"<&>\n> ".repeat(1500)}\`\`\``,
    `**${"&".repeat(9000)}**`,
    "~~*a*~~ **b** ".repeat(1500),
  ];
  for (const text of nasty)
    for (const part of await channel.render(text)) {
      const { text: written } = toMessage(part);
      assert.ok(written.length <= 3000, `${written.length} of ${text.slice(0, 20)}`);
    }
});

it("shows every sign of a text: none is taken for a mark, and none calls anybody", async () => {
  await fc.assert(
    fc.asyncProperty(markdown, limits, async (text, limit) => {
      for (const part of await at(text, limit)) {
        // A link with a bar or an address in its words is written out, and its address is part of what is seen.
        if (/\||www\.|:\/\//.test(part.plain) && /https?:/.test(part.body ?? "")) continue;
        assert.equal(solid(seen(part)), solid(part.plain), part.body);
      }
    }),
    { numRuns: 250 },
  );
});

it("loses nothing and keeps the order, wherever it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(markdown, limits, async (text, limit) => {
      const unseen = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu;
      const whole = textOf(await at(text, 1_000_000)).replace(unseen, "");
      assert.equal(textOf(await at(text, limit)).replace(unseen, ""), whole);
    }),
    { numRuns: 250 },
  );
});

it("closes a fence at a cut and opens it again, within the limit", async () => {
  const code = Array.from({ length: 400 }, (_, n) => `  const line${n} = "<a&b>" * ${n};`).join(
    "\n",
  );
  const parts = await channel.render(`Before.\n\n\`\`\`ts\n${code}\n\`\`\`\n\nAfter.`);
  assert.ok(parts.length > 4);
  for (const { body = "" } of parts) {
    assert.ok(body.length <= 3000);
    assert.equal(body.match(/^```$/gm)?.length, 2, body);
  }
  const shown = parts.map(seen).join("\n");
  for (const line of code.split("\n")) assert.ok(shown.includes(line), line);
});

it("renders what Slack can show", async () => {
  const cases: [string, string][] = [
    ["**b** _i_ ~~s~~ `c<d`", "*b* _i_ ~s~ `c&lt;d`"],
    ["# Head `x`", "*Head* `x`"],
    ["**see \\*this\\* now**", "*see* `*this*` *now*"],
    ["[a](https://e.org/?a=1&b=2)", "<https://e.org/?a=1&amp;b=2|a>"],
    ["**[a](https://e.org)**", "*<https://e.org|a>*"],
    ["> quote\n> on\n\nafter", "&gt; quote\n&gt; on\n\nafter"],
    ["- a\n  - b\n- [x] c", "• a\n  • b\n• ☑ c"],
    ["**two\nlines**", "*two*\n*lines*"],
    ["**a *b* c**", "*a* *_b_* *c*"],
    ["a\n\n```js\nx < `y`\n```\n\nb", "a\n\n```\nx &lt; `y`\n```\n\nb"],
    ["a & b < c && d > e", "a &amp; b &lt; c &amp;&amp; d &gt; e"],
    ["**x** <!channel> &lt;!here&gt;", "*x* &lt;!channel&gt; &lt;!here&gt;"],
  ];
  for (const [text, wanted] of cases) {
    const [part, ...others] = await channel.render(text);
    assert.equal(others.length, 0);
    assert.equal(toMessage(part ?? { plain: "" }).text, wanted);
  }
});

it("shows words that would be marks as code, and leaves those alone that would not", async () => {
  const [part] = await channel.render(
    "**see** \\*this\\* \\_\\_init\\_\\_ snake_case 2*3 a * b ~5",
  );
  assert.equal(part?.body, "*see* `*this*` `__init__` snake_case 2*3 a * b `~5`");
});

it("drops a mark in the middle of a word, where Slack would show its sign", async () => {
  const [part] = await channel.render("foo**bar**baz and **that**.");
  assert.equal(part?.body, "foobarbaz and *that*.");
});

it("sends plain what mrkdwn cannot express, exactly as it is", async () => {
  for (const text of [
    "**b** and \\`ticks\\` here",
    "``a ` b`` **c**",
    "````\n```\n````\n\n**d**",
  ]) {
    const [part] = await channel.render(text);
    assert.equal(part?.body, undefined);
    const message = toMessage(part ?? { plain: "" });
    assert.equal(
      message.blocks[0]?.type === "section" && message.blocks[0].text.type,
      "plain_text",
    );
    assert.equal(seen(part ?? { plain: "" }), part?.plain);
  }
});

it("hides no address: what cannot be a link is written out", async () => {
  const shown = async (text: string) => textOf(await channel.render(text));
  assert.equal(await shown("[x](javascript:alert)"), "x(javascript:alert)");
  assert.equal(await shown("[x](src/a.ts)"), "x(src/a.ts)");
  const [bar] = await channel.render("[a|b](https://e.org/c)");
  assert.equal(bar?.body, "a|b (https://e.org/c)");
  const [bank] = await channel.render(
    "[https://bank.test](https://evil.test) [b.md](https://e.org)",
  );
  assert.equal(bank?.body, "https://bank.test (https://evil.test) <https://e.org|b.md>");
  const [same] = await channel.render("[https://a.test](https://a.test/)");
  assert.equal(same?.body, "<https://a.test/|https://a.test>");
});
