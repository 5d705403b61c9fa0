// Replies as Gmail, Apple Mail, Thunderbird and Outlook write them, in thirteen languages: only what is new is left.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { it } from "node:test";
import { newText } from "../../channels/email/trim.ts";

interface Language {
  readonly new: string;
  readonly quoted: string;
  /** How a program introduces what it quotes; `phone`: what a phone puts under a mail. */
  readonly styles: Readonly<Record<string, string>> & { readonly phone: string };
}

const reply = { reply: true, forward: false };
const mail = { reply: false, forward: false };
const languages = globSync("fixtures/email/replies/*.json")
  .sort()
  .map((file) => ({
    name: basename(file, ".json"),
    ...(JSON.parse(readFileSync(file, "utf8")) as Language),
  }));
const blocks = ["outlook", "original", "webmail"];

it("has read thirteen languages", () => assert.equal(languages.length, 13));

for (const { name, new: text, quoted, styles } of languages)
  for (const [style, introduction] of Object.entries(styles)) {
    if (style === "phone") continue;
    const unmarked = `${introduction}\n\n${quoted}\n\nAna\n`;
    const marked = `${introduction}\n> ${quoted}\n>\n> > Hello\n> Ana\n`;
    const history = blocks.includes(style) ? unmarked : marked;

    it(`${name}, ${style}: leaves the new text`, () => {
      assert.equal(newText(`${text}\n\n${history}`, reply), text);
      assert.equal(newText(`${text}\r\n\r\n${history.replaceAll("\n", "\r\n")}`, reply), text);
      assert.equal(newText(`${text}\n\n${history}`, mail), text);
    });

    it(`${name}, ${style}: leaves the new text above what a phone says`, () => {
      assert.equal(newText(`${text}\n\n${styles.phone}\n\n${history}`, reply), text);
      assert.equal(newText(`${text}\n\n-- \nLeo Berg\n+49 30 1234567\n\n${history}`, reply), text);
    });

    it(`${name}, ${style}: leaves nothing of a mail that says nothing new`, () => {
      assert.equal(newText(`\n\n${history}`, reply), "");
      assert.equal(newText(`${styles.phone}\n\n${history}`, reply), "");
    });

    if (blocks.includes(style)) continue;

    it(`${name}, ${style}: leaves the new text under what it answers`, () => {
      assert.equal(newText(`${introduction}\n> ${quoted}\n\n${text}\n`, reply), text);
    });

    it(`${name}, ${style}: keeps answers together with what they answer`, () => {
      const inline = `${introduction}\n> ${quoted}\n\n${text}\n\n> And when?\n\nNow.\n\n> Ana\n`;
      const kept = `> ${quoted}\n\n${text}\n\n> And when?\n\nNow.`;
      assert.equal(newText(inline, reply), kept);
    });

    it(`${name}, ${style}: leaves the new text where the quote is unmarked`, () => {
      assert.equal(newText(`${text}\n\n${unmarked}`, reply), text);
    });

    it(`${name}, ${style}: leaves the new text where a phone marks the introduction as well`, () => {
      const iphone = `> ${introduction.replaceAll("\n", "\n> ")}\n> \n> ${quoted}\n`;
      assert.equal(newText(`${text}\n\n${styles.phone}\n\n${iphone}`, reply), text);
    });
  }
