// Takes in what lies in the mailbox, in its order: accepted first, then the cursor moves, then it is marked as seen.
import type { Log } from "../../src/core/log.ts";
import type { Cursor, Waiting } from "./cursor.ts";
import { assertGone, fetchMails, HeldBack, type Mail, portion } from "./fetching.ts";
import type { Folder, Head } from "./imap.ts";
import {
  dueNow,
  hurried,
  isLast,
  mostWaiting,
  type Patience,
  tried,
  waitingFrom,
} from "./later.ts";
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
  /** Whether DNS answers on this machine at all. */
  dnsAnswers(): Promise<boolean>;
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
/** Most of the time is spent waiting for DNS, and whoever has none must not hold up the others. */
const atOnce = 20;
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
  for (let rest: readonly number[] = uids; rest.length > 0; ) {
    if (signal.aborted) return;
    const some = someOf(it, rest);
    if (!(await takeSome(it, folder, some))) return;
    rest = rest.slice(some.length);
  }
}

/** One that made trouble goes alone, so that it holds up no other. */
function someOf({ troubles }: State, rest: readonly number[]): readonly number[] {
  const trouble = rest.findIndex((uid) => troubles.has(uid));
  if (trouble === 0) return rest.slice(0, 1);
  return rest.slice(0, Math.min(headsAtOnce, trouble === -1 ? rest.length : trouble));
}

/** False: no further one can be taken now. */
async function takeSome(it: State, folder: Folder, uids: readonly number[]): Promise<boolean> {
  const { cursor, signal, storing, troubles } = it;
  for (let rest = await headsOrLater(it, folder, uids); rest.length > 0; ) {
    if (signal.aborted || !(await isRoom(it, folder))) return false;
    const batch = portion(rest);
    await takeBatch(it, folder, batch);
    rest = rest.slice(batch.length);
  }
  if (signal.aborted) return false;
  // What is gone or older is passed over: a search that was answered to its end named it, or did not.
  const next = (uids.at(-1) ?? 0) + 1;
  if (cursor.next() < next) await storing.move({ next, waiting: cursor.waiting() });
  for (const uid of uids) troubles.delete(uid);
  return true;
}

/** Where too many wait and DNS answers on this machine, some are ended; where it does not, they all go on waiting. */
async function isRoom(it: State, folder: Folder): Promise<boolean> {
  const { cursor, log, storing } = it;
  if (cursor.waiting().length < mostWaiting) return true;
  if (!(await it.dnsAnswers())) return false;
  log.warn(
    { waiting: mostWaiting },
    "Too many mails wait for DNS: the oldest of the most are ended",
  );
  await storing.move({ next: cursor.next(), waiting: hurried(cursor.waiting(), dueAtOnce) });
  await takeWaiting(it, folder);
  return cursor.waiting().length < mostWaiting;
}

/** Of those that are still there and count; none of one that was asked for in vain too often. */
async function headsOrLater(
  it: State,
  folder: Folder,
  uids: readonly number[],
): Promise<readonly Head[]> {
  const { cursor, patience, troubles, log } = it;
  const [uid] = uids;
  if (uid === undefined || uids.length > 1 || (troubles.get(uid) ?? 0) < triesAlone)
    return await watched(it, uids, () => headsOf(it, folder, uids));
  const why = "the mail server does not hand it out";
  log.error({ uid, why }, "A mail cannot be fetched: it is tried again later");
  const waiting = [...cursor.waiting(), waitingFrom({ uid }, Date.now(), patience)];
  await it.storing.move({ next: uid + 1, waiting });
  return [];
}

/** Remembers what was asked for in vain. */
async function watched<T>(
  { troubles, signal }: State,
  uids: readonly number[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const blamed = error instanceof HeldBack ? error.uids : uids;
    if (!signal.aborted)
      for (const uid of blamed)
        troubles.set(uid, uids.length > 1 ? 1 : (troubles.get(uid) ?? 0) + 1);
    throw error;
  }
}

async function headsOf(it: State, folder: Folder, uids: readonly number[]): Promise<Head[]> {
  const heads = new Map((await folder.heads(uids)).map((head) => [head.uid, head]));
  await assertGone(
    folder,
    uids.filter((uid) => !heads.has(uid)),
  );
  const counts = ({ uid, arrived }: Head) => {
    const since = it.cursor.since(uid);
    return since === undefined || arrived >= since;
  };
  return [...heads.values()].filter(counts).sort((a, b) => a.uid - b.uid);
}

async function takeBatch(it: State, folder: Folder, batch: readonly Head[]): Promise<void> {
  const { cursor, patience, log } = it;
  const uids = batch.map(({ uid }) => uid);
  const mails = await watched(it, uids, () => fetchMails(folder, batch));
  const outcomes = await translateAll(it, { folder, mails, last: () => false });
  const now = Date.now();
  const waiting = laterIn(outcomes).map(({ uid, why, of }) => {
    log.warn({ uid, why }, "A mail cannot be judged yet: it is tried again later");
    return waitingFrom({ uid, of }, now, patience);
  });
  const next = (batch.at(-1)?.uid ?? 0) + 1;
  await it.storing.store(outcomes, { next, waiting: [...cursor.waiting(), ...waiting] });
  await it.storing.mark(folder);
}

function laterIn(outcomes: Outcomes) {
  return [...outcomes].flatMap(([uid, one]) => (one.is === "later" ? [{ uid, ...one }] : []));
}

/** The few that are due: what is new never waits for all of them. */
async function takeWaiting(it: State, folder: Folder): Promise<void> {
  const { cursor, patience, signal, storing } = it;
  const now = Date.now();
  const due = dueOf(it, now);
  if (due.length === 0 || signal.aborted) return;
  const rest = cursor.waiting().filter((one) => !due.includes(one));
  const next = cursor.next();
  const last = new Set(due.flatMap((one) => (isLast(one, now, patience) ? [one.uid] : [])));
  const again = (some: readonly Waiting[]) => [
    ...rest,
    ...some.map((one) => tried(one, now, patience)),
  ];
  let outcomes: Outcomes;
  try {
    const mails = await dueMails(it, folder, due);
    outcomes = await translateAll(it, { folder, mails, last: (uid) => last.has(uid) });
  } catch (error) {
    if (!signal.aborted) await storing.move({ next, waiting: again(notLost(it, due, last)) });
    throw error;
  }
  const postponed = new Set(laterIn(outcomes).map(({ uid }) => uid));
  await storing.store(outcomes, {
    next,
    waiting: again(due.filter(({ uid }) => postponed.has(uid))),
  });
  for (const { uid } of due) it.troubles.delete(uid);
  await storing.mark(folder);
}

/** One that made trouble is tried alone, after the others. */
function dueOf({ cursor, troubles }: State, now: number): readonly Waiting[] {
  const due = [...dueNow(cursor.waiting(), now)].sort((a, b) => a.due - b.due);
  const good = due.filter(({ uid }) => !troubles.has(uid));
  return good.length > 0 ? good.slice(0, dueAtOnce) : due.slice(0, 1);
}

/** Only what made trouble alone, again and again, and for days is given up. */
function notLost({ log, troubles }: State, due: readonly Waiting[], last: ReadonlySet<number>) {
  const [one] = due;
  const isLost =
    one && due.length === 1 && last.has(one.uid) && (troubles.get(one.uid) ?? 0) >= triesAlone;
  if (isLost) log.error({ uid: one.uid }, "A mail could not be fetched for days and is left alone");
  return isLost ? [] : due;
}

async function dueMails(it: State, folder: Folder, due: readonly Waiting[]): Promise<Mail[]> {
  const mails: Mail[] = [];
  const uids = due.map(({ uid }) => uid);
  for (let rest = await watched(it, uids, () => headsOf(it, folder, uids)); rest.length > 0; ) {
    const some = portion(rest);
    const asked = some.map(({ uid }) => uid);
    mails.push(...(await watched(it, asked, () => fetchMails(folder, some))));
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
