// Tells open pages what to fetch again: one cheap look a second while anybody looks, none else.
import type { Log } from "../../core/log.ts";
import type { Caller, ConversationId, PairingId } from "../../core/words.ts";
import { type News, newsSince, type OpenRow, openNow, position } from "../../store/changes.ts";
import { conversationsAt, findConversation } from "../../store/conversations.ts";
import type { Op } from "../../store/query.ts";
import type { Store } from "../../store/store.ts";
import { sees, seesAll } from "./seeing.ts";

export type What = "conversations" | "tasks" | "approvals" | "operator";

export interface Changes {
  readonly conversations: readonly ConversationId[];
  readonly what: readonly What[];
}

export interface WatchPorts {
  readonly store: Store;
  readonly log: Log;
  /** Callers with a page open; one per page is fine. */
  open(): readonly Caller[];
  changed(pairing: PairingId, changes: Changes): void;
  /** Differs when a listener is opened or closed, fails, or has heard something. */
  listeners?(): string;
  readonly every?: number;
}

const usualEvery = 1000;
/** More news than this in one look: the rest comes with the next. */
const most = 500;
/** Between a page's own look and our first one something may have come. */
const lookBack = 50;

export function watchChanges(ports: WatchPorts): { stop(): void } {
  let last: Look | undefined;
  let looking = false;
  const look = async () => {
    const viewers = distinct(ports.open());
    if (viewers.length === 0) last = undefined;
    if (viewers.length === 0 || looking) return;
    looking = true;
    try {
      const before = last;
      const found = await ports.store.run(() => lookAgain(before));
      const listeners = ports.listeners?.() ?? "";
      tell(ports, viewers, { ...found, heard: listeners !== before?.listeners });
      last = { ...found.look, listeners };
    } catch (error) {
      ports.log.error({ error }, "Could not look for what changed");
    } finally {
      looking = false;
    }
  };
  const timer = setInterval(() => void look(), ports.every ?? usualEvery).unref();
  return { stop: () => clearInterval(timer) };
}

function distinct(callers: readonly Caller[]): Caller[] {
  return [...new Map(callers.map((caller) => [caller.id, caller])).values()];
}

interface Look {
  readonly inbox: number;
  readonly outbox: number;
  readonly audit: number;
  readonly turns: ReadonlyMap<string, OpenRow>;
  readonly questions: ReadonlyMap<string, OpenRow>;
  readonly prompts: ReadonlyMap<string, OpenRow>;
  readonly listeners: string;
}

interface Found {
  readonly look: Omit<Look, "listeners">;
  /** With the callers whose they are. */
  readonly conversations: ReadonlyMap<ConversationId, string>;
  readonly tasks: boolean;
  readonly approvals: boolean;
  readonly anything: boolean;
}

const nothing: ReadonlyMap<string, OpenRow> = new Map();

function* lookAgain(last: Look | undefined): Op<Found> {
  const now = yield* position();
  const open = yield* openNow();
  const sets = { turns: byId(open.turns), questions: byId(open.questions) };
  const look = { ...now, ...sets, prompts: byId(open.prompts) };
  const before = last ?? {
    inbox: now.inbox - lookBack,
    outbox: now.outbox - lookBack,
    audit: now.audit,
    turns: nothing,
    questions: nothing,
    prompts: nothing,
  };
  const turns = differences(before.turns, look.turns);
  const questions = differences(before.questions, look.questions);
  const prompts = differences(before.prompts, look.prompts);
  const isNew = now.inbox > before.inbox || now.outbox > before.outbox;
  const ids = new Set([...turns, ...questions, ...prompts]);
  // A place in the queue is of everybody who waits.
  if (prompts.length > 0) for (const { conversation } of open.prompts) ids.add(conversation);
  const news: News = isNew ? yield* newsSince(before, most) : { said: [], posted: [] };
  for (const id of yield* idsIn(news)) ids.add(id);
  const busy = ids.size > 0 || isNew;
  return {
    look: { ...look, ...reached(before, look, news) },
    conversations: yield* withCallers(ids),
    tasks: busy,
    approvals: questions.length > 0 || news.posted.some(({ ofQuestion }) => ofQuestion !== null),
    anything: busy || now.audit !== before.audit,
  };
}

/** Where a look that was cut short stopped. */
function reached(
  before: Pick<Look, "inbox" | "outbox">,
  now: Pick<Look, "inbox" | "outbox">,
  { said, posted }: News,
): Pick<Look, "inbox" | "outbox"> {
  return {
    inbox: said.length < most ? now.inbox : before.inbox + most,
    outbox: posted.length < most ? now.outbox : before.outbox + most,
  };
}

function byId(rows: readonly OpenRow[]): ReadonlyMap<string, OpenRow> {
  return new Map(rows.map((row) => [row.id, row]));
}

/** Conversations of what came, went or changed. */
function differences(
  before: ReadonlyMap<string, OpenRow>,
  now: ReadonlyMap<string, OpenRow>,
): ConversationId[] {
  const changed = [...now.values()].filter(({ id, state }) => before.get(id)?.state !== state);
  const gone = [...before.values()].filter(({ id }) => !now.has(id));
  return [...changed, ...gone].map(({ conversation }) => conversation);
}

function* idsIn({ said, posted }: News): Op<Set<ConversationId>> {
  const ids = new Set(said.filter((id) => id !== null));
  const places = new Map<string, News["posted"][number]>();
  for (const row of posted) {
    const known = row.ofTurn ?? row.ofQuestion;
    if (known !== null) ids.add(known);
    // A card may be shown in another chat than the one it is about.
    if (row.ofTurn === null) places.set(`${row.listener}\n${row.chat}\n${row.thread ?? ""}`, row);
  }
  for (const { listener, chat, thread } of places.values())
    for (const { id } of yield* conversationsAt({ listener, chat, thread: thread ?? "" }))
      ids.add(id);
  return ids;
}

function* withCallers(ids: ReadonlySet<ConversationId>): Op<Map<ConversationId, string>> {
  const callers = new Map<ConversationId, string>();
  for (const id of ids) {
    const found = yield* findConversation(id);
    if (found) callers.set(id, found.caller);
  }
  return callers;
}

function tell(
  { changed }: WatchPorts,
  viewers: readonly Caller[],
  found: Found & { readonly heard: boolean },
): void {
  for (const viewer of viewers) {
    if (viewer.pairing === null) continue;
    const all = seesAll(viewer);
    const theirs = [...found.conversations].filter(([, caller]) => sees(viewer, caller));
    const concerned = theirs.length > 0;
    const what: What[] = [];
    if (concerned) what.push("conversations");
    if (concerned && found.tasks) what.push("tasks");
    if (concerned && found.approvals) what.push("approvals");
    if (all && (found.anything || found.heard)) what.push("operator");
    if (what.length > 0) changed(viewer.pairing, { conversations: theirs.map(([id]) => id), what });
  }
}
