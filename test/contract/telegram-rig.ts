// The Telegram listener on the fake Bot API server, as a rig for the channel contract.
import { once } from "node:events";
import { channel } from "../../channels/telegram/index.ts";
import type { ChannelContext } from "../../src/core/channel.ts";
import type { Log } from "../../src/core/log.ts";
import type { Address } from "../../src/core/words.ts";
import { createGuardedFetch } from "../../src/net/guarded-fetch.ts";
import { notesInMemory } from "../fakes/notes.ts";
import { type FakeTelegram, startTelegramServer } from "../fakes/telegram-server.ts";
import type { Fault, Rig } from "./rig.ts";

const config = { pollSeconds: 1, graceSeconds: 0.5, deafSeconds: 2.5 };

export async function openTelegram() {
  const fake = await startTelegramServer();
  const ana = fake.user({ name: "Ana" });
  const ben = fake.user({ name: "Ben" });
  const chat = fake.privateChat(ana);
  const forum = fake.group({ forum: true, title: "Work" });
  const topic = fake.topic(forum, "Builds", ana);
  // What opened the topic is no part of what is tried.
  fake.queue.drop();
  const log: string[] = [];
  const { guarded, context } = contextFor(fake.url, log);
  const open = () => channel.open({ token: fake.token, apiRoot: fake.url, ...config }, context);
  const at = (chatId: number, thread?: number): Address => ({
    listener: "telegram",
    chat: String(chatId),
    ...(thread === undefined ? {} : { thread: String(thread) }),
  });
  const rig: Rig = {
    channel,
    listener: open(),
    direct: at(chat.id),
    group: at(forum.id),
    thread: at(forum.id, topic),
    again: open,
    says: (place, text, addressed = true) => {
      const named = place.chat === String(chat.id) || !addressed ? text : `@sallyport_bot ${text}`;
      const thread = place.thread ? { message_thread_id: Number(place.thread) } : {};
      ana.sends(Number(place.chat), named, thread);
    },
    visible: (place) => seenIn(fake, place),
    until: (what, check) => until(fake, what, check),
    unconfirmed: () => fake.queue.unconfirmed,
    noise: (place) => makeNoise(fake, Number(place.chat), { ana, ben }),
    presses: (place, label) => {
      const message = fake.messages(Number(place.chat)).findLast((one) => one.buttons.length > 0);
      ana.presses(Number(place.chat), message?.id ?? 0, label);
    },
    notices: () =>
      [...fake.world.presses.values()].flatMap(({ answers }) => answers.map(({ text }) => text)),
    sendsFile: (place, name, content) => {
      ana.sends(Number(place.chat), "", { document: { name, content, mime: "text/plain" } });
    },
    typing: () => typingIn(fake),
    faults: faultsOf(fake, chat.id),
    revoke: () => fake.revokeToken(),
    deafen: () => fake.faults.hang("getUpdates", { times: 1000 }),
    close: async () => {
      await guarded.close();
      await fake.close().catch((error) => {
        if (error?.code !== "ERR_SERVER_NOT_RUNNING") throw error;
      });
    },
  };
  return { fake, rig, log, ana, ben, chat, forum };
}

function contextFor(root: string, log: string[]) {
  const guarded = createGuardedFetch({ allow: { root } });
  const context: ChannelContext = {
    listener: "telegram",
    log: logTo(log),
    notes: notesInMemory(),
    fetchFrom: () => guarded.fetch,
  };
  return { guarded, context };
}

type Person = ReturnType<FakeTelegram["user"]>;

function makeNoise(fake: FakeTelegram, chat: number, { ana, ben }: { ana: Person; ben: Person }) {
  const room = fake.world.roomOf(chat).chat;
  const mention = "@sallyport_bot do it";
  ana.sends(chat, mention, { sender_chat: room });
  ana.sends(chat, mention, { sender_chat: { id: -100777, type: "channel", title: "News" } });
  ben.sends(chat, mention, { via_bot: fake.me });
  const bot = { id: 99, is_bot: true, first_name: "Other" };
  const at = Math.floor(Date.now() / 1000);
  fake.push({ message: { message_id: 900, date: at, chat: room, from: bot, text: mention } });
  fake.push({ channel_post: { message_id: 901, date: at, chat: room, text: mention } });
  ben.sends(chat, "", { new_chat_members: [ben.user] });
  ben.sends(chat, "", { pinned_message: { message_id: 1, date: 0, chat: room } });
}

function seenIn(fake: FakeTelegram, place: Address) {
  return fake
    .messages(Number(place.chat))
    .filter(({ thread }) => thread === (place.thread ? Number(place.thread) : undefined))
    .map(({ text, buttons, file, byBot }) => ({
      text,
      buttons: buttons.flat().map((button) => button.text),
      ...(file ? { file: file.name } : {}),
      ours: byBot,
    }));
}

/** The fake knows of changes on its side only, so that the listener's own are looked for now and then. */
async function until(fake: FakeTelegram, what: string, check: () => boolean): Promise<void> {
  let look = () => {};
  const timer = setInterval(() => look(), 20);
  const seen = new Promise<void>((resolve, reject) => {
    look = () => {
      try {
        if (check()) resolve();
      } catch (error) {
        reject(error);
      }
    };
  });
  const late = AbortSignal.timeout(15_000);
  const tooLate = once(late, "abort").then(() => {
    throw new Error(`${what} did not come`);
  });
  const stop = fake.watch(() => look());
  look();
  try {
    await Promise.race([seen, tooLate]);
  } finally {
    clearInterval(timer);
    stop();
  }
}

function typingIn(fake: FakeTelegram) {
  return fake.calls
    .filter(({ method, status }) => method === "sendChatAction" && status === 200)
    .map(({ params }) => ({
      chat: String(params.chat_id),
      ...(params.message_thread_id ? { thread: String(params.message_thread_id) } : {}),
    }));
}

function faultsOf(fake: FakeTelegram, chat: number): Record<Fault, () => void> {
  const refuse = (code: number, description: string, parameters?: { retry_after: number }) =>
    fake.faults.status("sendMessage", { code, description, ...(parameters && { parameters }) });
  return {
    "rate-limited": () => refuse(429, "Too Many Requests: retry after 7", { retry_after: 7 }),
    format: () => refuse(400, "Bad Request: can't parse entities: Unexpected end tag"),
    "too-long": () => refuse(400, "Bad Request: message is too long"),
    gone: () => fake.world.roomOf(chat) && refuse(403, "Forbidden: bot was blocked by the user"),
    "not-sent": () => void fake.close(),
    unknown: () => fake.faults.drop("sendMessage"),
  };
}

function logTo(lines: string[]): Log {
  const write = (fields: unknown, message: string) => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  return { debug: write, info: write, warn: write, error: write };
}
