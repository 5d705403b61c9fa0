// The terminal as a channel: chats on this machine speak to it over the control socket; all of them see one conversation.
import { randomBytes } from "node:crypto";
import type { Accept, Channel, Listener, Part, Route } from "../../core/channel.ts";
import type { EventSender, InboundEvent } from "../../core/events.ts";
import { createFeed, type Feed } from "../../core/feed.ts";
import { markdownParts } from "../../core/markdown-parts.ts";
import { harmless } from "../../core/visible.ts";
import type { ListenerId } from "../../core/words.ts";
import {
  routes,
  type Settled,
  type SettledReply,
  type Shown,
  type TerminalEvent,
} from "./events.ts";

export interface TerminalPorts {
  /** Resolves once nothing is under way in this chat, or a question is open in it. */
  settled(chat: string, signal: AbortSignal): Promise<Settled>;
}

const limits = { text: 32_000, caption: 32_000, buttons: 12, file: 20_000_000, editPace: 40 };
const backlog = { events: 1000, bytes: 4_000_000, behind: 2_000_000 };
const chat = { id: "local", kind: "direct" } as const;
const sender: EventSender = { account: "local", name: "local" };
const keysKept = 1000;

export function createTerminal(ports: TerminalPorts): Channel {
  return {
    name: "terminal",
    limits,
    render: (text) => markdownParts(text, limits.text),
    open: (_, { listener }) => openTerminal(listener, ports),
  };
}

function openTerminal(id: ListenerId, ports: TerminalPorts): Listener {
  const boot = randomBytes(6).toString("hex");
  const feed = createFeed<TerminalEvent>({
    boot,
    limits: backlog,
    gap: { type: "gap" },
    foreign: "everything",
    keep: kept,
    standing: openQuestions,
  });
  let stopped = false;
  const sent = new Map<string, string>();
  let accept: Accept | undefined;
  let lastEvent: number | undefined;
  let count = 0;

  const take = async (event: InboundEvent) => {
    if (!accept || stopped) return false;
    await accept([event]);
    lastEvent = event.at;
    return true;
  };
  return {
    id,
    async start(given) {
      accept = given;
    },
    async send(_, part, key) {
      const known = sent.get(key);
      if (known !== undefined) return { chat: chat.id, id: known };
      count += 1;
      const message = `${boot}-${count}`;
      sent.set(key, message);
      const [oldest] = sent.keys();
      if (sent.size > keysKept && oldest !== undefined) sent.delete(oldest);
      feed.emit({ type: "posted", ...shown(message, part) });
      return { chat: chat.id, id: message };
    },
    async edit(ref, part) {
      feed.emit({ type: "edited", ...shown(ref.id, part) });
    },
    async remove(ref) {
      feed.emit({ type: "removed", id: ref.id });
    },
    async answerPress(press, notice) {
      if (notice) feed.emit({ type: "notice", press: press.id, text: harmless(notice) });
    },
    async showTyping() {
      feed.emit({ type: "typing" });
    },
    openDirect: async () => ({ listener: id, chat: chat.id }),
    /** Open chats stay: what is still said while the gateway ends goes out to them. */
    async stop() {
      stopped = true;
    },
    health: () => ({
      state: stopped ? "stopped" : accept ? "connected" : "starting",
      ...(accept && !stopped ? { lastContact: Date.now() } : {}),
      ...(lastEvent === undefined ? {} : { lastEvent }),
    }),
    routes: () => terminalRoutes({ feed, take, ports }),
  };
}

/** An edit carries the whole message: earlier edits of it need not be kept. */
function kept(event: TerminalEvent): boolean | string {
  return event.type === "edited" ? event.id : event.type !== "typing";
}

/** The latest state of messages that still have buttons: shown to each chat that opens. */
function openQuestions(events: readonly TerminalEvent[]): readonly TerminalEvent[] {
  const latest = new Map<string, TerminalEvent>();
  for (const event of events) {
    if (event.type === "removed") latest.delete(event.id);
    if (event.type !== "posted" && event.type !== "edited") continue;
    if (event.buttons.length > 0) latest.set(event.id, event);
    else latest.delete(event.id);
  }
  return [...latest.values()];
}

function shown(id: string, { body, plain, buttons = [], file }: Part): Shown {
  const of = file && { file: { name: harmless(file.name), path: file.path, size: file.size } };
  return {
    id,
    text: body ?? plain,
    buttons: buttons.map(({ label, data }) => ({ label: harmless(label), data })),
    ...of,
  };
}

interface Inside {
  readonly feed: Feed<TerminalEvent>;
  readonly ports: TerminalPorts;
  take(event: InboundEvent): Promise<boolean>;
}

function terminalRoutes(inside: Inside): Route[] {
  const { feed, ports } = inside;
  return [
    { method: "POST", path: routes.messages, handle: (request) => onMessage(inside, request) },
    { method: "POST", path: routes.presses, handle: (request) => onPress(inside, request) },
    {
      method: "GET",
      path: routes.events,
      async handle(request) {
        const asked = new URL(request.url).searchParams.get("after") ?? "now";
        const headers = { "content-type": "text/event-stream", "cache-control": "no-store" };
        return new Response(feed.follow(asked).stream, { headers });
      },
    },
    {
      method: "GET",
      path: routes.settled,
      async handle(request) {
        const settled = await ports.settled(chat.id, request.signal);
        return Response.json({ settled, last: feed.last() } satisfies SettledReply);
      },
    },
  ];
}

const idForm = /^[\w-]{8,64}$/;
const longest = 200_000;

/** The client chooses the id: the same id is the same message, however often it is posted. */
async function onMessage({ feed, take }: Inside, request: Request): Promise<Response> {
  const { id, text } = await fields(request);
  if (!id || !idForm.test(id) || !text?.trim() || text.length > longest)
    return refusal(400, `a message needs an id and 1 to ${longest} characters of text`);
  const event: InboundEvent = {
    kind: "message",
    key: `m-${id}`,
    at: Date.now(),
    chat,
    sender,
    message: { chat: chat.id, id: `m-${id}` },
    text,
    addressed: true,
    files: [],
  };
  if (!(await take(event))) return refusal(503, "the gateway is starting or stopping: try again");
  feed.emit({ type: "said", id, text: harmless(text) });
  return Response.json({ taken: true });
}

async function onPress({ take }: Inside, request: Request): Promise<Response> {
  const { id, message, data } = await fields(request);
  if (!id || !idForm.test(id) || !message || !data || Buffer.byteLength(data) > 64)
    return refusal(400, "a press needs an id, the message and the button's data");
  const event: InboundEvent = {
    kind: "press",
    key: `p-${id}`,
    at: Date.now(),
    chat,
    sender,
    press: { id },
    data,
    message: { chat: chat.id, id: message },
  };
  if (!(await take(event))) return refusal(503, "the gateway is starting or stopping: try again");
  return Response.json({ taken: true });
}

async function fields(request: Request): Promise<Record<string, string | undefined>> {
  const body: unknown = await request.json().catch(() => undefined);
  if (typeof body !== "object" || body === null) return {};
  return Object.fromEntries(
    Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function refusal(status: number, problem: string): Response {
  return Response.json({ problem }, { status });
}
