// Markdown on the page: what it becomes, and what it can never become.
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { VNode } from "preact";
import { entities, markdown } from "../../src/http/page/markdown.js";
import { splitTool } from "../../src/http/page/words.js";

interface Seen {
  readonly type: string;
  readonly props: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Every element, with the text inside it. */
function elements(node: unknown): Seen[] {
  if (Array.isArray(node)) return node.flatMap(elements);
  if (typeof node !== "object" || node === null) return [];
  const { type, props } = node as VNode;
  assert.equal(typeof type, "string");
  const { children, ...others } = props;
  return [{ type: String(type), props: others, text: text(node) }, ...elements(children)];
}

function text(node: unknown): string {
  if (Array.isArray(node)) return node.map(text).join("");
  if (typeof node === "string" || typeof node === "number") return String(node);
  if (typeof node !== "object" || node === null) return "";
  return text((node as VNode).props.children);
}

const find = (source: string, type: string) =>
  elements(markdown(source)).filter((each) => each.type === type);

it("marks each line of a diff by its sign, and keeps the sign", () => {
  const source = "```diff\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n```";
  assert.deepEqual(
    find(source, "ins").map((each) => each.text),
    ["+new\n"],
  );
  assert.deepEqual(
    find(source, "del").map((each) => each.text),
    ["-old\n"],
  );
  assert.equal(text(markdown(source)).includes("@@ -1,2 +1,2 @@\n same\n-old\n+new\n"), true);
});

it("shows raw HTML as the text that it is", () => {
  const source =
    '<img src=x onerror=alert(1)>\n\nand <b onclick="x">bold</b> <script>alert(1)</script>';
  const types = new Set(elements(markdown(source)).map(({ type }) => type));
  assert.deepEqual([...types].sort(), ["div", "p"]);
  assert.ok(text(markdown(source)).includes("<img src=x onerror=alert(1)>"));
  assert.ok(text(markdown(source)).includes('<b onclick="x">bold</b>'));
});

it("loads no image: it is a link that says what it is", () => {
  const source = "![a dot](https://example.org/dot.png)";
  assert.deepEqual(find(source, "img"), []);
  assert.deepEqual(
    find(source, "a").map(({ props }) => props.href),
    ["https://example.org/dot.png"],
  );
  assert.equal(text(markdown(source)), "Image: a dot (example.org)");
});

it("links only to the web and to mail, in a page of its own, and tells the host when the text does not", () => {
  for (const bad of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "/api/me",
    "vbscript:x",
    "blob:x",
    "//example.org/x",
    "java&#115;cript:alert(1)",
  ])
    assert.deepEqual(find(`[text](${bad})`, "a"), [], bad);
  const [link] = find("[a safe place](https://example.org/x)", "a");
  assert.deepEqual(link?.props, {
    href: "https://example.org/x",
    target: "_blank",
    rel: "noopener noreferrer",
  });
  assert.equal(
    text(markdown("[a safe place](https://example.org/x)")),
    "a safe place (example.org)",
  );
  assert.equal(text(markdown("https://example.org/x")), "https://example.org/x");
  assert.equal(
    text(markdown("[bank.example](https://evil.example)")),
    "bank.example (evil.example)",
  );
  assert.equal(text(markdown("<ana@example.org>")), "ana@example.org");
});

it("tells the host when the address only begins like another", () => {
  assert.equal(
    text(markdown("<https://bank.example@evil.example/>")),
    "https://bank.example@evil.example/ (evil.example)",
  );
  // A Cyrillic letter: the host as the browser would ask for it.
  assert.equal(
    text(markdown("https://b\u0430nk.example/")),
    "https://b\u0430nk.example/ (xn--bnk-6cd.example)",
  );
});

it("decodes what people write, and nothing that would hide", () => {
  assert.equal(text(markdown("a &lt;b&gt; &amp; c &quot;d&quot; &#65;")), 'a <b> & c "d" A');
  for (const hidden of ["&#x202E;", "&#8203;", "&#0;", "&#10;", "&#1114112;"])
    assert.equal(entities(hidden), hidden);
  assert.equal(text(markdown("\\*not\\* \\<b\\>")), "*not* <b>");
  assert.equal(text(markdown("`&lt;`")), "&lt;");
});

it("shows what is nested beyond reason, and what is long beyond reason, as it was written", () => {
  for (const source of [
    `${"> ".repeat(5000)}deep`,
    `${"- ".repeat(3000)}deep`,
    "**a ".repeat(3000),
    "x".repeat(300_000),
  ])
    assert.ok(text(markdown(source)).length > 0);
  assert.ok(text(markdown(`${"> ".repeat(5000)}deep`)).includes("deep"));
});

it("does not freeze the page over markers without end", () => {
  const before = performance.now();
  markdown("- ".repeat(50_000));
  markdown("> ".repeat(100_000));
  assert.ok(performance.now() - before < 1000);
});

it("makes only harmless elements with harmless attributes of anything", () => {
  const types = new Set(
    "div p ul ol li table thead tbody tr th td pre code span strong em s a br hr blockquote ins del".split(
      " ",
    ),
  );
  const names = new Set(
    "class href target rel role aria-label aria-hidden tabindex start".split(" "),
  );
  const pieces = fc.constantFrom(
    "<script>",
    "</p>",
    "[x](",
    "javascript:",
    ")",
    "![",
    "](",
    "`",
    "```",
    "\n",
    "> ",
    "- ",
    "| a |",
    "|---|",
    "**",
    "<a href=",
    "&#x3c;",
    "http://a.b",
    "\\",
    "# ",
    "x",
    " ",
    "<!--",
    "~~",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      for (const { type, props } of elements(markdown(parts.join("")))) {
        assert.ok(types.has(type), type);
        for (const name of Object.keys(props)) assert.ok(names.has(name), name);
        if (type === "a") assert.match(String(props.href), /^(https?:\/\/|mailto:)/);
      }
    }),
    { numRuns: 300 },
  );
});

it("takes the line of the running tool off the end of a growing reply only", () => {
  assert.deepEqual(splitTool("So far.\n\n⏳ `ls -l`"), { text: "So far.", tool: "ls -l" });
  assert.deepEqual(splitTool("⏳ `ls`"), { text: "", tool: "ls" });
  assert.deepEqual(splitTool("⏳ `ls`\n\nDone."), { text: "⏳ `ls`\n\nDone.", tool: "" });
});
