// The page behind the real server and guard, on answers that a test writes: for what the page itself must do with them.

import type { TestContext } from "node:test";
import { createFeed } from "../../src/core/feed.ts";
import type {
  ApprovalRow,
  ConversationRow,
  Entry,
  History,
  Hitl,
  Me,
  WebEvent,
} from "../../src/core/page.ts";
import type { GuardedRoute } from "../../src/http/guard/route.ts";
import { pageRoutes } from "../../src/http/page/assets.ts";
import { openServer } from "../../src/http/server.ts";
import { memoryLog } from "./agent-rig.ts";
import type { Opened } from "./browser.ts";
import { anyPort } from "./server-options.ts";

export const start = Date.now();

export const me: Me = {
  name: "Ana",
  role: "owner",
  operator: true,
  chat: "ana",
  agent: { name: "workspace", asks: true },
  sandbox: "local",
  fileMost: 1000,
  expiresAt: start + 3_600_000,
};

export const conversation: ConversationRow = {
  id: "c1",
  listener: "web",
  channel: "web",
  title: "Tidy the notes",
  whose: null,
  kind: "direct",
  lastAt: start,
  state: "idle",
  chat: "ana",
};

export interface PageDesk {
  readonly url: string;
  /** What the chat holds; changed by the test. */
  entries: Entry[];
  approvals: ApprovalRow[];
  /** The page of the history before a moment; absent: there is none. */
  pageBefore: ((before: string) => Entry[]) | undefined;
  /** Behind the link `/hitl/a-token`. */
  hitl: Hitl | undefined;
  /** Bodies of what the page posted, by path, oldest first. */
  readonly posted: { readonly path: string; readonly body: unknown }[];
  /** Answers to posts; absent: taken. */
  answer: (path: string) => Response | undefined;
  emit(event: WebEvent): void;
  /** Ends every stream, as a proxy does. */
  drop(): void;
  signIn(opened: Opened): Promise<void>;
}

export async function startPageDesk(t: TestContext): Promise<PageDesk> {
  const feed = createFeed<WebEvent>({
    boot: "desk",
    limits: { events: 100, bytes: 100_000, behind: 100_000 },
    gap: { type: "reset" },
    foreign: "gap",
    keep: () => true,
    standing: () => [],
  });
  const streams = new Set<{ close(): void }>();
  const desk = {
    entries: [] as Entry[],
    approvals: [] as ApprovalRow[],
    pageBefore: undefined as PageDesk["pageBefore"],
    hitl: undefined as Hitl | undefined,
    posted: [] as PageDesk["posted"],
    answer: (_: string): Response | undefined => undefined,
  };
  const stream = (request: Request) => {
    const following = feed.follow(request.headers.get("last-event-id") ?? "now");
    streams.add(following);
    request.signal.addEventListener("abort", following.close);
    return new Response(following.stream, { headers: { "content-type": "text/event-stream" } });
  };
  const server = await serve([
    ...pageRoutes(),
    ...reads(desk, stream),
    ...writes(desk),
    ...link(desk),
  ]);
  t.after(() => server.stop());
  return Object.assign(desk, {
    url: server.url,
    emit: feed.emit,
    drop: () => {
      for (const each of streams) each.close();
      streams.clear();
    },
    signIn: ({ context }: Opened) =>
      context.addCookies([{ name: server.cookieName, value: "ana", url: server.url }]),
  });
}

function serve(routes: readonly GuardedRoute[]) {
  const visitor = {
    caller: { id: "p:ana", pairing: "ana", role: "owner", name: "Ana" },
    by: "session",
    operator: true,
    session: "s",
    expiresAt: me.expiresAt,
  } as const;
  return openServer({
    ...anyPort,
    log: memoryLog(),
    routes,
    visitors: {
      byCookie: async (value) => (value === "ana" ? visitor : undefined),
      byToken: async () => undefined,
    },
  });
}

type Kept = Pick<PageDesk, "entries" | "approvals" | "pageBefore" | "hitl" | "posted" | "answer">;

function reads(desk: Kept, stream: (request: Request) => Response): GuardedRoute[] {
  const history = (before: string | null): History => ({
    conversation,
    entries: before ? (desk.pageBefore?.(before) ?? []) : desk.entries,
    earlier: !before && desk.pageBefore !== undefined,
    work: null,
    place: null,
  });
  const empty: History = {
    conversation: null,
    entries: [],
    earlier: false,
    work: null,
    place: null,
  };
  const get = (
    path: string,
    answer: (chat: string | undefined, url: URL) => unknown,
  ): GuardedRoute => ({
    method: "GET",
    path,
    access: "caller",
    body: "none",
    handle: async (request, { params }) => Response.json(answer(params.chat, new URL(request.url))),
  });
  return [
    get("/api/me", () => me),
    get("/api/conversations", () => ({ conversations: [conversation] })),
    get("/api/chats/:chat", (chat, { searchParams }) =>
      chat === "ana" ? history(searchParams.get("before")) : empty,
    ),
    get("/api/tasks", () => ({ tasks: [] })),
    get("/api/approvals", () => ({ approvals: desk.approvals })),
    {
      method: "GET",
      path: "/api/events",
      access: "caller",
      body: "none",
      handle: async (request) => stream(request),
    },
  ];
}

function writes(desk: Kept): GuardedRoute[] {
  const post = (path: string): GuardedRoute => ({
    method: "POST",
    path,
    access: "caller",
    body: "json",
    handle: async (request) => {
      desk.posted.push({ path, body: await request.json() });
      return desk.answer(path) ?? Response.json({ taken: true });
    },
  });
  return [post("/api/messages"), post("/api/presses"), post("/api/approvals/:id")];
}

function link(desk: Kept): GuardedRoute[] {
  const nothing = () => Response.json({ problem: "There is nothing here." }, { status: 404 });
  return [
    {
      method: "GET",
      path: "/api/hitl/:token",
      access: "public",
      body: "none",
      handle: async (_, { params }) =>
        params.token === "a-token" && desk.hitl ? Response.json(desk.hitl) : nothing(),
    },
    {
      method: "POST",
      path: "/hitl/:token",
      access: "public",
      body: "json",
      handle: async (request) => {
        desk.posted.push({ path: "/hitl/a-token", body: await request.json() });
        return desk.answer("/hitl/a-token") ?? Response.json({ decided: true, text: "Denied" });
      },
    },
  ];
}
