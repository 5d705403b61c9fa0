// What one person alone is shown: answers to presses and commands, and refusals in a group.
import type { WebClient } from "@slack/web-api";
import { type Fetch, type Only, type Part, SendError } from "../../src/core/channel.ts";
import type { PressRef } from "../../src/core/events.ts";
import type { Address } from "../../src/core/words.ts";
import { toSendError } from "./errors.ts";
import { toMessage } from "./outbound.ts";
import { type Pressed, readPress } from "./press.ts";
import { quiet, taken } from "./sending.ts";
import type { Threads } from "./threads.ts";

export interface WhisperPorts {
  readonly client: WebClient;
  readonly fetch: Fetch;
  readonly threads: Threads;
}

export interface Whispers {
  whisper(to: Address, only: Only, part: Part): Promise<void>;
  answerPress(press: PressRef, notice?: string): Promise<void>;
}

/** Slack takes answers for half an hour. */
const answerableMs = 29 * 60_000;

export function createWhispers(ports: WhisperPorts): Whispers {
  const toOne = async (place: Place, part: Part, press: Pressed | undefined) => {
    if (press && (await answered(ports, press, { place, part }))) return;
    await post(ports, place, part);
  };
  return {
    async whisper(to, { account, press }, part) {
      if (part.plain.trim() === "") throw new SendError("rejected", "There is nothing to send.");
      const user = account.split(":").at(-1) ?? "";
      const place = { chat: to.chat, thread: to.thread, user };
      const pressed = press && readPress(press.id);
      await toOne(place, part, pressed?.user === user ? pressed : undefined).catch((error) => {
        throw toSendError(error);
      });
    },
    async answerPress({ id }, notice) {
      const press = readPress(id);
      if (!press || !notice) return;
      const place = { chat: press.channel, thread: press.thread, user: press.user };
      // Too old, or not reachable: the presser sees no more than before.
      await toOne(place, { plain: notice }, press).catch(() => undefined);
    },
  };
}

interface Place {
  readonly chat: string;
  readonly thread: string | undefined;
  readonly user: string;
}

/** In a thread without replies nobody would see it. */
function threadOf({ threads }: WhisperPorts, { chat, thread }: Place): { thread_ts?: string } {
  return thread !== undefined && threads.isActive(chat, thread) ? { thread_ts: thread } : {};
}

async function post(ports: WhisperPorts, place: Place, part: Part): Promise<void> {
  const { text, blocks } = toMessage(part);
  await ports.client.chat.postEphemeral({
    channel: place.chat,
    user: place.user,
    ...quiet,
    text,
    ...(blocks.length > 0 ? { blocks: taken(blocks) } : {}),
    ...threadOf(ports, place),
  });
}

/** Also where the app is no member. False when the address takes no answers any more. */
async function answered(
  ports: WhisperPorts,
  { url, at }: Pressed,
  { place, part }: { place: Place; part: Part },
): Promise<boolean> {
  if (url === undefined || Date.now() - at > answerableMs) return false;
  const { text, blocks } = toMessage(part);
  const body = {
    response_type: "ephemeral",
    replace_original: false,
    text,
    ...(blocks.length > 0 ? { blocks } : {}),
    ...threadOf(ports, place),
  };
  const response = await ports
    .fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8" },
      body: JSON.stringify(body),
    })
    .catch(() => undefined);
  await response?.body?.cancel();
  return response?.ok === true;
}
