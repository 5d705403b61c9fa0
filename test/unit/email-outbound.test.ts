// How an answer reads in a mail program: as plain text, and as HTML.
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { mailPage, render } from "../../channels/email/outbound.ts";
import type { Part } from "../../src/core/channel.ts";

async function only(text: string): Promise<Part> {
  const parts = await render(text);
  assert.equal(parts.length, 1);
  return parts[0] as Part;
}

const plain = async (text: string) => (await only(text)).plain;
const html = async (text: string) => (await only(text)).body ?? "";

it("text without marks is plain text alone, as it was written", async () => {
  const text = "allow 3 K7Q2\n\nSee https://example.org/x?a=1&b=2 at once.\n(no joke)";
  assert.deepEqual(await only(text), { plain: text });
});

it("in plain text code is indented, tables are aligned, quotes are marked, links say where they lead", async () => {
  const text = [
    "## Found",
    "A **bad** `x` in [the log](https://ci.example.org/1) and <https://example.org/>.",
    "```sh\nrm -rf x\n\n  npm ci\n```",
    "| a | time |\n|---|---:|\n| long cell | 3 s |",
    "> it *worked*\n>\n> ```\n> code\n> ```\n>\n> > before",
    "1. one\n2. two\n   - deep\n\n   ```\n   code\n   ```",
    "- [x] done",
  ];
  const shown = [
    "Found",
    "A bad x in the log <https://ci.example.org/1> and https://example.org/.",
    "    rm -rf x\n\n      npm ci",
    "    a         │ time\n    ──────────┼─────\n    long cell │  3 s",
    "> it worked\n>\n>     code\n>\n> > before",
    "1. one\n\n2. two\n   • deep\n\n    code",
    "• ☑ done",
  ];
  for (const [index, block] of text.entries()) assert.equal(await plain(block), shown[index]);
  const whole = text.slice(0, 5);
  assert.equal(await plain(whole.join("\n\n")), shown.slice(0, 5).join("\n\n"));
});

it("HTML has paragraphs, hanging lists, code that keeps its spaces, quotes and links", async () => {
  assert.equal(
    await html("**a**\nb\n\nc"),
    '<p style="margin:0 0 1em"><b>a</b><br>\nb</p>\n<p style="margin:0 0 1em">c</p>',
  );
  assert.match(
    await html("[the log](https://x.example/?a=1&b=2)"),
    /<a href="https:\/\/x\.example\/\?a=1&amp;b=2">the log<\/a>/,
  );
  assert.match(
    await html("```js\na  <  b\n\n  c\n```"),
    /<pre style="[^"]+">a {2}&lt; {2}b\n\n {2}c<\/pre>/,
  );
  assert.match(
    await html("> *a*\n>\n> `b`"),
    /^<blockquote [^>]+>\n<p [^>]+><i>a<\/i><\/p>\n<p [^>]+><code [^>]+>b<\/code><\/p>\n<\/blockquote>$/,
  );
  const list = await html("- **one**\n  - two\n- three");
  assert.equal(list.match(/text-indent:-0\.76em/g)?.length, 3);
  assert.match(list, /padding-left:1\.96em[^>]+>• two</);
});

it("what leads somewhere else than to the web is no link, and nothing is fetched", async () => {
  for (const url of [
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "cid:1",
    "//x.example",
  ]) {
    const body = await html(`**a** [b](${url})`);
    assert.doesNotMatch(body, /<a /, url);
    assert.ok(body.includes(url.slice(0, 8)), "where it leads is not hidden");
  }
  const image = await html("![a picture](https://x.example/p.png) **x**");
  assert.doesNotMatch(image, /<img|src=/);
  assert.match(image, /<a href="https:\/\/x\.example\/p\.png">a picture<\/a>/);
});

const allowed =
  /<(?:\/?(?:p|b|i|s|a|code|pre|blockquote|div|br)\b)(?: (?:style="[a-zA-Z0-9 .,:;#-]*"|href="https?:\/\/[^"<>\s]*"))?>/g;

it("HTML that is in an answer is shown, never in effect", async () => {
  const marks = fc.constantFrom(
    ...[
      "**",
      "`",
      "```\n",
      "> ",
      "- ",
      "1. ",
      "\n",
      "\n\n",
      "[",
      "](",
      ")",
      "| a |\n|---|\n",
      "~~",
      "_",
    ],
    ...[
      "<script>alert(1)</script>",
      "<img src=x onerror=y>",
      '"',
      "'",
      "<",
      ">",
      "&",
      "&lt;",
      "&#60;",
    ],
    ...[
      "https://x.example/",
      '" onmouseover="x',
      "javascript:x",
      "</pre>",
      "</blockquote>",
      "<!--",
      "\0",
      "é",
      "text",
    ],
  );
  await fc.assert(
    fc.asyncProperty(fc.array(marks, { maxLength: 25 }), async (pieces) => {
      for (const { body = "" } of await render(`**x** ${pieces.join("")}`)) {
        assert.doesNotMatch(body.replace(allowed, ""), /[<>]/, body);
        assert.doesNotMatch(body, /\0/);
      }
    }),
    { numRuns: 500 },
  );
});

it("every word is in both, and lines that are commands are left alone", async () => {
  const words = fc.array(
    fc.constantFrom("allow 3 K7Q2", "deny 3 K7Q2", "join abc", "/stop", "word", "**b**", "`c`"),
    { minLength: 1, maxLength: 10 },
  );
  await fc.assert(
    fc.asyncProperty(words, fc.constantFrom("\n", "\n\n"), async (lines, between) => {
      const { plain: shown, body } = await only(lines.join(between));
      const bare = lines.map((line) => line.replace(/[*`]/g, ""));
      assert.deepEqual(shown.split(between), bare);
      for (const line of bare) if (body) assert.ok(body.includes(line));
    }),
    { numRuns: 100 },
  );
});

it("a long answer stays one mail, in linear time", async () => {
  const text =
    "Some **bold** text with `code` and a [link](https://x.example/a).\n\n- item\n- item\n\n".repeat(
      800,
    );
  const before = process.cpuUsage();
  const { plain: shown, body = "" } = await only(text);
  const { user, system } = process.cpuUsage(before);
  assert.equal(shown.match(/item/g)?.length, 1600);
  assert.equal(body.match(/<a href/g)?.length, 800);
  assert.ok((user + system) / 1000 < 3000, `${(user + system) / 1000} ms`);
});

it("the page around it loads nothing and runs nothing", () => {
  const page = mailPage("<p>x</p>");
  assert.match(page, /^<!doctype html>/);
  assert.match(page, /<meta charset="utf-8">/);
  assert.doesNotMatch(page, /<script|<link|<img|url\(|http/i);
});
