// The Discord listener on the fake Discord, as a rig for the channel contract.

import assert from "node:assert/strict";
import { once } from "node:events";
import { channel } from "../../channels/discord/index.ts";
import { type ChannelContext, type Listener, SendError } from "../../src/core/channel.ts";
import type { Log } from "../../src/core/log.ts";
import type { Address } from "../../src/core/words.ts";
import { createGuardedFetch } from "../../src/net/guarded-fetch.ts";
import { readMarkdown } from "../fakes/discord-markdown.ts";
import {
  type DiscordServerOptions,
  type FakeDiscord,
  startDiscordServer,
} from "../fakes/discord-server.ts";
import { notesInMemory } from "../fakes/notes.ts";
import { type Fault, inbox, type Rig, type Seen } from "./rig.ts";

const soon = { deafSeconds: 2.5 };

export async function openDiscord(
  options: DiscordServerOptions & { readonly config?: Record<string, unknown> } = {},
) {
  const { config, ...server } = options;
  const fake = await startDiscordServer({ heartbeatMs: 400, ...server });
  const people = { ana: fake.user({ name: "Ana" }), ben: fake.user({ name: "Ben" }) };
  const { ana } = people;
  const guild = fake.guild({ title: "Work", members: [ana, people.ben] });
  const rooms = { dm: fake.dm(ana), general: fake.textChannel(guild, "general") };
  const thread = fake.thread(rooms.general, "builds", { by: ana });
  const log: string[] = [];
  const kept = new Map<string, string>();
  const { closeAll, context } = contextFor(log, kept);
  const ends = new Set<string>();
  const open = () =>
    ending(
      channel.open({ token: fake.token, apiRoot: fake.url, ...soon, ...config }, context),
      ends,
    );
  const at = (chat: string, inside?: string): Address => ({
    ...{ listener: "discord", chat },
    ...(inside === undefined ? {} : { thread: inside }),
  });
  const here: Here = { fake, ends, kept, threads: new Map([[thread.id, rooms.general.id]]) };
  const places = {
    direct: at(rooms.dm.id),
    group: at(rooms.general.id),
    thread: at(rooms.general.id, thread.id),
  };
  const rig: Rig = {
    ...{ channel, listener: open(), ...places, again: open },
    ...peopleOf(here, people),
    visible: (place) => seenIn(here, place),
    until: (what, check) => until(fake, what, check),
    unconfirmed: () => unconfirmed(here, rooms.dm.id),
    notices: () => fake.ephemerals(ana).map(({ text }) => readMarkdown(text).text),
    typing: () => typingIn(here),
    faults: faultsOf(fake),
    revoke: () => fake.revokeToken(),
    deafen: () => {
      fake.gateway.noHeartbeatAck();
      fake.gateway.deafen();
      fake.gateway.noHello(Number.POSITIVE_INFINITY);
    },
    close: async () => {
      await closeAll();
      await fake.close().catch((error) => {
        if (error?.code !== "ERR_SERVER_NOT_RUNNING") throw error;
      });
    },
  };
  return { fake, rig, log, kept, context, guild, thread, ...people, ...rooms };
}

export type Discord = Awaited<ReturnType<typeof openDiscord>>;

export async function withDiscord(
  work: (discord: Discord) => Promise<void>,
  options: Parameters<typeof openDiscord>[0] = {},
): Promise<void> {
  const discord = await openDiscord(options);
  try {
    await work(discord);
  } finally {
    await discord.rig.listener.stop();
    await discord.rig.close();
  }
}

interface Here {
  readonly fake: FakeDiscord;
  /** The last message of each send: one that is too long for a message of Discord is several. */
  readonly ends: Set<string>;
  readonly kept: ReadonlyMap<string, string>;
  readonly threads: ReadonlyMap<string, string>;
}

function contextFor(log: string[], kept: Map<string, string>) {
  const clients: ReturnType<typeof createGuardedFetch>[] = [];
  const context: ChannelContext = {
    listener: "discord",
    log: logTo(log),
    notes: notesInMemory(kept),
    fetchFrom(root) {
      const client = createGuardedFetch({ allow: { root } });
      clients.push(client);
      return client.fetch;
    },
  };
  const closeAll = () => Promise.all(clients.map((client) => client.close()));
  return { closeAll, context };
}

function ending(listener: Listener, ends: Set<string>): Listener {
  return {
    ...listener,
    async send(...given) {
      const ref = await listener.send(...given);
      ends.add(ref.id);
      return ref;
    },
  };
}

type Person = ReturnType<FakeDiscord["user"]>;

function peopleOf(
  { fake }: Here,
  { ana, ben }: { readonly ana: Person; readonly ben: Person },
): Pick<Rig, "says" | "noise" | "presses" | "sendsFile"> {
  const room = ({ chat, thread }: Address) => thread ?? chat;
  const isDirect = ({ chat }: Address) => fake.world.channelOf(chat).person !== undefined;
  return {
    says: (place, text, addressed = true) => {
      ana.sends(room(place), text, { mention: addressed && !isDirect(place) });
    },
    noise(place) {
      const robot = fake.user({ name: "Robot", bot: true });
      fake.world.channelOf(place.chat).guild?.members.set(robot.id, robot.user);
      robot.sends(room(place), "do it", { mention: true });
      ben.sends(room(place), "do it", { mention: true, webhook: "Hook" });
      for (const type of [6, 7, 8, 18, 21, 46]) ben.sends(room(place), "do it", { type });
    },
    presses(place, label) {
      const message = fake.messages(room(place)).findLast(({ buttons }) => buttons.length > 0);
      ana.presses(message?.id ?? "", label);
    },
    sendsFile(place, name, content) {
      ana.sends(room(place), "", { files: [{ name, content, mime: "text/plain" }] });
    },
  };
}

/** As people read it; what one send made is one message to the contract. */
function seenIn({ fake, ends }: Here, { chat, thread }: Address): Seen[] {
  const seen: Seen[] = [];
  let goesOn = false;
  for (const { id, byBot, text, buttons, files } of fake.messages(thread ?? chat)) {
    const before = goesOn ? seen.pop() : undefined;
    const file = before?.file ?? files[0]?.name;
    const shown = readMarkdown(text).text;
    seen.push({
      text: before ? `${before.text} ${shown}` : shown,
      buttons: buttons.flat().map((button) => button.text),
      ...(file ? { file } : {}),
      ours: byBot,
    });
    goesOn = byBot && !ends.has(id);
  }
  return seen;
}

/** What a restart would read again. */
function unconfirmed({ fake, kept }: Here, chat: string): number {
  const read = BigInt(kept.get(`direct:${chat}`) ?? "0");
  return fake.messages(chat).filter(({ byBot, id }) => !byBot && BigInt(id) > read).length;
}

function typingIn({ fake, threads }: Here) {
  return fake.typing.map((id) => {
    const chat = threads.get(id);
    return chat ? { chat, thread: id } : { chat: id };
  });
}

/** The fake knows of changes on its side only, so that the listener's own are looked for now and then. */
async function until(fake: FakeDiscord, what: string, check: () => boolean): Promise<void> {
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
  const late = AbortSignal.timeout(20_000);
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

/** Discord refuses no formatting. */
function faultsOf(fake: FakeDiscord): Partial<Record<Fault, () => void>> {
  const refuse = (status: number, code: number, message: string) =>
    fake.faults.refuse("createMessage", { status, code, message });
  return {
    "rate-limited": () => fake.faults.limit("createMessage", { retryAfter: 7 }),
    "too-long": () => refuse(400, 50035, "Invalid Form Body"),
    gone: () => refuse(403, 50007, "Cannot send messages to this user"),
    "not-sent": () => void fake.close(),
    unknown: () => fake.faults.drop("createMessage"),
  };
}

function logTo(lines: string[]): Log {
  const write = (fields: unknown, message: string) => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  return { debug: write, info: write, warn: write, error: write };
}

export const menu = [
  { command: "stop", description: "Stop what runs" },
  { command: "Tasks", description: "d".repeat(150) },
];

/** What a send that must fail fails with. */
export async function failure(work: Promise<unknown> | undefined): Promise<SendError> {
  const error = await work?.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof SendError, String(error));
  return error;
}

/** Ana gave a command, and waits. */
export async function asked({ rig, ana, general }: Discord) {
  const box = inbox();
  await rig.listener.start(box.accept);
  await rig.listener.setMenu?.(menu);
  const { interactionId: id } = ana.slash(general, "tasks");
  await rig.until("the command", () => box.events.length === 1);
  return { account: ana.id, press: { id } };
}
