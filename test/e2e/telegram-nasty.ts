// Answers that have broken chat bots: what an agent says, and what must still be readable of it.

export interface NastyAnswer {
  readonly text: string;
  /** Pieces that the reader must find. */
  readonly sees: readonly string[];
}

const fence = "```";

export const nastyAnswers: readonly NastyAnswer[] = [
  { text: "_*[]()~>#+-=|{}.!", sees: ["[]()~>#+-=|{}.!"] },
  { text: "an *unclosed bold and _unclosed italic", sees: ["unclosed bold and _unclosed italic"] },
  { text: "`an unclosed code", sees: ["an unclosed code"] },
  { text: `${fence}js\nlet open = 1;`, sees: ["let open = 1;"] },
  { text: `${fence}\n${"`".repeat(2)} inside\n${fence}`, sees: ["`` inside"] },
  { text: "<b>not html</b> <script>alert(1)</script>", sees: ["not html", "alert(1)"] },
  { text: "&lt;b&gt; & &amp; &nope; &#x1F600;", sees: ["& &", "&nope;"] },
  { text: "<a href='x'>half a tag", sees: ["half a tag"] },
  {
    text: '[a link](https://example.org/?a=1&b="2") and [another](<https://e.org/a b>)',
    sees: ["a link", "another"],
  },
  {
    text: "[click](javascript:alert(1)) [x](tg://user?id=1) [y](data:text/html,x)",
    sees: ["click"],
  },
  { text: "**bold *italic `code` ~~strike~~* bold**", sees: ["bold italic code strike bold"] },
  { text: "***x** y*", sees: ["x"] },
  { text: "😀👨‍👩‍👧‍👦🇩🇪 **fett 😀** `код 😀` 𝕏", sees: ["😀👨‍👩‍👧‍👦🇩🇪 fett 😀 код 😀 𝕏"] },
  { text: "עברית **مرحبا** \u202Eabc\u202C", sees: ["עברית", "مرحبا"] },
  { text: "a\u0000b\u0007c\u001b[31mred", sees: ["red"] },
  { text: "half a pair \ud83d here", sees: ["half a pair"] },
  { text: "| a | b |\n|---|---|\n| `x|y` | **z** |\n| 1 | 2 |", sees: ["a", "1"] },
  {
    text: "> quote\n> > nested **deep**\n> ```\n> code in it\n> ```",
    sees: ["nested deep", "code in it"],
  },
  {
    text: "1. one\n   - two\n     1. three\n        > four",
    sees: ["one", "two", "three", "four"],
  },
  {
    text: "# A heading with `code` and [link](https://e.org)\n## Another",
    sees: ["A heading with code and link", "Another"],
  },
  { text: "- [ ] open\n- [x] done", sees: ["open", "done"] },
  {
    text: "![an image](https://example.org/x.png) and <https://auto.example.org>",
    sees: ["an image", "auto.example.org"],
  },
  { text: `${fence}c++ "><script>\nint x;\n${fence}`, sees: ["int x;"] },
  {
    text: `${"`".repeat(5)}md\n${fence}js\nnested();\n${fence}\n${"`".repeat(5)}`,
    sees: ["nested();"],
  },
  { text: "---\n***\n___", sees: [] },
  { text: "line one  \nline two\\\nline three", sees: ["line one", "line two", "line three"] },
  {
    text: "[ref]: https://e.org 'title'\n[ref] and [^1]\n\n[^1]: a footnote",
    sees: ["ref", "a footnote"],
  },
  { text: "x".repeat(3_500), sees: ["x".repeat(3_500)] },
  { text: `${"**".repeat(300)}deep${"**".repeat(300)}`, sees: ["deep"] },
  { text: `${"> ".repeat(120)}far in\n${"- ".repeat(60)}far down`, sees: ["far in", "far down"] },
];
