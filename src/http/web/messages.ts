// POST /api/messages and /api/presses: durable before they are answered, and the same id is the same message.
import { z } from "zod";
import type { Clock } from "../../core/clock.ts";
import type { ButtonPress, InboundEvent, InboundMessage } from "../../core/events.ts";
import type { Said } from "../../core/page.ts";
import { harmless } from "../../core/visible.ts";
import type { From, GuardedRoute } from "../guard/route.ts";
import { answer, bodyOf, pairingOf, refusal } from "./answer.ts";
import { isChatOf } from "./chats.ts";
import type { Streams } from "./streams.ts";
import type { Uploads } from "./uploads.ts";

export interface MessageParts {
  readonly clock: Clock;
  readonly streams: Streams;
  readonly uploads: Uploads;
  /** `taken`: it is on disk. `not-now`: nobody listens. `failed`: it could not be kept. */
  take(event: InboundEvent): Promise<"taken" | "not-now" | "failed">;
}

type Known = Parameters<Extract<GuardedRoute, { access: "caller" | "operator" }>["handle"]>[1];

const longest = 200_000;
const filesMost = 10;
const shownKept = 1000;
const id = z.string().regex(/^[\w-]{8,64}$/);
const chat = z.string().min(1).max(128);

const newMessage = z
  .object({
    id,
    chat,
    text: z.string().max(longest),
    files: z.array(z.string().max(128)).max(filesMost).default([]),
  })
  .refine(({ text, files }) => text.trim() !== "" || files.length > 0);

const newPress = z.object({
  id,
  chat,
  message: z.string().regex(/^[\w-]{1,64}$/),
  data: z
    .string()
    .min(1)
    .refine((data) => Buffer.byteLength(data) <= 64),
});

export function messageRoutes(parts: MessageParts): GuardedRoute[] {
  const shown = createShown();
  return [
    {
      method: "POST",
      path: "/api/messages",
      access: "caller",
      body: "json",
      handle: (request, from) => onMessage({ ...parts, shown }, request, from),
    },
    {
      method: "POST",
      path: "/api/presses",
      access: "caller",
      body: "json",
      handle: (request, from) => onPress(parts, request, from),
    },
  ];
}

async function onMessage(
  parts: MessageParts & { readonly shown: Shown },
  request: Request,
  { visitor }: From & Known,
): Promise<Response> {
  const given = await bodyOf(request, newMessage);
  if (!given)
    return refusal(
      400,
      `A message needs an id of 8 to 64 letters, digits, - and _, a chat, and 1 to ${longest} characters of text or up to ${filesMost} files.`,
    );
  const pairing = pairingOf(visitor);
  if (!isChatOf(pairing, given.chat)) return foreign();
  const files = await parts.uploads.take(pairing, given.files);
  if (!files) return refusal(400, "One of the files is not kept here any more. Add it again.");
  const { name } = visitor.caller;
  const event: InboundMessage = {
    kind: "message",
    // Of this person alone: nobody can use up another's ids.
    key: `${pairing}:m-${given.id}`,
    at: parts.clock.now(),
    chat: { id: given.chat, kind: "direct" },
    sender: { account: pairing, name },
    message: { chat: given.chat, id: `m-${given.id}` },
    text: given.text,
    addressed: true,
    files,
  };
  const problem = await problemOf(parts, event);
  if (problem) return problem;
  // Its other pages show it as well, once.
  if (parts.shown.isNew(event.key))
    parts.streams.emit(pairing, { type: "said", chat: given.chat, entry: saidOf(event) });
  return answer({ taken: true });
}

async function onPress(
  parts: MessageParts,
  request: Request,
  { visitor }: From & Known,
): Promise<Response> {
  const given = await bodyOf(request, newPress);
  if (!given)
    return refusal(400, "A press needs an id, a chat, the message and its button's data.");
  const pairing = pairingOf(visitor);
  if (!isChatOf(pairing, given.chat)) return foreign();
  const event: ButtonPress = {
    kind: "press",
    key: `${pairing}:p-${given.id}`,
    at: parts.clock.now(),
    chat: { id: given.chat, kind: "direct" },
    sender: { account: pairing, name: visitor.caller.name },
    press: { id: `${pairing}.${given.id}` },
    data: given.data,
    message: { chat: given.chat, id: given.message },
  };
  return (await problemOf(parts, event)) ?? answer({ taken: true });
}

function foreign(): Response {
  return refusal(403, "This chat is not yours to write in. Reload the page.");
}

async function problemOf(parts: MessageParts, event: InboundEvent): Promise<Response | undefined> {
  const outcome = await parts.take(event);
  if (outcome === "taken") return undefined;
  return outcome === "not-now"
    ? refusal(503, "The gateway is starting or stopping. Send it again in a moment.")
    : refusal(503, "It could not be kept. Send it again; the gateway's log says what is wrong.");
}

function saidOf({ message, at, sender, text, files }: InboundMessage): Said {
  return {
    is: "said",
    id: message.id,
    at,
    who: sender.name,
    mine: true,
    text: harmless(text),
    files: files.map(({ name, size = 0 }) => ({ name, size })),
  };
}

interface Shown {
  isNew(key: string): boolean;
}

/** Whether a message was shown is only a matter of looks: the front door knows for good what it took. */
function createShown(): Shown {
  const keys = new Set<string>();
  return {
    isNew(key) {
      if (keys.has(key)) return false;
      keys.add(key);
      const [oldest] = keys;
      if (keys.size > shownKept && oldest !== undefined) keys.delete(oldest);
      return true;
    },
  };
}
