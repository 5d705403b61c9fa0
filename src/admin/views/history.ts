// What was said and posted in one conversation, a page at a time.
import type { Entry, History } from "../../core/page.ts";
import type { Address, Caller } from "../../core/words.ts";
import { cardsOf } from "../../store/cards.ts";
import {
  conversationsAt,
  findConversationAt,
  findListed,
  type Listed,
} from "../../store/conversations.ts";
import type { Op } from "../../store/query.ts";
import { findQuestion } from "../../store/questions.ts";
import {
  noticesTo,
  type Page,
  type PostedRow,
  postedFor,
  postedTo,
  type SaidRow,
  saidIn,
} from "../../store/shown.ts";
import { rowOf, type Viewing, viewing } from "./conversations.ts";
import { cardOf, postedOf, saidOf } from "./entries.ts";
import { refusedLook, sees, type ViewPorts } from "./seeing.ts";
import { placeOf, workIn } from "./standing.ts";

const most = 100;
/** Of one moment at the end of a page, so that it is shown whole. */
const spare = 50;

/** Undefined when there is none that this caller may see. */
export function* history(
  ports: ViewPorts,
  viewer: Caller,
  { id, before = Number.MAX_SAFE_INTEGER }: { id: string; before?: number | undefined },
): Op<History | undefined> {
  const found = yield* findListed(id);
  if (!found) return undefined;
  if (!sees(viewer, found.caller)) {
    yield* refusedLook(ports, viewer, `conversation ${id}`);
    return undefined;
  }
  return yield* pageOf(ports, { ...found, conversation: found }, { viewer, before });
}

/** Of the page itself. A chat in which nobody wrote yet may hold what was sent to its person. */
export function* webHistory(
  ports: ViewPorts,
  viewer: Caller,
  { chat, before = Number.MAX_SAFE_INTEGER }: { chat: string; before?: number | undefined },
): Op<History | undefined> {
  if (viewer.pairing === null) return undefined;
  const address = { listener: "web", chat };
  const conversation = yield* findConversationAt({ address, caller: viewer.id });
  const place = { address, kind: "direct", caller: viewer.id, conversation } as const;
  return yield* pageOf(ports, place, { viewer, before });
}

interface Place {
  readonly address: Address;
  readonly kind: "direct" | "group";
  readonly caller: string;
  readonly conversation: Listed | undefined;
}

interface Looking {
  readonly viewer: Caller;
  readonly before: number;
}

function* pageOf(ports: ViewPorts, place: Place, { viewer, before }: Looking): Op<History> {
  const { conversation } = place;
  const page: Page = { before, limit: most + spare };
  const said = conversation ? yield* saidIn(conversation.id, page) : [];
  const posted =
    place.kind === "group"
      ? yield* postedInGroup(place, said, page)
      : yield* postedInDirect(place, page);
  const items = [...said.map(saidItem), ...posted.rows.map(postedItem)].sort(newestFirst);
  const shown = withWholeLastMoment(items);
  const entries: Entry[] = [];
  const seen = { ports, place, viewer, line: lineOf(said) };
  for (const item of shown.toReversed()) {
    const entry = yield* entryOf(seen, item);
    if (entry) entries.push(entry);
  }
  const earlier = items.length > shown.length || said.length === page.limit || posted.more;
  const common = { entries, earlier };
  if (!conversation) return { ...common, conversation: null, work: null, place: null };
  const view: Viewing = yield* viewing(viewer);
  return {
    ...common,
    conversation: yield* rowOf(ports, conversation, view),
    work: workIn(view.now, conversation.id),
    place: placeOf(view.now, conversation.id),
  };
}

type Item = { readonly at: number; readonly id: number } & (
  | { readonly said: SaidRow }
  | { readonly posted: PostedRow }
);

const saidItem = (said: SaidRow): Item => ({ at: said.receivedAt, id: said.id, said });
const postedItem = (posted: PostedRow): Item => ({ at: posted.createdAt, id: posted.id, posted });

/** Of the same moment what was posted stands behind what was said. */
function newestFirst(a: Item, b: Item): number {
  if (a.at !== b.at) return b.at - a.at;
  if ("said" in a !== "said" in b) return "said" in a ? 1 : -1;
  return b.id - a.id;
}

/** The next page begins before a moment, so a moment is never cut in two. */
function withWholeLastMoment(items: readonly Item[]): readonly Item[] {
  const last = items[most - 1];
  return last ? items.filter(({ at }, index) => index < most || at === last.at) : items;
}

/** What waits for its turn: 1 is next. */
function lineOf(said: readonly SaidRow[]): ReadonlyMap<number, number> {
  const waiting = said.filter(({ waits }) => waits).toReversed();
  return new Map(waiting.map(({ id }, index) => [id, index + 1]));
}

interface Rows {
  readonly rows: readonly PostedRow[];
  readonly more: boolean;
}

function* postedInDirect(place: Place, page: Page): Op<Rows> {
  const all = yield* postedTo(place.address, page);
  const since = yield* ownSince(place);
  const own = place.conversation?.id ?? null;
  const rows = all.filter(({ turn, question, conversation, createdAt }) => {
    if (turn !== null) return conversation !== null && conversation === own;
    // Of cards the question says more: it is looked at when they are shown.
    return question !== null || createdAt >= since;
  });
  const before = yield* postedElsewhere(place, page);
  return { rows: [...rows, ...before], more: all.length === page.limit || before.length > most };
}

/** Answers of a conversation that went on here: they lie in the chat in which it began. */
function* postedElsewhere({ address, conversation }: Place, page: Page): Op<readonly PostedRow[]> {
  if (!conversation) return [];
  const { listener, chat } = address;
  const rows = yield* postedFor(conversation.id, page);
  return rows.filter(
    ({ to, question }) => question === null && (to.listener !== listener || to.chat !== chat),
  );
}

/**
 * Since when short answers there are this conversation's: in a chat whose account was somebody else's before, from its
 * beginning; in one that went back and forth nobody can say whose they are.
 */
function* ownSince({ address, caller, conversation }: Place): Op<number> {
  const all = yield* conversationsAt(address);
  const others = all.filter((one) => one.id !== conversation?.id && one.caller !== caller);
  if (others.length === 0) return 0;
  const start = conversation?.createdAt ?? 0;
  return others.every(({ lastAt }) => lastAt < start) ? start : Number.POSITIVE_INFINITY;
}

/** Everybody has their own conversation there: short answers are told apart by what they answer. */
function* postedInGroup(
  { address, conversation }: Place,
  said: readonly SaidRow[],
  page: Page,
): Op<Rows> {
  if (!conversation) return { rows: [], more: false };
  const mine = new Set(
    said.flatMap(({ event }) => (event.kind === "message" ? [event.message.id] : [])),
  );
  const rows = yield* postedFor(conversation.id, page);
  const from = said.at(-1)?.receivedAt ?? page.before;
  const notices = yield* noticesTo(address, { ...page, from, limit: most * 5 });
  const answers = notices.filter(({ replyTo }) => replyTo !== null && mine.has(replyTo.id));
  return { rows: [...rows, ...answers], more: rows.length >= page.limit };
}

interface Seen {
  readonly ports: ViewPorts;
  readonly place: Place;
  readonly viewer: Caller;
  readonly line: ReadonlyMap<number, number>;
}

function* entryOf({ ports, place, viewer, line }: Seen, item: Item): Op<Entry | undefined> {
  if ("said" in item) return saidOf(viewer, item.said, line.get(item.id));
  const row = item.posted;
  const press = place.address.listener === "web" && place.caller === viewer.id;
  if (row.question === null) return postedOf(ports, row, press);
  // What went before a card is in the card as it is shown here, whole.
  if (row.kind !== "card") return undefined;
  const question = yield* findQuestion(row.question);
  if (!question || !sees(viewer, question.caller)) return undefined;
  const card = (yield* cardsOf(question.id)).find(({ outbox }) => outbox === row.id);
  const isHere = question.conversation === place.conversation?.id || card?.person === place.caller;
  const { listener, chat } = place.address;
  if (!card || !isHere || row.to.listener !== listener || row.to.chat !== chat) return undefined;
  const home = question.conversation === place.conversation?.id;
  return yield* cardOf(row, { question, card, press, home });
}
