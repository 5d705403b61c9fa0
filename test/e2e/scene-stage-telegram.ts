// The group of the scene on the fake Telegram: a forum with one topic, in which the bot is an administrator.
import type { TestContext } from "node:test";
import type { Person, SendExtra } from "../fakes/telegram-people.ts";
import { type FakeTelegram, startTelegramServer } from "../fakes/telegram-server.ts";
import type { SeenMessage } from "../fakes/telegram-transcript.ts";
import type { FakeChat } from "../fakes/telegram-types.ts";
import { type ChannelSpec, type Rig, type RigOptions, startStageGateway } from "./scene-gateway.ts";
import {
  type Actor,
  capital,
  groupTitle,
  type SendOptions,
  type Sight,
  type Stage,
  threadTitle,
  type Where,
} from "./scene-stage.ts";

interface Held {
  readonly name: string;
  readonly person: Person;
  readonly outside: boolean;
}

interface Cast {
  readonly fake: FakeTelegram;
  readonly group: FakeChat;
  readonly topic: number;
  readonly people: Held[];
  /** What people wrote into the group. */
  readonly written: { readonly by: string; readonly text: string; readonly id: number }[];
  /** Data of every button that was ever seen, by sight and label. */
  readonly buttons: Map<string, string>;
}

export function telegramChannel(fake: FakeTelegram): ChannelSpec {
  const config = { kind: "telegram", apiRoot: fake.url };
  return { id: "telegram", config, secrets: { token: fake.token } };
}

export async function telegramStage(
  t: TestContext,
  options: Omit<RigOptions, "channels"> = {},
): Promise<Stage> {
  const fake = await startTelegramServer();
  const after = async () => {
    fake.faults.clear();
    await fake.close();
  };
  const rig = await startStageGateway(t, { ...options, channels: [telegramChannel(fake)], after });
  return onTelegram(fake, rig);
}

export function onTelegram(fake: FakeTelegram, rig: Rig): Stage {
  const group = fake.group({ title: groupTitle, forum: true, joined: false });
  const founder = fake.user({ name: "Founder" });
  fake.membership(group, "administrator", founder);
  const topic = fake.topic(group, threadTitle, founder);
  const cast: Cast = { fake, group, topic, people: [], written: [], buttons: new Map() };
  return {
    platform: "telegram",
    rig,
    asides: { message: "direct", press: "notice", command: "direct" },
    slash: "/",
    commandsSeen: true,
    commandsInThreads: true,
    quotesInThreads: true,
    replies: true,
    removes: true,
    listener: "telegram",
    enter: (name, { bot = false, outside = false } = {}) => enter(cast, { name, bot, outside }),
    look: () => look(cast),
    gone: () => gone(cast),
    deeds: () => deeds(cast),
    sent: () => sent(cast),
    watch: (listener) => fake.watch(listener),
    transcript: () => transcript(cast),
  };
}

function enter(cast: Cast, who: { name: string; bot: boolean; outside: boolean }): Actor {
  const { fake, group } = cast;
  const { name, outside } = who;
  const person = fake.user({ name: capital(name) });
  person.user.is_bot = who.bot;
  cast.people.push({ name, person, outside });
  const direct = () => fake.privateChat(person);
  const data = ({ key }: Sight, label: string) => {
    const found = cast.buttons.get(`${key} ${label}`);
    if (!found) throw new Error(`${key} never had a button ${label}`);
    return found;
  };
  const says: Actor["says"] = (where, text, options = {}) => {
    const chat = where === "direct" ? direct() : group;
    const words = options.addressed ? `@${fake.me.username} ${text}` : text;
    const { messageId } = person.sends(chat, words, extra(cast, where, options));
    if (where !== "direct") cast.written.push({ by: name, text: words, id: messageId });
  };
  return {
    name,
    says,
    runs(where, command) {
      const [word = "", ...rest] = command.split(" ");
      const named = where === "direct" ? word : `${word}@${fake.me.username}`;
      says(where, [named, ...rest].join(" "));
    },
    presses(sight, label) {
      const [chat, id] = idsOf(sight);
      person.presses(chat, id, label);
    },
    replays(sight, label) {
      const ours = fake.messages(direct()).findLast(({ byBot }) => byBot);
      person.presses(direct(), ours?.id ?? 0, data(sight, label), { inaccessible: true });
    },
    pressesLate(sight, label) {
      const [chat, id] = idsOf(sight);
      person.presses(chat, id, data(sight, label), { inaccessible: true });
    },
  };
}

function idsOf({ key }: Sight): [number, number] {
  const [chat, id] = key.split(":");
  return [Number(chat), Number(id)];
}

function extra({ topic }: Cast, where: Where, { replyTo, file }: SendOptions): SendExtra {
  return {
    ...(where === "thread" ? { message_thread_id: topic } : {}),
    ...(replyTo ? { reply_to: idsOf(replyTo)[1] } : {}),
    ...(file ? { document: { name: file.name, content: file.content, mime: "text/plain" } } : {}),
  };
}

/** Chats of the platform, each with who is in it. */
function rooms({ fake, group, people }: Cast) {
  const inside = people.filter(({ outside }) => !outside).map(({ name }) => name);
  const known = people.filter(({ person }) => fake.world.rooms.has(person.user.id));
  return [
    { chat: group.id, seenBy: inside },
    ...known.map(({ name, person }) => ({ chat: person.user.id, seenBy: [name] })),
  ];
}

function look(cast: Cast): Sight[] {
  const { fake } = cast;
  const messages = rooms(cast).flatMap(({ chat, seenBy }) => {
    const all = fake.messages(chat);
    return all
      .filter(({ byBot }) => byBot)
      .map((message) => sightOf(cast, { chat, seenBy, message, all }));
  });
  const notices = [...fake.world.presses.values()].flatMap(({ id, from, answers }): Sight[] => {
    const who = cast.people.find(({ person }) => person.user.id === from.id)?.name ?? "?";
    return answers
      .filter(({ text }) => text !== "")
      .map(({ text }) => ({
        ...{ key: `press ${id}`, where: "notice", seenBy: [who], text, buttons: [] },
      }));
  });
  return [...messages, ...notices];
}

interface Found {
  readonly chat: number;
  readonly seenBy: readonly string[];
  readonly message: SeenMessage;
  readonly all: readonly SeenMessage[];
}

function sightOf(cast: Cast, { chat, seenBy, message, all }: Found): Sight {
  const { group, topic, buttons } = cast;
  const key = `${chat}:${message.id}`;
  for (const { text, callback_data } of message.buttons.flat())
    if (callback_data) buttons.set(`${key} ${text}`, callback_data);
  const answered = all.find(({ id }) => id === message.replyTo)?.from?.id;
  const quotes = cast.people.find(({ person }) => person.user.id === answered)?.name;
  const { file } = message;
  const within = message.thread === topic ? "thread" : "group";
  return {
    key,
    where: chat === group.id ? within : "direct",
    seenBy,
    text: message.text,
    buttons: message.buttons.flat().map(({ text }) => text),
    ...(quotes ? { quotes } : {}),
    ...(file ? { file: { name: file.name, text: Buffer.from(file.bytes ?? []).toString() } } : {}),
  };
}

function gone({ fake, group, written }: Cast): string[] {
  const there = new Set(fake.messages(group).map(({ id }) => id));
  return written.filter(({ id }) => !there.has(id)).map(({ by, text }) => `${by}: ${text}`);
}

function deeds({ fake, group }: Cast): string[] {
  return fake.calls
    .filter(({ params }) => Number(params.chat_id) === group.id)
    .map(({ method, params }) => `${method} ${String(params.text ?? params.action ?? "")}`);
}

/** What belongs to no chat (an answer to a press) is given with nobody. */
function sent(cast: Cast) {
  const chats = new Map(rooms(cast).map(({ chat, seenBy }) => [chat, seenBy]));
  return cast.fake.calls.map(({ params }) => ({
    seenBy: chats.get(Number(params.chat_id)) ?? [],
    raw: JSON.stringify(params),
  }));
}

function transcript(cast: Cast): string {
  return rooms(cast)
    .map(({ chat, seenBy }) => {
      const title = chat === cast.group.id ? groupTitle : `${seenBy[0]}, direct`;
      return `=== ${title}\n${cast.fake.transcript(chat)}`;
    })
    .join("\n");
}
