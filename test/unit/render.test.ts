// Markdown to messages: any text, any limit; nothing lost, in order, every message within the limit and valid by itself.
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { type Dialect, render } from "../../channels/shared/render.ts";
import { channel } from "../../channels/telegram/index.ts";
import { telegramDialect } from "../../channels/telegram/outbound.ts";
import type { Part } from "../../src/core/channel.ts";
import { parseHtml } from "../fakes/telegram-html.ts";

interface Shown {
  readonly text: string;
  readonly entities: readonly { readonly type: string; readonly offset: number; length: number }[];
}

function show({ body, plain }: Part): Shown {
  if (body === undefined) return { text: plain, entities: [] };
  const parsed = parseHtml(body);
  assert.ok(!("problem" in parsed), "problem" in parsed ? `${parsed.problem}\n${body}` : "");
  assert.equal(parsed.text, plain, "plain text is what the HTML shows");
  return parsed;
}

const solid = (text: string) => text.replace(/\s+/g, "");
const textOf = (parts: readonly Part[]) => solid(parts.map(({ plain }) => plain).join(""));
const at = (limit: number): Dialect => ({ ...telegramDialect, limit });

const word = fc.stringMatching(/^[a-z]{1,12}$/);
const messy = fc.string({ unit: "grapheme", maxLength: 20 });
const inline = fc.oneof(
  word,
  messy,
  fc.constantFrom(
    "**",
    "*",
    "_",
    "`",
    "``",
    "~~",
    "[",
    "](http://a.bc/d)",
    "![",
    "<b>",
    "&amp;",
    "|",
    "\\",
    "\n",
    "  \n",
    "<br>",
    "www.a.bc",
    "👨‍👩‍👧‍👦",
    "漢字",
    "e\u0301",
    "\u200B",
    "\uD83D",
  ),
);
const paragraph = fc.array(inline, { maxLength: 30 }).map((pieces) => pieces.join(" "));
const prefix = fc.constantFrom(
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
  "~~~\n",
  "---\n",
  "[a]: http://b.cd\n",
);
const markdown = fc
  .array(fc.tuple(prefix, paragraph, fc.constantFrom("\n", "\n\n")), { maxLength: 25 })
  .map((blocks) => blocks.flat().join(""));
const limits = fc.integer({ min: 32, max: 500 });

it("keeps every message of any Markdown within any limit, and valid by itself", async () => {
  await fc.assert(
    fc.asyncProperty(markdown, limits, async (text, limit) => {
      for (const part of await render(text, at(limit))) {
        const shown = show(part);
        assert.ok(shown.text.length <= limit, `${shown.text.length} > ${limit}`);
        assert.doesNotMatch(shown.text, /\p{Surrogate}/u);
        assert.notEqual(shown.text.trim(), "");
      }
    }),
    { numRuns: 400 },
  );
});

it("loses nothing and keeps the order, wherever it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(markdown, limits, async (text, limit) => {
      const cut = await render(text, at(limit));
      const whole = await render(text, at(1_000_000));
      const unseen = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu;
      assert.equal(textOf(cut).replace(unseen, ""), textOf(whole).replace(unseen, ""));
    }),
    { numRuns: 400 },
  );
});

it("shows every word of a text, in whatever it stands", async () => {
  const words = fc.array(word, { minLength: 1, maxLength: 200 });
  const frames = fc.infiniteStream(
    fc.constantFrom("", "**", "`", "_", "# ", "- ", "> ", "1. ", "```\n"),
  );
  await fc.assert(
    fc.asyncProperty(words, frames, limits, async (all, marks, limit) => {
      const numbered = all.map((one, index) => `${one}${index}x`);
      const text = numbered
        .map((one) => {
          const mark = marks.next().value ?? "";
          return mark.endsWith(" ") || mark === ""
            ? mark + one
            : mark + one + mark.split("").reverse().join("");
        })
        .join("\n\n");
      const shown = textOf(await render(text, at(limit)));
      let from = 0;
      for (const one of numbered) {
        const found = shown.indexOf(one, from);
        assert.ok(found >= 0, `${one} is missing`);
        from = found + one.length;
      }
    }),
  );
});

it("closes a fence at a cut and opens it again with its language", async () => {
  const code = Array.from({ length: 500 }, (_, n) => `  const line${n} = "<a&b>";`).join("\n");
  const parts = await channel.render(`Before.\n\n\`\`\`ts\n${code}\n\`\`\`\n\nAfter.`);
  assert.ok(parts.length > 3);
  for (const part of parts) {
    assert.match(part.body ?? "", /<pre><code class="language-ts">[\s\S]*<\/code><\/pre>/);
    assert.ok(show(part).entities.some(({ type }) => type === "pre"));
  }
  const shown = parts.map(({ plain }) => plain).join("\n");
  for (const line of code.split("\n")) assert.ok(shown.includes(`${line}\n`), line);
});

it("cuts between blocks where it can, then after lines, sentences and words", async () => {
  const block = "One sentence of it. ".repeat(5).trim();
  const blocks = await render(Array.from({ length: 4 }, () => block).join("\n\n"), at(250));
  assert.deepEqual(
    blocks.map(({ plain }) => plain),
    [`${block}\n\n${block}`, `${block}\n\n${block}`],
  );
  const [sentence] = await render("Aaa bbb ccc. ".repeat(20), at(100));
  assert.match(sentence?.plain ?? "", /ccc\.$/);
  const [words] = await render("abc ".repeat(100), at(50));
  assert.match(words?.plain ?? "", /abc$/);
});

it("keeps a heading with what it is the heading of", async () => {
  const text = `${"Words of it. ".repeat(12)}\n\n## Head\n\n${"Under it. ".repeat(12)}`;
  const parts = await render(text, at(200));
  assert.ok(parts.some(({ plain }) => /^Head\n\nUnder/.test(plain)));
});

it("never cuts what people see as one character", async () => {
  const family = "👨‍👩‍👧‍👦";
  for (const { plain } of await render(family.repeat(300), at(100)))
    assert.equal(plain.replaceAll(family, ""), "");
  for (const { plain } of await render(`**${"e\u0301".repeat(300)}**`, at(100)))
    assert.match(plain, /^e.*\u0301$/u);
});

it("renders what Telegram can show", async () => {
  const cases: [string, string][] = [
    ["**b** _i_ ~~s~~ `c<d`", "<b>b</b> <i>i</i> <s>s</s> <code>c&lt;d</code>"],
    ["# Head `x`", "<b>Head </b><code>x</code>"],
    ["[a](https://e.org/?a=1&b=2)", '<a href="https://e.org/?a=1&amp;b=2">a</a>'],
    ["[`code`](https://e.org)", '<a href="https://e.org">code</a>'],
    ["> quote\n> on\n>\n> > deep", "<blockquote>quote\non\n\n&gt; deep</blockquote>"],
    ["- a\n  - b\n- [x] c\n3. d", "• a\n  • b\n• ☑ c\n\n3. d"],
    ["a\n\n---\n\n&copy; \\* <i>x</i>", "a\n\n———\n\n© * <i>x</i>"],
    ["| a | bb |\n|--|--:|\n| 漢 | `c` |", "<pre>a  │ bb\n───┼───\n漢 │  c</pre>"],
    ["about ~5 and ~6", "about ~5 and ~6"],
  ];
  for (const [text, wanted] of cases) {
    const [part, ...more] = await channel.render(text);
    assert.equal(more.length, 0);
    assert.equal(part?.body ?? part?.plain, wanted);
    show(part ?? { plain: "" });
  }
});

it("hides no address: what cannot be a link is written out", async () => {
  const shown = async (text: string) => textOf(await channel.render(text));
  assert.equal(await shown("[x](javascript:alert)"), "x(javascript:alert)");
  assert.equal(await shown("[x](src/a.ts)"), "x(src/a.ts)");
  assert.equal(await shown("[x](http://build:80/)"), "x(http://build:80/)");
  assert.equal(await shown("![pic](data:image/png)"), "pic(data:image/png)");
  assert.equal(await shown("[1]: http://a.bc"), "[1]:http://a.bc");
  assert.match(
    (await channel.render("[x][1]\n\n[1]: http://a.bc"))[0]?.body ?? "",
    /href="http:\/\/a.bc"/,
  );
});

it("sends plain text as it is, at once and without any mark-up", () => {
  const text = "Hello, world! 3 + 4 = 7 (really) & so on…\n\n  indented? yes.";
  const parts = channel.render(text);
  assert.deepEqual(parts, [{ plain: text }]);
  assert.deepEqual(channel.render("\u200B \n"), []);
});

it("does not load the parser for plain text", async () => {
  const script = `
    const { channel } = await import("./channels/telegram/index.ts");
    const { registerHooks } = await import("node:module");
    registerHooks({ resolve(name, context, next) { console.log(name); return next(name, context); } });
    channel.render("plain, as it is");
    console.log("then");
    await channel.render("**bold**");
  `;
  const { execFileSync } = await import("node:child_process");
  const seen = execFileSync(process.execPath, ["--input-type=module", "-e", script]).toString();
  const [before = "", after = ""] = seen.split("then\n");
  assert.equal(before, "");
  assert.match(after, /mdast-util-from-markdown/);
});
