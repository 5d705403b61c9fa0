// A page in a browser as the gateway sees it: posts until it is told that it was taken, follows the events over drops.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Entry, NewMessage, Uploaded, WebEvent } from "../../src/core/page.ts";

export interface PageOptions {
  /** Of the server, without a slash at the end. */
  readonly url: string;
  /** `name=value`, as the browser keeps it. */
  readonly cookie: string;
}

export interface Page {
  readonly events: WebEvent[];
  /** Resolves once it follows. */
  readonly opened: Promise<void>;
  readonly state: PageState;
  /** Of messages: those that nobody confirmed. */
  readonly unconfirmed: number;
  post(path: string, body: unknown): Promise<Answer>;
  upload(name: string, content: BodyInit): Promise<Answer>;
  /** Posts it until it is taken; what is said first arrives first. */
  say(message: Omit<NewMessage, "id">): void;
  /** Loses its connection; it opens a new one by itself. */
  drop(): void;
  /** Stays without a connection until it is released. */
  hold(): void;
  release(): void;
  /** Resolves once `check` holds. */
  until(what: string, check: () => boolean): Promise<void>;
  /** Resolves when no request is under way. */
  quiet(): Promise<void>;
  close(): void;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what it holds is what a test looks at
  readonly body: any;
}

export interface PageState {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly typing: ReadonlySet<string>;
}

export const emptyState: PageState = { entries: new Map(), typing: new Set() };

/** What a page shows after an event; the same event twice changes nothing. */
export function after(state: PageState, event: WebEvent): PageState {
  const entries = new Map(state.entries);
  const typing = new Set(state.typing);
  if (event.type === "typing") return { entries, typing: typing.add(event.chat) };
  if (event.type === "removed") entries.delete(`${event.chat} ${event.id}`);
  if (event.type === "posted" || event.type === "edited" || event.type === "said") {
    entries.set(`${event.chat} ${event.entry.id}`, event.entry);
    typing.delete(event.chat);
  }
  return { entries, typing };
}

export interface StreamBlock {
  readonly id: string | undefined;
  readonly event: WebEvent | undefined;
}

/** The blocks of a stream of events until it ends. */
export async function* blocksOf(response: Response): AsyncGenerator<StreamBlock, void> {
  let rest = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
      const data = field("data");
      yield { id: field("id"), event: data === undefined ? undefined : JSON.parse(data) };
    }
  }
}

export function requester({ url, cookie }: Pick<PageOptions, "url" | "cookie">) {
  return async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { cookie, origin: url, ...(init.headers as Record<string, string>) };
    return await fetch(`${url}${path}`, { ...init, headers });
  };
}

export function openPage(options: PageOptions): Page {
  const request = requester(options);
  const closed = new AbortController();
  const events: WebEvent[] = [];
  const watchers = new Set<() => void>();
  const look = () => {
    for (const watcher of watchers) watcher();
  };
  const { call, post, quiet } = createCaller(request, closed.signal);
  const line = createLine();
  let [state, unconfirmed] = [emptyState, 0];
  let before: Promise<unknown> = Promise.resolve();
  const opening = withResolvers();
  void follow({
    request,
    closed: closed.signal,
    connect: line.connect,
    onId: opening.resolve,
    on(event) {
      events.push(event);
      state = after(state, event);
      look();
    },
  });
  return {
    events,
    opened: opening.promise,
    post,
    quiet,
    get state() {
      return state;
    },
    get unconfirmed() {
      return unconfirmed;
    },
    upload: (name, content) =>
      call(`/api/files?name=${encodeURIComponent(name)}`, {
        headers: { "content-type": "application/octet-stream" },
        body: content,
        // Of the standard, but not of its types.
        ...{ duplex: "half" },
      }),
    say(message) {
      unconfirmed += 1;
      const id = randomUUID();
      before = before.then(async () => {
        const attempt = () => post("/api/messages", { id, ...message }).catch(() => undefined);
        while (!closed.signal.aborted && (await attempt())?.status !== 200) await sleep(20);
        unconfirmed -= 1;
        look();
      });
    },
    drop: line.drop,
    hold: line.hold,
    release: line.release,
    until: (what, check) => until({ what, check, watchers }),
    close: () => closed.abort(),
  };
}

/** Its connection, which can be lost and held back. */
function createLine() {
  let connection = new AbortController();
  let held = withResolvers();
  held.resolve();
  return {
    async connect() {
      await held.promise;
      connection = new AbortController();
      return connection.signal;
    },
    drop: () => connection.abort(),
    hold() {
      held = withResolvers();
      connection.abort();
    },
    release: () => held.resolve(),
  };
}

function withResolvers(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}

function createCaller(request: ReturnType<typeof requester>, signal: AbortSignal) {
  const underWay = new Set<Promise<unknown>>();
  const call = async (path: string, init: RequestInit): Promise<Answer> => {
    const answering = request(path, { method: "POST", signal, ...init }).then(async (response) => {
      const { status, headers } = response;
      return { status, headers, body: await response.json().catch(() => undefined) };
    });
    underWay.add(answering);
    try {
      return await answering;
    } finally {
      underWay.delete(answering);
    }
  };
  return {
    call,
    post: (path: string, body: unknown) =>
      call(path, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    async quiet() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}

async function until(it: { what: string; check: () => boolean; watchers: Set<() => void> }) {
  const deadline = performance.now() + 10_000;
  while (!it.check()) {
    if (performance.now() > deadline) throw new Error(`Never saw ${it.what}`);
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        it.watchers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, 20);
      it.watchers.add(wake);
    });
  }
}

/** As EventSource does it: the last id goes along, and `bye` ends it. */
async function follow(it: {
  request: ReturnType<typeof requester>;
  closed: AbortSignal;
  connect(): Promise<AbortSignal>;
  onId(): void;
  on(event: WebEvent): void;
}): Promise<void> {
  let last = "";
  while (!it.closed.aborted) {
    try {
      const signal = AbortSignal.any([it.closed, await it.connect()]);
      const headers = last ? { "last-event-id": last } : {};
      const response = await it.request("/api/events", { signal, headers });
      for await (const { id, event } of blocksOf(response)) {
        if (id !== undefined) {
          last = id;
          it.onId();
        }
        if (event) it.on(event);
        if (event?.type === "bye") return;
      }
    } catch {
      // Lost: opened again.
    }
    if (!it.closed.aborted) await sleep(5);
  }
}

export async function uploaded(answer: Promise<Answer>): Promise<Uploaded> {
  const { status, body } = await answer;
  if (status !== 200) throw new Error(`The upload was answered with ${status}`);
  return body as Uploaded;
}
