// Makes what cannot be seen visible, so that what a person reads is what there is.

// Emoji sequences come first and are left alone: their joiners and selectors are part of what is seen.
const emoji =
  /\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?)*|[0-9#*]\uFE0F\u20E3/u;
// The bracket of our own escapes is escaped too, so that nobody can write one.
const unseen =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800\u27E8]/u;
const longBlank = / {24,}(?=[^ \n])|\n{6,}(?=[^\n])/gu;

const everything = new RegExp(`${emoji.source}|${unseen.source}`, "gu");
// What can drive a terminal or reorder a line. Joiners stay: several scripts need them.
const dangerous =
  /(?![\n\t])[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]|[\u{E0000}-\u{E007F}]/gu;

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

function keepsItsPlace(found: string): boolean {
  return found === " " || found === "\n" || found === "\t" || !unseen.test(found);
}

function isEmoji(found: string): boolean {
  return emoji.exec(found)?.[0] === found;
}

/** For what somebody decides about: control, ANSI, bidi, zero-width and odd blanks become `⟨U+202E⟩`, long padding `⟨40 spaces⟩`. */
export function visible(text: string): string {
  return text
    .replace(everything, (found) =>
      keepsItsPlace(found) || isEmoji(found) ? found : escaped(found),
    )
    .replace(longBlank, (run) =>
      run.startsWith("\n") ? `\n⟨${run.length} line breaks⟩\n` : ` ⟨${run.length} spaces⟩ `,
    );
}

/** `visible` on one line: for names, titles and table cells. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "⟨U+000A⟩").replaceAll("\t", "⟨U+0009⟩");
}

/** For the text of an answer on a terminal: only what could drive the terminal or reorder a line is escaped. */
export function harmless(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(dangerous, escaped);
}
