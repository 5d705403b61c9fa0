// The group of the scene on the fake Slack: a channel and one thread in it; a mention at the top is answered in a thread of its own.
import type { TestContext } from "node:test";
import type { Person } from "../fakes/slack-people.ts";
import type { SeenButton } from "../fakes/slack-pressing.ts";
import type { SeenMessage } from "../fakes/slack-seen.ts";
import { type FakeSlack, startSlackServer } from "../fakes/slack-server.ts";
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
  readonly fake: FakeSlack;
  readonly group: string;
  /** The ts of the message that the thread is about. */
  readonly thread: string;
  readonly people: Held[];
  /** What people wrote into the group. */
  readonly written: { readonly by: string; readonly text: string; readonly ts: string }[];
  /** Every button that was ever seen, by sight and label. */
  readonly buttons: Map<string, SeenButton>;
}

export interface SlackStage extends Stage {
  readonly fake: FakeSlack;
  readonly group: string;
  /** Hands of somebody whom the fake knows already. */
  handsOf(name: string, person: Person): Actor;
  personOf(name: string): Person;
  enter(name: string, how?: { bot?: boolean; outside?: boolean; guest?: boolean }): Actor;
}

export function slackChannel(fake: FakeSlack): ChannelSpec {
  const config = { kind: "slack", apiRoot: `${fake.url}/api` };
  return { id: "slack", config, secrets: { token: fake.token, appToken: fake.appToken } };
}

export async function slackStage(
  t: TestContext,
  options: Omit<RigOptions, "channels"> = {},
): Promise<SlackStage> {
  const fake = await startSlackServer();
  const rig = await startStageGateway(t, {
    ...options,
    channels: [slackChannel(fake)],
    after: () => fake.close(),
  });
  return onSlack(fake, rig);
}

export function onSlack(fake: FakeSlack, rig: Rig): SlackStage {
  const founder = fake.user({ name: "Founder" });
  const group = fake.channel({ name: groupTitle.toLowerCase(), members: [founder], shared: true });
  const thread = founder.sends(group, threadTitle);
  const cast: Cast = { fake, group, thread, people: [], written: [], buttons: new Map() };
  return {
    platform: "slack",
    fake,
    group,
    rig,
    asides: { message: "group", press: "group", command: "group" },
    slash: "/sallyport ",
    commandsSeen: false,
    commandsInThreads: false,
    quotesInThreads: false,
    replies: false,
    removes: false,
    listener: "slack",
    handsOf: (name, person) => hands(cast, name, person),
    personOf(name) {
      const found = cast.people.find((one) => one.name === name);
      if (!found) throw new Error(`there is no ${name}`);
      return found.person;
    },
    enter(name, { bot = false, outside = false, guest = false } = {}) {
      const person = fake.user({ name: capital(name), bot, guest });
      cast.people.push({ name, person, outside });
      if (!outside) person.joins(group);
      return hands(cast, name, person);
    },
    look: () => look(cast),
    gone: () => gone(cast),
    deeds: () => deeds(cast),
    sent: () => sent(cast),
    watch: (listener) => fake.watch(listener),
    transcript: () => transcript(cast),
  };
}

function hands(cast: Cast, name: string, person: Person): Actor {
  const { fake, group, thread } = cast;
  const room = (where: Where) => (where === "direct" ? fake.dm(person) : group);
  const button = ({ key }: Sight, label: string) => {
    const found = cast.buttons.get(`${key} ${label}`);
    if (!found) throw new Error(`${key} never had a button ${label}`);
    return found;
  };
  return {
    name,
    says(where, text, { addressed, file } = {}) {
      const ts = person.sends(room(where), text, {
        ...(addressed ? { mention: true } : {}),
        ...(where === "thread" ? { thread } : {}),
        ...(file ? { files: [file] } : {}),
      });
      if (where !== "direct") cast.written.push({ by: name, text, ts });
    },
    runs: (where, command) => void person.slash(room(where), "/sallyport", command.slice(1)),
    presses: (sight, label) => void person.presses(sight.key, label),
    replays(sight, label) {
      const ours = fake.messages(fake.dm(person)).findLast(({ byBot }) => byBot);
      person.presses(ours?.ts ?? "", label, { was: button(sight, label) });
    },
    pressesLate: (sight, label) =>
      void person.presses(sight.key, label, { was: button(sight, label) }),
  };
}

/** Conversations of the platform, each with who is in it. */
function rooms({ fake, group, people }: Cast) {
  const inside = people.filter(({ outside }) => !outside).map(({ name }) => name);
  return [
    { room: group, title: groupTitle, seenBy: inside },
    ...people.map(({ name, person }) => {
      return { room: fake.dm(person), title: `${name}, direct`, seenBy: [name] };
    }),
  ];
}

function look(cast: Cast): Sight[] {
  const lost = cast.people.flatMap(({ name, person }) =>
    person.errors.map((text, index): Sight => {
      const key = `error ${name} ${index}`;
      return { key, where: "notice", seenBy: [name], text, buttons: [] };
    }),
  );
  const messages = rooms(cast).flatMap(({ room, seenBy }) => {
    const all = cast.fake.messages(room);
    return all
      .filter(({ byBot }) => byBot)
      .map((message) => sightOf(cast, { room, seenBy, message, all }));
  });
  return [...messages, ...lost];
}

interface Found {
  readonly room: string;
  readonly seenBy: readonly string[];
  readonly message: SeenMessage;
  readonly all: readonly SeenMessage[];
}

function sightOf(cast: Cast, { room, seenBy, message, all }: Found): Sight {
  const { fake, group, people, buttons } = cast;
  const { ts: key, onlyFor, file, thread } = message;
  for (const one of message.buttons) buttons.set(`${key} ${one.text}`, one);
  const only = people.find(({ person }) => person.id === onlyFor)?.name;
  // In the thread that somebody's message opened: that is whom it answers.
  const asked = all.find(({ ts }) => ts === thread && ts !== cast.thread);
  const quotes = people.find(({ person }) => person.name === asked?.from)?.name;
  const content = [...fake.world.files.values()].find(({ name }) => name === file?.name);
  return {
    key,
    where: room !== group ? "direct" : thread === cast.thread ? "thread" : "group",
    seenBy: onlyFor ? [only ?? "?"] : seenBy,
    text: message.text,
    buttons: message.buttons.map(({ text }) => text),
    ...(quotes && !onlyFor ? { quotes } : {}),
    ...(file
      ? { file: { name: file.name, text: Buffer.from(content?.bytes ?? []).toString() } }
      : {}),
  };
}

function gone({ fake, group, written }: Cast): string[] {
  const there = new Set(fake.messages(group).map(({ ts }) => ts));
  return written.filter(({ ts }) => !there.has(ts)).map(({ by, text }) => `${by}: ${text}`);
}

const noticed = /^(?:chat|reactions|assistant|files|conversations\.(?:join|leave|set|mark))/;

function deeds({ fake, group }: Cast): string[] {
  return fake.calls
    .filter(({ method, params }) => {
      const there = (params.channel ?? params.channel_id) === group;
      return there && noticed.test(method);
    })
    .map(({ method, params }) => `${method} ${String(params.text ?? "")}`);
}

/** What is for one person, or belongs to no conversation, is given with nobody. */
function sent(cast: Cast) {
  const known = new Map(rooms(cast).map(({ room, seenBy }) => [room, seenBy]));
  return cast.fake.calls.map(({ method, params }) => ({
    seenBy: method === "chat.postEphemeral" ? [] : (known.get(String(params.channel)) ?? []),
    raw: JSON.stringify(params),
  }));
}

function transcript(cast: Cast): string {
  return rooms(cast)
    .map(({ room, title }) => `=== ${title}\n${cast.fake.transcript(room)}`)
    .join("\n");
}
