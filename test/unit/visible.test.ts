import assert from "node:assert/strict";
import { it } from "node:test";
import { harmless, visible, visibleLine } from "../../src/core/visible.ts";

const cases: readonly (readonly [string, string, string])[] = [
  ["leaves plain text, line breaks and tabs", "a b\n\tc é 漢字", "a b\n\tc é 漢字"],
  ["shows a bidi override", "rm \u202Egpj.sh", "rm ⟨U+202E⟩gpj.sh"],
  ["shows zero-width characters", "su\u200Bdo\u2060\uFEFF", "su⟨U+200B⟩do⟨U+2060⟩⟨U+FEFF⟩"],
  ["shows ANSI and other controls", "\u001b[2Kls\u0007\r", "⟨U+001B⟩[2Kls⟨U+0007⟩⟨U+000D⟩"],
  ["shows odd blanks", "a\u00A0b\u3164c\u2800d", "a⟨U+00A0⟩b⟨U+3164⟩c⟨U+2800⟩d"],
  ["shows tag characters and lone surrogates", "\u{E0041}\uD800", "⟨U+E0041⟩⟨U+D800⟩"],
  ["shows variation selectors outside emoji", "a\uFE0Fb", "a⟨U+FE0F⟩b"],
  [
    "leaves emoji whole",
    "👩\u200D💻 ❤\uFE0F 1\uFE0F\u20E3 👍🏽",
    "👩\u200D💻 ❤\uFE0F 1\uFE0F\u20E3 👍🏽",
  ],
  ["shows an emoji joiner that joins nothing", "👍\u200Dx", "👍⟨U+200D⟩x"],
  ["cannot be imitated", "⟨U+202E⟩", "⟨U+27E8⟩U+202E⟩"],
];

for (const [sentence, given, expected] of cases)
  it(`visible ${sentence}`, () => {
    assert.equal(visible(given), expected);
  });

it("visible folds padding that could push something out of sight", () => {
  assert.equal(visible(`ls${" ".repeat(300)}; rm -rf ~`), "ls ⟨300 spaces⟩ ; rm -rf ~");
  assert.equal(visible(`a${"\n".repeat(80)}b`), "a\n⟨80 line breaks⟩\nb");
  assert.equal(visible(`a${" ".repeat(8)}b\n\nc`), `a${" ".repeat(8)}b\n\nc`);
});

it("visibleLine keeps a table cell on its line", () => {
  assert.equal(visibleLine("a\nb\tc"), "a⟨U+000A⟩b⟨U+0009⟩c");
});

it("harmless disarms escapes and bidi but leaves writing systems alone", () => {
  assert.equal(harmless("\u001b]0;x\u0007\r\nok\u202E"), "⟨U+001B⟩]0;x⟨U+0007⟩\nok⟨U+202E⟩");
  assert.equal(harmless("می\u200Cخواهم \u00A0"), "می\u200Cخواهم \u00A0");
  assert.equal(harmless("a\rb\u009b31m"), "a⟨U+000D⟩b⟨U+009B⟩31m");
});
