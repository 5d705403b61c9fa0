// The fake platforms as a bench drives them: each in a process of its own, all by the same orders.
import { startDiscordProcess } from "../fakes/discord-remote.ts";
import { startSlackProcess } from "../fakes/slack-remote.ts";
import { startTelegramProcess } from "../fakes/telegram-remote.ts";

export interface Platform {
  readonly channel: PlatformName;
  readonly url: string;
  /** What the CLI takes as `--api-root`. */
  readonly apiRoot: string;
  readonly token: string;
  readonly appToken?: string;
  readonly pid: number;
  /** People with direct chats. */
  people(count: number): Promise<Person[]>;
  /** Says all of it at once, in turn over the chats. `{n}` in the text is the number of the message. */
  sayMany(it: { chats: readonly string[]; text: string; count: number }): Promise<unknown>;
  /** Gives the milliseconds until the bot's answer was taken. */
  roundTrip(it: { chat: string; text: string }): Promise<number>;
  /** Waits until the bot has sent that many messages in all. */
  sent(count: number, timeoutMs: number): Promise<unknown>;
  counted(): Promise<Counted>;
  /** Waits until somebody hears. */
  heard(timeoutMs: number): Promise<unknown>;
  texts(chat: string): Promise<{ byBot: boolean; text: string }[]>;
  close(): Promise<void>;
}

export interface Person {
  readonly chat: string;
  readonly account: string;
}

export interface Counted {
  readonly sent: number;
  /** Goes up when somebody comes to hear. */
  readonly comings: number;
}

interface Options {
  /** Keep every message, to look at in the end. */
  readonly record: boolean;
}

async function telegram(options: Options): Promise<Platform> {
  const remote = await startTelegramProcess(options);
  const { order } = remote;
  return {
    ...{ ...remote, channel: "telegram", apiRoot: remote.url },
    people: async (count) =>
      (await order("people", { count })).map(String).map((id) => ({ chat: id, account: id })),
    sayMany: ({ chats, ...it }) => order("sayMany", { ...it, chats: chats.map(Number) }),
    roundTrip: ({ chat, text }) => order("roundTrip", { chat: Number(chat), text }),
    sent: (count, timeoutMs) => order("sent", { count, timeoutMs }),
    async counted() {
      const { sent, calls } = await order("counters", null);
      return { sent, comings: calls.getUpdates ?? 0 };
    },
    heard: (timeoutMs) => order("polled", { timeoutMs }),
    texts: (chat) => order("texts", { chat: Number(chat) }),
  };
}

async function discord(options: Options): Promise<Platform> {
  const remote = await startDiscordProcess(options);
  const { order } = remote;
  return {
    ...{ ...remote, channel: "discord", apiRoot: remote.url },
    async people(count) {
      const chats = await order("people", { count });
      const accounts = await order("accounts", { chats });
      return chats.map((chat, index) => ({ chat, account: accounts[index] ?? "" }));
    },
    sayMany: ({ chats, ...it }) => order("sayMany", { ...it, chats: [...chats] }),
    roundTrip: (it) => order("roundTrip", it),
    sent: (count, timeoutMs) => order("sent", { count, timeoutMs }),
    async counted() {
      const { sent, identifies, resumed } = await order("counters", null);
      return { sent, comings: identifies + resumed };
    },
    heard: (timeoutMs) => order("connected", { timeoutMs }),
    texts: (chat) => order("texts", { chat }),
  };
}

async function slack(options: Options): Promise<Platform> {
  const remote = await startSlackProcess(options);
  const { order, team } = remote;
  return {
    ...{ ...remote, channel: "slack", apiRoot: `${remote.url}/api` },
    async people(count) {
      const people = await order("people", { count });
      return people.map(({ chat, user }) => ({ chat, account: `${team}:${user}` }));
    },
    sayMany: ({ chats, ...it }) => order("sayMany", { ...it, chats: [...chats] }),
    roundTrip: (it) => order("roundTrip", it),
    sent: (count, timeoutMs) => order("sent", { count, timeoutMs }),
    async counted() {
      const { sent, opened } = await order("counters", null);
      return { sent, comings: opened };
    },
    heard: (timeoutMs) => order("connected", { timeoutMs }),
    texts: (chat) => order("texts", { chat }),
  };
}

export const platforms = { telegram, discord, slack };
export type PlatformName = keyof typeof platforms;

export function isPlatform(name: string): name is PlatformName {
  return name in platforms;
}
