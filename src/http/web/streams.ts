// The pages that are open: what each person's pages are told, resumed after a drop, and ended with the session.
import { randomBytes } from "node:crypto";
import type { Visitor } from "../../access/visitor.ts";
import { createFeed, type Feed, type Following } from "../../core/feed.ts";
import type { Log } from "../../core/log.ts";
import type { WebEvent } from "../../core/page.ts";
import type { Caller, PairingId } from "../../core/words.ts";
import { pairingOf } from "./answer.ts";

export interface StreamPorts {
  readonly log: Log;
  /** Is the session or token as good as when it came in? */
  stillCounts(visitor: Visitor): Promise<boolean>;
  /** Ms: how often a page is sent a sign of life, and its session looked at; how long one that went is waited for. */
  readonly timing?: Partial<typeof usual>;
}

export interface Streams {
  /** To the pages of one person, also to those that come back within the backlog. */
  emit(pairing: PairingId, event: WebEvent): void;
  /** Only to those who have a page open or may come back to one: others learn it when they come. */
  nudge(whose: PairingId | "all", event: WebEvent): void;
  /** Undefined: too many are open. */
  open(visitor: Visitor, after: string): Pick<Following<WebEvent>, "stream" | "close"> | undefined;
  /** Whose changes are to be watched: pages of theirs are open, or were just now and may come back to where they stood. */
  viewers(): readonly Caller[];
  /** At once, those whose visitor is meant. */
  end(isMeant: (visitor: Visitor) => boolean, why: string): void;
}

const limits = { events: 500, bytes: 1_000_000, behind: 2_000_000 };
/** Persons whose last events are kept, when none of their pages is open. */
const feedsKept = 64;
const perSession = 16;
const altogether = 192;
/** What was edited last is shown to a page that opens: of a reply that still grows, the history has only the beginning. */
const editsShown = 8;
const usual = { beat: 15_000, look: 5000, away: 60_000 };
const over = "This session is over. Sign in again with a new link or code.";
const tooMany = "Too many pages of this session are open. Close some and load this one again.";

interface Open {
  readonly visitor: Visitor;
  readonly following: Following<WebEvent>;
}

export function createStreams(ports: StreamPorts): Streams {
  const feeds = createFeeds();
  // In the order of opening.
  const pages = new Set<Open>();
  const watch = createWatch(ports, pages);
  const away = createAway(ports, (pairing) => {
    for (const feed of feeds.known(pairing)) feed.miss();
  });
  return {
    emit: (pairing, event) => feeds.of(pairing).emit(event),
    nudge(whose, event) {
      for (const feed of feeds.known(whose)) feed.emit(event);
    },
    open(visitor, after) {
      const same = [...pages].filter((page) => sessionOf(page.visitor) === sessionOf(visitor));
      const [oldest] = same;
      if (same.length >= perSession && oldest) sayBye(oldest, tooMany);
      if (pages.size >= altogether) return undefined;
      const following = feeds.of(pairingOf(visitor)).follow(after, () => {
        pages.delete(page);
        away.note(visitor.caller);
        if (pages.size === 0) watch.stop();
      });
      const page: Open = { visitor, following };
      pages.add(page);
      watch.start();
      return following;
    },
    viewers() {
      const here = [...pages].map(({ visitor }) => visitor.caller);
      return [...here, ...away.besides(here)];
    },
    end(isMeant, why) {
      for (const page of [...pages]) if (isMeant(page.visitor)) sayBye(page, why);
    },
  };
}

/** Who has closed their last page a short while ago. `onOver`: from here on nobody watches for them. */
function createAway({ timing }: StreamPorts, onOver: (pairing: PairingId) => void) {
  const since = new Map<string, { readonly caller: Caller; readonly at: number }>();
  const most = timing?.away ?? usual.away;
  return {
    note(caller: Caller) {
      since.set(caller.id, { caller, at: performance.now() });
    },
    besides(here: readonly Caller[]): Caller[] {
      for (const { id } of here) since.delete(id);
      for (const [id, { caller, at }] of since) {
        if (performance.now() - at <= most) continue;
        since.delete(id);
        onOver(pairingOf({ caller }));
      }
      return [...since.values()].map(({ caller }) => caller);
    },
  };
}

function sayBye({ following }: Open, why: string): void {
  following.tell({ type: "bye", why });
  following.close();
}

function sessionOf({ session, caller }: Visitor): string {
  return session ?? `token of ${caller.id}`;
}

/** Signs of life, and a look whether the sessions of open pages still count; runs while there are pages. */
function createWatch(ports: StreamPorts, pages: ReadonlySet<Open>) {
  const { beat, look } = { ...usual, ...ports.timing };
  let timers: NodeJS.Timeout[] = [];
  let looking = false;
  const lookAtAll = async () => {
    if (looking) return;
    looking = true;
    const sessions = new Map<string, [Open, ...Open[]]>();
    for (const page of pages) {
      const known = sessions.get(sessionOf(page.visitor));
      if (known) known.push(page);
      else sessions.set(sessionOf(page.visitor), [page]);
    }
    for (const same of sessions.values()) await lookAt(ports, same);
    looking = false;
  };
  return {
    start() {
      if (timers.length > 0) return;
      timers = [
        setInterval(() => {
          for (const { following } of [...pages]) following.beat();
        }, beat),
        setInterval(() => void lookAtAll(), look),
      ];
      for (const timer of timers) timer.unref();
    },
    stop() {
      for (const timer of timers) clearInterval(timer);
      timers = [];
    },
  };
}

async function lookAt(ports: StreamPorts, pages: readonly [Open, ...Open[]]): Promise<void> {
  const [{ visitor }] = pages;
  try {
    if (await ports.stillCounts(visitor)) return;
    for (const page of pages) sayBye(page, over);
  } catch (error) {
    ports.log.error({ error }, "Could not look at a session");
    // Each page comes back through the guard, which looks again.
    for (const { following } of pages) following.close();
  }
}

function createFeeds() {
  const feeds = new Map<PairingId, Feed<WebEvent>>();
  const make = () =>
    createFeed<WebEvent>({
      boot: randomBytes(6).toString("hex"),
      limits,
      gap: { type: "reset" },
      foreign: "gap",
      keep: kept,
      standing: lastEdits,
    });
  return {
    known(whose: PairingId | "all"): Feed<WebEvent>[] {
      if (whose === "all") return [...feeds.values()];
      const feed = feeds.get(whose);
      return feed ? [feed] : [];
    },
    of(pairing: PairingId): Feed<WebEvent> {
      const feed = feeds.get(pairing) ?? make();
      // The one used last stands last.
      feeds.delete(pairing);
      feeds.set(pairing, feed);
      if (feeds.size > feedsKept) {
        const idle = [...feeds].find(([, { followers }]) => followers === 0);
        if (idle && idle[1] !== feed) feeds.delete(idle[0]);
      }
      return feed;
    },
  };
}

function kept(event: WebEvent): boolean | string {
  if (event.type === "edited") return `edited ${event.chat} ${event.entry.id}`;
  return event.type === "changed" ? JSON.stringify(event) : event.type !== "typing";
}

function lastEdits(events: readonly WebEvent[]): readonly WebEvent[] {
  const latest = new Map<string, WebEvent>();
  for (const event of events) {
    if (event.type === "removed") latest.delete(event.id);
    if (event.type === "edited") latest.set(event.entry.id, event);
  }
  return [...latest.values()].slice(-editsShown);
}
