// The fake Discord as a process of its own, told what to do over an IPC channel: see discord-remote.ts
import type { Fault } from "./discord-faults.ts";
import type { Person } from "./discord-people.ts";
import {
  type DiscordServerOptions,
  type FakeDiscord,
  startDiscordServer,
} from "./discord-server.ts";
import type { Id } from "./discord-types.ts";
import { takeOrders } from "./remote.ts";

interface Stage {
  fake: FakeDiscord;
  /** People by the id of their direct chat with the bot. */
  people: Map<Id, Person>;
}

export const ORDERS = {
  /** Makes people with direct chats, and gives the chats' ids. */
  people({ fake, people }: Stage, { count }: { count: number }): Id[] {
    return Array.from({ length: count }, (_, index) => {
      const person = fake.user({ name: `Person ${index + 1}` });
      const { id } = fake.dm(person);
      people.set(id, person);
      return id;
    });
  },

  /** Who has these direct chats. */
  accounts: (stage: Stage, { chats }: { chats: Id[] }): Id[] =>
    chats.map((chat) => personOf(stage, chat).id),

  say(stage: Stage, { chat, text }: { chat: Id; text: string }): Id {
    return personOf(stage, chat).sends(chat, text).messageId;
  },

  press(stage: Stage, args: { chat: Id; messageId: Id; button: string }): Id {
    return personOf(stage, args.chat).presses(args.messageId, args.button).interactionId;
  },

  /** Says all of it at once, in turn over the chats. `{n}` in the text is the number of the message. */
  sayMany(stage: Stage, args: { chats: Id[]; text: string; count: number }): void {
    for (let number = 0; number < args.count; number += 1) {
      const chat = args.chats[number % args.chats.length] ?? "";
      personOf(stage, chat).sends(chat, args.text.replace("{n}", String(number)));
    }
  },

  /** Says something and gives the milliseconds until the bot's next message in that chat has been taken. */
  roundTrip(stage: Stage, { chat, text }: { chat: Id; text: string }): Promise<number> {
    return new Promise((resolve) => {
      const { fake } = stage;
      const begin = performance.now();
      fake.onCall(({ route, params }) => {
        if (route !== "createMessage" || params.channel !== chat) return;
        fake.onCall(undefined);
        resolve(performance.now() - begin);
      });
      personOf(stage, chat).sends(chat, text);
    });
  },

  /** Waits until the bot has sent that many messages in all. */
  async sent({ fake }: Stage, args: { count: number; timeoutMs: number }): Promise<number> {
    const what = `message ${args.count} of the bot`;
    const { timeoutMs } = args;
    await fake.waitFor(() => fake.counters.sent >= args.count, { timeoutMs, what });
    return fake.counters.sent;
  },

  async connected({ fake }: Stage, { timeoutMs }: { timeoutMs: number }): Promise<void> {
    await fake.waitFor(() => fake.gateway.connected, { timeoutMs, what: "a session" });
  },

  fault({ fake }: Stage, args: { route: string; times?: number; fault: Fault }): void {
    fake.faults.add(args.route, args.fault, { times: args.times ?? 1 });
  },

  drop: ({ fake }: Stage, _args: null) => fake.gateway.drop(),

  counters: ({ fake }: Stage, _args: null) => fake.counters,

  transcript: ({ fake }: Stage, { chat }: { chat: Id }): string => fake.transcript(chat),

  texts({ fake }: Stage, { chat }: { chat: Id }): { byBot: boolean; text: string }[] {
    return fake.messages(chat).map(({ byBot, text }) => ({ byBot, text }));
  },
};

function personOf({ people }: Stage, chat: Id): Person {
  const person = people.get(chat);
  if (!person) throw new Error(`no person has chat ${chat}`);
  return person;
}

async function main(): Promise<void> {
  const options = JSON.parse(process.argv[2] ?? "{}") as DiscordServerOptions;
  const fake = await startDiscordServer(options);
  const { url, token } = fake;
  takeOrders<Stage>(ORDERS, { fake, people: new Map() }, { url, token });
}

if (process.argv[1] === import.meta.filename) await main();
