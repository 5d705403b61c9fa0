// Cuts pieces into messages: each within the limit, at the best place there is, nothing lost, in order.
import { type Cut, cuts, type Mark, type Piece } from "./pieces.ts";

export interface Measure {
  /** Of one message, as the platform counts. */
  readonly limit: number;
  /** What a text costs as it is written. */
  textCost(text: string, marks: readonly Mark[]): number;
  /** What opening and closing a mark costs. */
  markCost(mark: Mark): number;
}

/** How full a message must be for a cut of this kind; the better the place, the emptier it may be. */
const least: Record<Cut, number> = {
  [cuts.block]: 0.15,
  [cuts.item]: 0.3,
  [cuts.line]: 0.4,
  [cuts.sentence]: 0.5,
  [cuts.word]: 0.6,
  [cuts.any]: 0,
};
const bestFirst = [cuts.block, cuts.item, cuts.line, cuts.sentence, cuts.word, cuts.any];

/** Messages without anything to see are left out: platforms refuse them. */
export function split(given: readonly Piece[], measure: Measure): Piece[][] {
  const pieces = given.flatMap((piece) => smaller(piece, measure));
  const messages: Piece[][] = [];
  for (let start = 0; start < pieces.length; ) {
    const end = endOf(pieces, start, measure);
    const message = trimmed(pieces, start, end);
    if (message.some(({ text }) => isSeen(text))) messages.push(message);
    start = end;
  }
  return messages;
}

function endOf(pieces: readonly Piece[], start: number, measure: Measure): number {
  const { limit } = measure;
  const places = new Map<Cut, { readonly at: number; readonly size: number }>();
  let size = 0;
  let open: readonly Mark[] = [];
  let begun = false;
  for (let at = start; at < pieces.length; at += 1) {
    const piece = pieces[at];
    if (!piece || (!begun && piece.blank)) continue;
    const cost = costAfter(open, piece, measure);
    if (begun && size <= limit) places.set(piece.cut, { at, size });
    // White space at the end goes, so it never is what is too much.
    if (size + cost > limit && begun && !piece.blank) return bestOf(places, limit) ?? at;
    begun = true;
    size += cost;
    open = piece.marks;
  }
  return pieces.length;
}

function bestOf(
  places: ReadonlyMap<Cut, { readonly at: number; readonly size: number }>,
  limit: number,
): number | undefined {
  for (const cut of bestFirst) {
    const place = places.get(cut);
    if (place && place.size >= least[cut] * limit) return place.at;
  }
  return undefined;
}

function costAfter(open: readonly Mark[], { text, marks }: Piece, measure: Measure): number {
  let cost = measure.textCost(text, marks);
  const same = sharedMarks(open, marks);
  for (const mark of marks.slice(same)) cost += measure.markCost(mark);
  return cost;
}

/** How many marks, from the outermost, go on from one piece to the next. */
export function sharedMarks(a: readonly Mark[], b: readonly Mark[]): number {
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same += 1;
  return same;
}

function trimmed(pieces: readonly Piece[], start: number, end: number): Piece[] {
  let from = start;
  let to = end;
  while (from < to && pieces[from]?.blank) from += 1;
  while (to > from && pieces[to - 1]?.blank) to -= 1;
  return pieces.slice(from, to);
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A word that would fill much of a message is cut between what people see as characters. */
function smaller(piece: Piece, measure: Measure): Piece[] {
  const { text, marks, cut, blank } = piece;
  const most = Math.max(1, Math.floor(measure.limit / 8));
  if (measure.textCost(text, marks) <= most) return [piece];
  const made: Piece[] = [];
  let held = "";
  let cost = 0;
  for (const character of charactersOf(text, most)) {
    const own = measure.textCost(character, marks);
    if (held && cost + own > most) {
      made.push({ text: held, marks, cut: made.length === 0 ? cut : cuts.any, blank });
      held = "";
      cost = 0;
    }
    held += character;
    cost += own;
  }
  made.push({ text: held, marks, cut: made.length === 0 ? cut : cuts.any, blank });
  return made;
}

/** The segmenter takes time by the square of a text, so it gets it in slices; a pile of accents is no character. */
function* charactersOf(text: string, most: number): Generator<string> {
  const slice = 1024;
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + slice);
    if (end < text.length && isLowSurrogate(text, end)) end -= 1;
    const segments = [...segmenter.segment(text.slice(start, end))];
    // The last one may go on in the next slice.
    const whole = end < text.length && segments.length > 1 ? segments.slice(0, -1) : segments;
    for (const { segment } of whole) {
      if (segment.length <= most) yield segment;
      else yield* segment;
      start += segment.length;
    }
  }
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

function isSeen(text: string): boolean {
  return /[^\s\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);
}
