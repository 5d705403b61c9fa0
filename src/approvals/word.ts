// The word of a card: whoever decides by a text that anybody could have written shows with it that they read the mail that asked.
import { createHmac } from "node:crypto";

/** Without what looks like something else: 0 and O, 1 and I. */
const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const length = 4;

/**
 * Made of the card's id, and kept nowhere: a copy of the database does not give it away, and a card that is shown once more,
 * or after a restart, has the same.
 */
export function wordOf(key: Uint8Array, card: string): string {
  // The first word keeps it apart from whatever else is made with this key.
  const digest = createHmac("sha256", key).update(`word ${card}`).digest();
  return Array.from(digest.subarray(0, length), (byte) => alphabet[byte % alphabet.length]).join(
    "",
  );
}

/** What may be meant as one, at the beginning of a text, and the rest. */
export function splitWord(text: string): { readonly word?: string; readonly rest: string } {
  const [, word, rest = ""] =
    /^([A-HJ-NP-Z2-9]{4})(?![\p{L}\p{N}])[.,:;!]*\s*([\s\S]*)$/iu.exec(text) ?? [];
  return word === undefined ? { rest: text } : { word: word.toUpperCase(), rest };
}
