// Cards: where a question was shown, to whom, and under which of that person's numbers; buttons point at them.
import type { ChatRef } from "../core/words.ts";
import { type Op, query } from "./query.ts";

export interface Card {
  readonly id: string;
  readonly question: string;
  /** Caller id of the person it was shown to. */
  readonly person: string;
  readonly number: number;
  /** null: only listed, never sent as a message of its own. */
  readonly outbox: number | null;
  readonly listener: string | null;
  readonly chat: string | null;
}

interface Insert extends Readonly<Record<string, unknown>> {
  id: string;
  question: string;
  person: string;
  number: number;
  listener: string | null;
  chat: string | null;
  thread: string | null;
  outbox: number | null;
}

const insert = query((db, p: Insert) =>
  db.insertInto("cards").values({
    id: p.id,
    question: p.question,
    person: p.person,
    number: p.number,
    listener: p.listener,
    chat: p.chat,
    thread: p.thread,
    outbox: p.outbox,
  }),
);
const highest = query((db, p: { person: string }) =>
  db
    .selectFrom("cards")
    .select("number")
    .where("person", "=", p.person)
    .orderBy("number", "desc")
    .limit(1),
);

export interface NewCard {
  readonly id: string;
  readonly question: string;
  readonly person: string;
  readonly place: { listener: string; chat: string; thread?: string; outbox: number | null } | null;
}

/** Gives the question that person's next number; every further copy of it for them has the same. */
export function* addCard({ place, ...card }: NewCard): Op<Card> {
  const known = (yield* cardsOf(card.question)).find(({ person }) => person === card.person);
  const [last] = known ? [] : yield* highest({ person: card.person });
  const number = known?.number ?? (last?.number ?? 0) + 1;
  yield* insert({
    ...card,
    number,
    listener: place?.listener ?? null,
    chat: place?.chat ?? null,
    thread: place?.thread ?? null,
    outbox: place?.outbox ?? null,
  });
  const { listener = null, chat = null, outbox = null } = place ?? {};
  return { ...card, number, listener, chat, outbox };
}

const columns = [
  "cards.id",
  "question",
  "person",
  "number",
  "outbox",
  "cards.listener",
  "cards.chat",
] as const;

const ofQuestion = query((db, p: { question: string }) =>
  db.selectFrom("cards").select(columns).where("question", "=", p.question),
);

export function* cardsOf(question: string): Op<Card[]> {
  return yield* ofQuestion({ question });
}

const numbered = query((db, p: { person: string; number: number }) =>
  db
    .selectFrom("cards")
    .leftJoin("questions", "questions.id", "cards.question")
    .select([...columns, "questions.state"])
    .where("person", "=", p.person)
    .where("number", "=", p.number),
);
const shown = query((db, p: { listener: string; chat: string; number: number }) =>
  db
    .selectFrom("cards")
    .innerJoin("questions", "questions.id", "cards.question")
    .select(columns)
    .where("listener", "=", p.listener)
    .where("chat", "=", p.chat)
    .where("number", "=", p.number)
    .where("questions.state", "=", "pending"),
);

interface Said {
  readonly person: string;
  readonly number: number;
  readonly listener: string;
  readonly chat: ChatRef;
}

/** What `allow 3` may mean to this person here: their own open question with it, those that this chat shows, else what it was. */
export function* findNumber(p: Said): Op<Card[]> {
  const own = yield* numbered({ person: p.person, number: p.number });
  const here = yield* shown({ listener: p.listener, chat: p.chat.id, number: p.number });
  const open = [...own.filter(({ state }) => state === "pending"), ...here];
  return firstOfEach(open.length > 0 ? open : own.slice(0, 1));
}

/** Of several copies of a question's card one. */
function firstOfEach(cards: readonly Card[]): Card[] {
  return [...new Map(cards.map((card) => [card.question, card])).values()];
}

const shownIn = query((db, p: { listener: string; chat: string }) =>
  db
    .selectFrom("cards")
    .innerJoin("questions", "questions.id", "cards.question")
    .select("questions.id")
    .distinct()
    .where("listener", "=", p.listener)
    .where("chat", "=", p.chat)
    .where("questions.state", "=", "pending"),
);

/** Open questions with a card in this chat. */
export function* pendingQuestionsShownIn(listener: string, chat: string): Op<string[]> {
  return (yield* shownIn({ listener, chat })).map((row) => row.id);
}

const shownOnlyIn = query((db, p: { listener: string; chat: string }) =>
  db
    .selectFrom("cards")
    .innerJoin("questions", "questions.id", "cards.question")
    .select("questions.id")
    .distinct()
    .where("listener", "=", p.listener)
    .where("chat", "=", p.chat)
    .where("questions.state", "=", "pending")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("cards as other")
            .select("other.id")
            .whereRef("other.question", "=", "questions.id")
            .where("other.outbox", "is not", null)
            .where(({ or, eb }) =>
              or([eb("other.listener", "!=", p.listener), eb("other.chat", "!=", p.chat)]),
            ),
        ),
      ),
    ),
);

/** Open questions that nobody sees but in this chat. */
export function* pendingQuestionsOnlyIn(listener: string, chat: string): Op<string[]> {
  return (yield* shownOnlyIn({ listener, chat })).map((row) => row.id);
}

const addButtonRow = query(
  (
    db,
    p: {
      token: string;
      card: string | null;
      inbox: number | null;
      option: string;
      listener: string;
      chat: string;
      createdAt: number;
    },
  ) =>
    db.insertInto("buttons").values({
      token: p.token,
      card: p.card,
      inbox: p.inbox,
      option: p.option,
      listener: p.listener,
      chat: p.chat,
      createdAt: p.createdAt,
    }),
);

export interface ButtonRow {
  /** Random and opaque: all that the platform sees. */
  readonly token: string;
  /** The card it decides on, or null for a Retry of `inbox`. */
  readonly card: string | null;
  readonly inbox: number | null;
  readonly option: string;
  readonly listener: string;
  readonly chat: string;
  readonly createdAt: number;
}

export function* addButton(button: ButtonRow): Op<void> {
  yield* addButtonRow({ ...button });
}

const byToken = query((db, p: { token: string }) =>
  db.selectFrom("buttons").selectAll().where("token", "=", p.token),
);

export function* findButton(token: string): Op<ButtonRow | undefined> {
  return (yield* byToken({ token }))[0];
}

const ofCard = query((db, p: { card: string }) =>
  db.selectFrom("buttons").selectAll().where("card", "=", p.card),
);

export function* buttonsOf(card: string): Op<ButtonRow[]> {
  return yield* ofCard({ card });
}

const cardById = query((db, p: { id: string }) =>
  db.selectFrom("cards").select(columns).where("id", "=", p.id),
);

export function* findCard(id: string): Op<Card | undefined> {
  return (yield* cardById({ id }))[0];
}

const byOutbox = query((db, p: { outbox: number }) =>
  db.selectFrom("cards").select(columns).where("outbox", "=", p.outbox),
);

export function* cardOfOutbox(outbox: number): Op<Card | undefined> {
  return (yield* byOutbox({ outbox }))[0];
}

const moveCardRows = query((db, p: { listener: string; from: string; to: string }) =>
  db
    .updateTable("cards")
    .set({ chat: p.to })
    .where("listener", "=", p.listener)
    .where("chat", "=", p.from),
);
const moveButtonRows = query((db, p: { listener: string; from: string; to: string }) =>
  db
    .updateTable("buttons")
    .set({ chat: p.to })
    .where("listener", "=", p.listener)
    .where("chat", "=", p.from),
);

/** A chat got a new id: what is open there is answered there. */
export function* moveCards(listener: string, from: string, to: string): Op<void> {
  yield* moveCardRows({ listener, from, to });
  yield* moveButtonRows({ listener, from, to });
}

const dropButtons = query((db, p: { inbox: number }) =>
  db.deleteFrom("buttons").where("inbox", "=", p.inbox).returning("token"),
);

/** A Retry counts once; false when it was used. */
export function* takeRetry(inbox: number): Op<boolean> {
  return (yield* dropButtons({ inbox })).length > 0;
}
