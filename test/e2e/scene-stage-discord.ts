// The group of the scene on the fake Discord: a server with one text channel and one thread, in which the bot may manage messages.
import type { TestContext } from "node:test";
import type { Person } from "../fakes/discord-people.ts";
import { type FakeDiscord, startDiscordServer } from "../fakes/discord-server.ts";
import type { SeenMessage } from "../fakes/discord-transcript.ts";
import type { Channel, Guild } from "../fakes/discord-types.ts";
import { type ChannelSpec, type Rig, type RigOptions, startStageGateway } from "./scene-gateway.ts";
import {
  type Actor,
  capital,
  groupTitle,
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
  readonly fake: FakeDiscord;
  readonly guild: Guild;
  readonly group: Channel;
  readonly thread: Channel;
  readonly people: Held[];
  /** What people wrote into the group. */
  readonly written: { readonly by: string; readonly text: string; readonly id: string }[];
  /** Data of every button that was ever seen, by sight and label. */
  readonly buttons: Map<string, string>;
}

export function discordChannel(fake: FakeDiscord): ChannelSpec {
  const config = { kind: "discord", apiRoot: fake.url };
  return { id: "discord", config, secrets: { token: fake.token } };
}

export async function discordStage(
  t: TestContext,
  options: Omit<RigOptions, "channels"> = {},
): Promise<Stage> {
  const fake = await startDiscordServer();
  const after = async () => {
    fake.faults.clear();
    await fake.close();
  };
  const rig = await startStageGateway(t, { ...options, channels: [discordChannel(fake)], after });
  return onDiscord(fake, rig);
}

export async function onDiscord(fake: FakeDiscord, rig: Rig): Promise<Stage> {
  const founder = fake.user({ name: "Founder" });
  const guild = fake.guild({ title: groupTitle, members: [founder] });
  fake.permit(guild, "ManageMessages");
  const group = fake.textChannel(guild, groupTitle.toLowerCase());
  const thread = fake.thread(group, threadTitle, { by: founder });
  await fake.waitFor(({ commands }) => commands.length > 0, { what: "the slash commands" });
  const cast: Cast = { fake, guild, group, thread, people: [], written: [], buttons: new Map() };
  return {
    platform: "discord",
    rig,
    asides: { message: "direct", press: "group", command: "group" },
    slash: "/",
    commandsSeen: false,
    commandsInThreads: true,
    quotesInThreads: true,
    replies: true,
    removes: true,
    listener: "discord",
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
  const { fake, guild, group, thread } = cast;
  const { name, bot, outside } = who;
  const person = fake.user({ name: capital(name), bot });
  cast.people.push({ name, person, outside });
  if (!outside) fake.join(guild, person);
  const room = (where: Where) =>
    where === "direct" ? fake.dm(person) : where === "thread" ? thread : group;
  const data = ({ key }: Sight, label: string) => {
    const found = cast.buttons.get(`${key} ${label}`);
    if (!found) throw new Error(`${key} never had a button ${label}`);
    return found;
  };
  const says: Actor["says"] = (where, text, { addressed, replyTo, file } = {}) => {
    const { messageId } = person.sends(room(where), text, {
      ...(addressed ? { mention: true } : {}),
      ...(replyTo ? { replyTo: replyTo.key } : {}),
      ...(file ? { files: [file] } : {}),
    });
    if (where !== "direct") cast.written.push({ by: name, text, id: messageId });
  };
  return {
    name,
    says,
    runs(where, command) {
      const [, word = "", text = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(command) ?? [];
      person.slash(room(where), word, text ? { text } : {});
    },
    presses: (sight, label) => void person.presses(sight.key, label),
    replays(sight, label) {
      const ours = fake.messages(fake.dm(person)).findLast(({ byBot }) => byBot);
      person.presses(ours?.id ?? "", data(sight, label), { stale: true });
    },
    pressesLate: (sight, label) =>
      void person.presses(sight.key, data(sight, label), { stale: true }),
  };
}

/** Channels of the platform, each with who is in it. */
function rooms({ fake, group, thread, people }: Cast) {
  const inside = people.filter(({ outside }) => !outside).map(({ name }) => name);
  return [
    { room: group, where: "group", title: groupTitle, seenBy: inside } as const,
    { room: thread, where: "thread", title: threadTitle, seenBy: inside } as const,
    ...people.map(({ name, person }) => {
      const room = fake.world.directWith(person.user);
      return { room, where: "direct", title: `${name}, direct`, seenBy: [name] } as const;
    }),
  ];
}

function look(cast: Cast): Sight[] {
  const { fake } = cast;
  const failed = [...fake.world.interactions.keys()]
    .map((id) => ({ id, ...fake.interaction(id) }))
    .filter((one) => one.failed)
    .map(({ id, by }): Sight => {
      const who = cast.people.find(({ person }) => person.id === by.id)?.name ?? "?";
      const text = "This interaction failed";
      return { key: `press ${id}`, where: "notice", seenBy: [who], text, buttons: [] };
    });
  const messages = rooms(cast).flatMap(({ room, where, seenBy }) => {
    const all = fake.messages(room);
    return all
      .filter(({ byBot }) => byBot)
      .map((message) => sightOf(cast, { where, seenBy, message, all }));
  });
  return [...messages, ...failed];
}

interface Found {
  readonly where: Where;
  readonly seenBy: readonly string[];
  readonly message: SeenMessage;
  readonly all: readonly SeenMessage[];
}

function sightOf({ people, buttons }: Cast, { where, seenBy, message, all }: Found): Sight {
  const nameOf = (id: string | undefined) => people.find(({ person }) => person.id === id)?.name;
  const { id: key, onlyFor, thinking } = message;
  for (const { text, customId } of message.buttons.flat())
    if (customId) buttons.set(`${key} ${text}`, customId);
  const answered = all.find(({ id }) => id === message.replyTo)?.from.id;
  const quotes = nameOf(answered);
  const [file] = message.files;
  return {
    key,
    where,
    seenBy: onlyFor ? [nameOf(onlyFor.id) ?? "?"] : seenBy,
    text: thinking ? "thinking…" : asRead(message.text),
    buttons: message.buttons.flat().map(({ text }) => text),
    ...(quotes ? { quotes } : {}),
    ...(file ? { file: { name: file.name, text: Buffer.from(file.bytes ?? []).toString() } } : {}),
  };
}

/** Without the marks of its looks. */
function asRead(text: string): string {
  const marks = /\\([^\w\s])|\*{1,2}|```\w*\n?|`/g;
  return text.replace(marks, (_, escaped?: string) => escaped ?? "").trimEnd();
}

function gone({ fake, group, thread, written }: Cast): string[] {
  const there = new Set([group, thread].flatMap((room) => fake.messages(room)).map(({ id }) => id));
  return written.filter(({ id }) => !there.has(id)).map(({ by, text }) => `${by}: ${text}`);
}

/** Reading is not noticed by anybody, nor is that a press was taken. */
function deeds({ fake, group, thread }: Cast): string[] {
  return fake.calls
    .filter(({ method, params }) => {
      const there = params.channel === group.id || params.channel === thread.id;
      return there && method !== "GET";
    })
    .map(({ route, params }) => `${route} ${String(params.content ?? "")}`);
}

/** What belongs to no channel (answers to presses and commands) is given with nobody. */
function sent(cast: Cast) {
  const known = new Map(rooms(cast).map(({ room, seenBy }) => [room.id, seenBy]));
  return cast.fake.calls.map(({ params }) => ({
    seenBy: known.get(String(params.channel)) ?? [],
    raw: JSON.stringify(params),
  }));
}

function transcript(cast: Cast): string {
  return rooms(cast)
    .map(({ room, title }) => `=== ${title}\n${cast.fake.transcript(room)}`)
    .join("\n");
}
