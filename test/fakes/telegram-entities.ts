// The entities Telegram finds by itself in what a person types: commands, mentions, links, addresses, hashtags.
import type { Entity } from "./telegram-types.ts";

const FINDERS: { type: string; pattern: RegExp }[] = [
  { type: "url", pattern: /(?<![\w@.])https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}'»]/gi },
  { type: "email", pattern: /(?<![\w@.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?![\w@])/gi },
  {
    type: "url",
    pattern:
      /(?<![\w@./:-])(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|me|app|ai|de|uk|ru)(?![\w.-])(?:\/[^\s<>"]*)?/gi,
  },
  { type: "bot_command", pattern: /(?<![\w/<>])\/\w{1,64}(?:@\w{3,32})?(?![\w/<>@])/g },
  { type: "mention", pattern: /(?<![\w@./])@[a-z]\w{2,31}(?!\w)/gi },
  { type: "hashtag", pattern: /(?<![\w#])#[\p{L}\d_]*[\p{L}_][\p{L}\d_]*/gu },
];

/** Offsets count UTF-16 code units, as the platform does. Where two meet, the earlier finder wins. */
export function findEntities(text: string): Entity[] {
  const found: Entity[] = [];
  for (const { type, pattern } of FINDERS) {
    for (const match of text.matchAll(pattern)) {
      const entity = { type, offset: match.index, length: match[0].length };
      if (!found.some((other) => overlap(other, entity))) found.push(entity);
    }
  }
  return found.sort((a, b) => a.offset - b.offset);
}

function overlap(a: Entity, b: Entity): boolean {
  return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}
