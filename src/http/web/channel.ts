// The page as a channel: people write over HTTP, and every page of theirs that is open follows over server-sent events.
import type { Visitor } from "../../access/visitor.ts";
import { fileLinks } from "../../core/artifact.ts";
import type { Accept, Channel, Listener, OutFile, Part } from "../../core/channel.ts";
import type { Clock } from "../../core/clock.ts";
import type { InboundEvent } from "../../core/events.ts";
import type { Log } from "../../core/log.ts";
import { markdownParts } from "../../core/markdown-parts.ts";
import type { Posted, ShownFile, WebEvent } from "../../core/page.ts";
import { harmless } from "../../core/visible.ts";
import type { Caller, PairingId } from "../../core/words.ts";
import type { GuardedRoute } from "../guard/route.ts";
import { ownerOf, restOf } from "./chats.ts";
import { eventRoutes } from "./events.ts";
import { fileRoutes } from "./files.ts";
import { messageRoutes } from "./messages.ts";
import { type SignInPorts, signInRoutes } from "./sign-in.ts";
import { createStreams, type StreamPorts, type Streams } from "./streams.ts";
import { createUploads, type Uploads } from "./uploads.ts";

export interface WebPorts
  extends StreamPorts,
    Pick<SignInPorts, "visitors" | "cookieName" | "about"> {
  readonly log: Log;
  readonly clock: Clock;
  /** A folder of ours for what people send up, with nothing else in it. */
  readonly files: string;
}

export type Changed = Pick<Extract<WebEvent, { type: "changed" }>, "conversations" | "what">;

export interface Web {
  readonly channel: Channel;
  readonly listener: Listener;
  routes(): readonly GuardedRoute[];
  /** Tells open pages what to fetch again. */
  changed(whose: PairingId | "all", changed: Changed): void;
  /** Whose changes are to be watched: pages of theirs are open, or were a moment ago. Ask again and again: it lets go by and by. */
  viewers(): readonly Caller[];
  /** Ends at once the open pages of this person, or of everybody: their sessions are over. */
  endSessions(pairing?: PairingId): void;
}

const listenerId = "web";
const limits = { text: 32_000, caption: 32_000, buttons: 12, file: 20_000_000, editPace: 60 };
const sentKept = 1000;
const sweepEvery = 3_600_000;

export function createWeb(ports: WebPorts): Web {
  const streams = createStreams(ports);
  const uploads = createUploads({ ...ports, folder: ports.files, most: limits.file });
  const inward = createInward(ports, uploads);
  const listener: Listener = {
    id: listenerId,
    ...inward.listening,
    ...createOutward(ports, streams),
    openDirect: async (account) => ({ listener: listenerId, chat: account }),
    fetchFile: uploads.fetch,
  };
  const channel: Channel = {
    name: "web",
    limits,
    render: (text) => markdownParts(text, limits.text),
    open: () => listener,
  };
  const over = "This session was ended. Sign in again with a new link or code.";
  const onSignOut = (visitor: Visitor) =>
    streams.end(({ session }) => session !== null && session === visitor.session, "Signed out.");
  const routes = [
    ...signInRoutes({ ...ports, fileMost: limits.file, onSignOut }),
    ...messageRoutes({ ...ports, streams, uploads, take: inward.take }),
    ...eventRoutes(streams),
    ...fileRoutes(uploads, limits.file),
  ];
  return {
    channel,
    listener,
    routes: () => routes,
    changed(whose, { conversations, what }) {
      const event: WebEvent = { type: "changed", conversations, what };
      streams.nudge(whose, event);
    },
    viewers: streams.viewers,
    endSessions: (pairing) =>
      streams.end(({ caller }) => pairing === undefined || caller.pairing === pairing, over),
  };
}

/** The way in: nothing is answered before it is on disk, and a stop waits for what is on its way there. */
function createInward({ log, clock }: WebPorts, uploads: Uploads) {
  const underWay = new Set<Promise<void>>();
  let accept: Accept | undefined;
  let stopped = false;
  let lastEvent: number | undefined;
  let sweeping: NodeJS.Timeout | undefined;

  const sweep = () =>
    void uploads.sweep().catch((error) => log.error({ error }, "Could not remove old uploads"));
  const listening: Pick<Listener, "start" | "stop" | "health"> = {
    async start(given) {
      accept = given;
      sweep();
      sweeping = setInterval(sweep, sweepEvery);
      sweeping.unref();
    },
    /** Open pages stay: what is still said while the gateway ends goes out to them. */
    async stop() {
      stopped = true;
      clearInterval(sweeping);
      await Promise.allSettled(underWay);
    },
    health: () => ({
      state: stopped ? "stopped" : accept ? "connected" : "starting",
      ...(accept && !stopped ? { lastContact: clock.now() } : {}),
      ...(lastEvent === undefined ? {} : { lastEvent }),
    }),
  };
  return {
    listening,
    async take(event: InboundEvent): Promise<"taken" | "not-now" | "failed"> {
      if (!accept || stopped) return "not-now";
      const accepting = accept([event]);
      underWay.add(accepting);
      try {
        await accepting;
        lastEvent = event.at;
        return "taken";
      } catch (error) {
        log.error({ error }, "Could not keep what came from the page");
        return "failed";
      } finally {
        underWay.delete(accepting);
      }
    },
  };
}

type Outward = Pick<Listener, "send"> &
  Required<Pick<Listener, "edit" | "remove" | "answerPress" | "showTyping">>;

/** The way out: what happens in a chat goes to the pages of the person whose chat it is. */
function createOutward({ clock }: WebPorts, streams: Streams): Outward {
  const sentAt = new Map<string, number>();
  const tell = (chat: string, event: WebEvent) => streams.emit(ownerOf(chat), event);
  const entryOf = (id: string, chat: string, part: Part): Posted => ({
    is: "posted",
    id,
    at: sentAt.get(`${chat} ${id}`) ?? clock.now(),
    ...shown(part),
    ...(part.file ? { file: fileOf(part.file, id) } : {}),
  });
  return {
    /** The key names the row of ours that it is: history and events speak of the same message. */
    async send({ chat }, part, key) {
      const ref = { chat, id: key };
      const known = `${chat} ${key}`;
      if (sentAt.has(known)) return ref;
      sentAt.set(known, clock.now());
      const [oldest] = sentAt.keys();
      if (sentAt.size > sentKept && oldest !== undefined) sentAt.delete(oldest);
      tell(chat, { type: "posted", chat, entry: entryOf(key, chat, part) });
      return ref;
    },
    async edit({ chat, id }, part) {
      tell(chat, { type: "edited", chat, entry: entryOf(id, chat, part) });
    },
    async remove({ chat, id }) {
      tell(chat, { type: "removed", chat, id });
    },
    async answerPress({ id }, notice) {
      const event: WebEvent = { type: "notice", press: restOf(id), text: harmless(notice ?? "") };
      if (notice) streams.emit(ownerOf(id), event);
    },
    async showTyping({ chat }) {
      tell(chat, { type: "typing", chat });
    },
  };
}

function shown({ body, plain, buttons = [] }: Part): Pick<Posted, "text" | "format" | "buttons"> {
  return {
    text: body ?? harmless(plain),
    format: body === undefined ? "plain" : "markdown",
    buttons: buttons.map(({ label, data }) => ({ label: harmless(label), data })),
  };
}

function fileOf(file: OutFile, key: string): ShownFile {
  const { name, mime, size } = file;
  return { name: harmless(name), mime, size, ...fileLinks(key, file) };
}
