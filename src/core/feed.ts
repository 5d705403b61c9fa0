// Server-sent events for whoever follows: the last ones are kept, within bounds, so that a drop is resumed without a gap.

export interface FeedOptions<Event> {
  /** Unique over restarts and feeds: positions of another one are not known here. */
  readonly boot: string;
  readonly limits: FeedLimits;
  /** What whoever missed something that is no longer kept is told first. */
  readonly gap: Event;
  /** What is told to a position of another boot: what there is, or that something is missing as well. */
  readonly foreign: "everything" | "gap";
  /** `false`: for those who follow now. A text: it carries the whole of what was kept under that text before, and replaces it. */
  keep(event: Event): boolean | string;
  /** Those of the kept ones, oldest first, that everybody is shown who begins to follow. */
  standing(kept: readonly Event[]): readonly Event[];
}

export interface FeedLimits {
  readonly events: number;
  readonly bytes: number;
  /** Unread bytes of one follower before it is dropped; it comes back and is told what it missed. */
  readonly behind: number;
}

export interface Feed<Event> {
  emit(event: Event): void;
  /** From here on something was not emitted that should have been: whoever stands before this is told that it misses something. */
  miss(): void;
  /** Id of the last event. */
  last(): string;
  /** `after`: an event id, or "now" / "unseen" (nobody was shown it yet). `onEnd`: it follows no more, whoever ended it. */
  follow(after: string, onEnd?: () => void): Following<Event>;
  readonly followers: number;
}

export interface Following<Event> {
  readonly stream: ReadableStream<Uint8Array>;
  /** To this one alone; not kept. */
  tell(event: Event): void;
  /** Shows both sides that the other is there. */
  beat(): void;
  close(): void;
}

export function createFeed<Event>(options: FeedOptions<Event>): Feed<Event> {
  const { boot, limits, gap } = options;
  const backlog = createBacklog(options);
  const followers = new Set<Follower>();
  const idOf = (seq: number) => `${boot}-${seq}`;
  const welcome = (follower: Follower, after: string) => {
    follower.write(encode());
    const { items, missed } = backlog.since(after);
    if (missed) follower.write(encode({ event: gap }));
    for (const { event, seq } of items) follower.write(encode({ event, id: idOf(seq) }));
    // Whoever saw nothing yet must know where it stands after a drop.
    follower.write(encode({ id: idOf(backlog.last()) }));
    backlog.sawAll();
  };
  return {
    miss: backlog.miss,
    last: () => idOf(backlog.last()),
    get followers() {
      return followers.size;
    },
    emit(event) {
      const seq = backlog.add(event);
      const chunk = encode(seq === undefined ? { event } : { event, id: idOf(seq) });
      if (followers.size > 0) backlog.sawAll();
      for (const follower of [...followers]) follower.write(chunk);
    },
    follow(after, onEnd = () => {}) {
      const follower = createFollower(limits.behind, (ended) => {
        if (followers.delete(ended)) onEnd();
      });
      followers.add(follower);
      welcome(follower, after);
      return {
        stream: follower.stream,
        tell: (event) => follower.write(encode({ event })),
        beat: () => follower.write(encode()),
        close: follower.close,
      };
    },
  };
}

const encoder = new TextEncoder();

function encode({ event, id }: { event?: unknown; id?: string } = {}): Uint8Array {
  const head = id === undefined ? "" : `id: ${id}\n`;
  const data = event === undefined ? "" : `data: ${JSON.stringify(event)}\n`;
  return encoder.encode(`${`${head}${data}` || ": here\n"}\n`);
}

interface Follower {
  readonly stream: ReadableStream<Uint8Array>;
  write(chunk: Uint8Array): void;
  close(): void;
}

/** What whoever is sent away may still have unread. */
const leftUnread = 65_536;

function createFollower(behind: number, onEnd: (follower: Follower) => void): Follower {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const over = (most: number) => (controller?.desiredSize ?? 0) < -most;
  const end = (ending: (open: ReadableStreamDefaultController<Uint8Array>) => void) => {
    if (!controller) return;
    ending(controller);
    controller = undefined;
    onEnd(follower);
  };
  // An error drops what is unread: nobody who reads nothing keeps our memory.
  const drop = () => end((open) => open.error(new Error("Too much is unread")));
  const follower: Follower = {
    stream: new ReadableStream<Uint8Array>(
      {
        start(given) {
          controller = given;
        },
        cancel: () => end(() => {}),
      },
      { highWaterMark: 0, size: (chunk) => chunk.byteLength },
    ),
    write(chunk) {
      controller?.enqueue(chunk);
      if (over(behind)) drop();
    },
    close: () => (over(leftUnread) ? drop() : end((open) => open.close())),
  };
  return follower;
}

interface Item<Event> {
  readonly seq: number;
  readonly event: Event;
  readonly bytes: number;
  readonly register: string | undefined;
}

function createBacklog<Event>({ boot, limits, keep, standing, foreign }: FeedOptions<Event>) {
  const items: Item<Event>[] = [];
  let seq = 0;
  let seen = 0;
  let bytes = 0;
  /** The newest that is no longer kept and was not replaced by a later one, or never came. */
  let lost = 0;

  const forget = (index: number) => {
    const [item] = items.splice(index, 1);
    bytes -= item?.bytes ?? 0;
    return item;
  };
  const positionOf = (after: string): number | undefined => {
    if (after === "now") return seq;
    if (after === "unseen") return seen;
    const [, from, number] = /^(\w+)-(\d{1,15})$/.exec(after) ?? [];
    return from === boot && Number(number) <= seq ? Number(number) : undefined;
  };
  return {
    last: () => seq,
    miss() {
      seq += 1;
      lost = seq;
    },
    /** Undefined: it is not kept, so nobody can stand behind it. */
    add(event: Event): number | undefined {
      const kept = keep(event);
      if (kept === false) return undefined;
      seq += 1;
      const register = kept === true ? undefined : kept;
      const older = register === undefined ? -1 : findRegister(items, register);
      if (older >= 0) forget(older);
      const item = { seq, event, bytes: JSON.stringify(event).length, register };
      items.push(item);
      bytes += item.bytes;
      while (items.length > limits.events || (bytes > limits.bytes && items.length > 1))
        lost = Math.max(lost, forget(0)?.seq ?? 0);
      return seq;
    },
    since(after: string): { readonly items: readonly Item<Event>[]; readonly missed: boolean } {
      const from = positionOf(after);
      const shown = new Set(standing(items.map(({ event }) => event)));
      // Whoever fetches everything again must not be shown what is older than that which never came.
      const start = Math.max(from ?? 0, lost);
      return {
        items: items.filter((item) => item.seq > start || shown.has(item.event)),
        missed: from === undefined ? foreign === "gap" || lost > 0 : from < lost,
      };
    },
    /** Somebody is shown everything up to now. */
    sawAll() {
      seen = seq;
    },
  };
}

function findRegister(items: readonly Item<unknown>[], register: string): number {
  return items.findLastIndex((item) => item.register === register);
}
