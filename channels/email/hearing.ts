// Takes in what lies in the mailbox, in its order: accepted first, then the cursor moves, then it is marked as seen.
import type { Log } from "../../src/core/log.ts";
import type { Cursor, Waiting } from "./cursor.ts";
import { assertGone, fetchMails, type Mail, portion } from "./fetching.ts";
import type { Folder, Head } from "./imap.ts";
import { dueNow, isLast, mostWaiting, type Patience, tried, waitingFrom } from "./later.ts";
import type { Outcome, Outcomes, Storing } from "./storing.ts";

export interface Translating {
  readonly folder: Folder;
  readonly mail: Mail;
  /** It is not tried again: what cannot be found out counts as not proved. */
  readonly last: boolean;
}

export interface HearingPorts {
  readonly cursor: Cursor;
  readonly storing: Storing;
  readonly log: Log;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  translate(one: Translating): Promise<Outcome>;
}

export interface Hearing {
  /** All that is new, and a few that are due again. Rejects when the connection broke; the next one goes on where it was. */
  takeIn(folder: Folder): Promise<void>;
}

interface State extends HearingPorts {
  /** UIDs that could not be fetched, and how often; they are fetched alone. */
  readonly troubles: Map<number, number>;
  uidValidity: string;
}

const headsAtOnce = 200;
const triesAlone = 5;
const dueAtOnce = 20;
/** Most of the time is spent waiting for DNS. */
const atOnce = 5;
const day = 24 * 60 * 60 * 1000;

export function createHearing(ports: HearingPorts): Hearing {
  const it: State = { ...ports, troubles: new Map(), uidValidity: "" };
  return {
    async takeIn(folder) {
      if (it.uidValidity !== folder.uidValidity) it.troubles.clear();
      it.uidValidity = folder.uidValidity;
      await it.storing.mark(folder);
      await takeNew(it, folder);
      await takeWaiting(it, folder);
    },
  };
}

async function takeNew(it: State, folder: Folder): Promise<void> {
  const { cursor, signal } = it;
  const first = cursor.next();
  // A search goes by days, of whatever time zone.
  const since = cursor.since(first);
  const uids = await folder.uidsFrom(first, since && new Date(since.getTime() - 2 * day));
  for (let at = 0; at < uids.length; at += headsAtOnce) {
    const some = uids.slice(at, at + headsAtOnce);
    for (let rest = await headsOf(it, folder, some); rest.length > 0; ) {
      if (signal.aborted || cursor.waiting().length >= mostWaiting) return;
      const batch = nextOf(it, rest);
      await takeBatch(it, folder, batch);
      rest = rest.slice(batch.length);
    }
    // What is gone or older is passed over: a search that was answered to its end named it, or did not.
    const last = some.at(-1) ?? 0;
    if (!signal.aborted) await it.storing.move({ next: last + 1, waiting: cursor.waiting() });
  }
}

/** Those that are still there and count. */
async function headsOf(it: State, folder: Folder, uids: readonly number[]): Promise<Head[]> {
  const heads = await folder.heads(uids);
  const told = new Set(heads.map(({ uid }) => uid));
  await assertGone(
    folder,
    uids.filter((uid) => !told.has(uid)),
  );
  const counts = ({ uid, arrived }: Head) => {
    const since = it.cursor.since(uid);
    return since === undefined || arrived >= since;
  };
  return heads.filter(counts).sort((a, b) => a.uid - b.uid);
}

/** One that made trouble goes alone, so that it holds up no other. */
function nextOf({ troubles }: State, rest: readonly Head[]): readonly Head[] {
  const trouble = rest.findIndex(({ uid }) => troubles.has(uid));
  if (trouble === 0) return rest.slice(0, 1);
  return portion(trouble === -1 ? rest : rest.slice(0, trouble));
}

async function takeBatch(it: State, folder: Folder, batch: readonly Head[]): Promise<void> {
  const { cursor, patience, troubles, log } = it;
  const outcomes = await outcomesOf(it, folder, batch);
  const now = Date.now();
  for (const [uid, one] of outcomes)
    if (one.is === "later")
      log.warn({ uid, why: one.why }, "A mail cannot be judged yet: it is tried again later");
  const postponed = batch.filter(({ uid }) => outcomes.get(uid)?.is === "later");
  const waiting = postponed.map(({ uid }) => waitingFrom(uid, now, patience));
  const next = (batch.at(-1)?.uid ?? 0) + 1;
  await it.storing.store(outcomes, { next, waiting: [...cursor.waiting(), ...waiting] });
  for (const { uid } of batch) troubles.delete(uid);
  await it.storing.mark(folder);
}

async function outcomesOf(it: State, folder: Folder, batch: readonly Head[]): Promise<Outcomes> {
  const { troubles, signal, log } = it;
  const [first] = batch;
  const tries = first && batch.length === 1 ? (troubles.get(first.uid) ?? 0) : 0;
  if (first && tries >= triesAlone) {
    const why = "the mail server does not hand it out";
    log.error({ uid: first.uid, why }, "A mail cannot be fetched: it is tried again later");
    return new Map([[first.uid, { is: "later", why }]]);
  }
  try {
    const mails = await fetchMails(folder, batch);
    return await translateAll(it, { folder, mails, last: () => false });
  } catch (error) {
    if (!signal.aborted) for (const { uid } of batch) troubles.set(uid, tries + 1);
    throw error;
  }
}

/** The few that are due: what is new never waits for all of them. */
async function takeWaiting(it: State, folder: Folder): Promise<void> {
  const { cursor, patience, log, signal, storing } = it;
  const now = Date.now();
  const due = dueNow(cursor.waiting(), now).slice(0, dueAtOnce);
  if (due.length === 0 || signal.aborted) return;
  const rest = cursor.waiting().filter((one) => !due.includes(one));
  const next = cursor.next();
  const last = new Set(due.flatMap((one) => (isLast(one, now, patience) ? [one.uid] : [])));
  const again = (some: readonly Waiting[]) => {
    const kept = some.filter(({ uid }) => !last.has(uid));
    return [...rest, ...kept.map((one) => tried(one, now, patience))];
  };
  let outcomes: Outcomes;
  try {
    const mails = await dueMails(it, folder, due);
    outcomes = await translateAll(it, { folder, mails, last: (uid) => last.has(uid) });
  } catch (error) {
    if (signal.aborted) throw error;
    if (last.size > 0)
      log.error({ uids: [...last] }, "A mail could not be fetched for days and is left alone");
    await storing.move({ next, waiting: again(due) });
    throw error;
  }
  const postponed = due.filter(({ uid }) => outcomes.get(uid)?.is === "later");
  await storing.store(outcomes, { next, waiting: again(postponed) });
  await storing.mark(folder);
}

async function dueMails(it: State, folder: Folder, due: readonly Waiting[]): Promise<Mail[]> {
  const mails: Mail[] = [];
  const uids = due.map(({ uid }) => uid);
  for (let rest = await headsOf(it, folder, uids); rest.length > 0; ) {
    const some = portion(rest);
    mails.push(...(await fetchMails(folder, some)));
    rest = rest.slice(some.length);
  }
  return mails;
}

interface Batch {
  readonly folder: Folder;
  readonly mails: readonly Mail[];
  last(uid: number): boolean;
}

async function translateAll(it: State, { folder, mails, last }: Batch): Promise<Outcomes> {
  const { signal, translate } = it;
  const outcomes = new Map<number, Outcome>();
  const queue = mails.values();
  const work = async () => {
    for (const mail of queue) {
      signal.throwIfAborted();
      outcomes.set(mail.uid, await translate({ folder, mail, last: last(mail.uid) }));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  signal.throwIfAborted();
  // In the order of the mailbox, whoever was judged first.
  return new Map([...outcomes].sort(([a], [b]) => a - b));
}
