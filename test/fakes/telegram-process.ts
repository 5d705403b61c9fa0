// The fake Bot API server as a process of its own, told what to do over an IPC channel: see telegram-remote.ts
import { takeOrders } from "./remote.ts";
import type { Fault } from "./telegram-faults.ts";
import type { Person } from "./telegram-people.ts";
import {
  type FakeTelegram,
  startTelegramServer,
  type TelegramServerOptions,
} from "./telegram-server.ts";

interface Stage {
  fake: FakeTelegram;
  /** People by the id of their private chat with the bot. */
  people: Map<number, Person>;
}

export const ORDERS = {
  /** Makes people with private chats, and gives the chats' ids. */
  people({ fake, people }: Stage, { count }: { count: number }): number[] {
    return Array.from({ length: count }, (_, index) => {
      const person = fake.user({ name: `Person ${index + 1}` });
      const chat = fake.privateChat(person);
      people.set(chat.id, person);
      return chat.id;
    });
  },

  say(stage: Stage, { chat, text }: { chat: number; text: string }): number {
    return personOf(stage, chat).sends(chat, text).messageId;
  },

  press(stage: Stage, args: { chat: number; messageId: number; button: string }): string {
    return personOf(stage, args.chat).presses(args.chat, args.messageId, args.button).queryId;
  },

  /** Says all of it at once, in turn over the chats. `{n}` in the text is the number of the message. */
  sayMany(stage: Stage, args: { chats: number[]; text: string; count: number }): void {
    for (let number = 0; number < args.count; number += 1) {
      const chat = args.chats[number % args.chats.length] ?? 0;
      personOf(stage, chat).sends(chat, args.text.replace("{n}", String(number)));
    }
  },

  /** Says something and gives the milliseconds until the bot's next message in that chat has been taken. */
  roundTrip(stage: Stage, { chat, text }: { chat: number; text: string }): Promise<number> {
    return new Promise((resolve) => {
      const { fake } = stage;
      const begin = performance.now();
      fake.onCall(({ method, params }) => {
        if (method !== "sendMessage" || Number(params.chat_id) !== chat) return;
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

  async polled({ fake }: Stage, { timeoutMs }: { timeoutMs: number }): Promise<void> {
    await fake.waitFor(() => fake.queue.polling, { timeoutMs, what: "a poll" });
  },

  fault({ fake }: Stage, args: { method: string; times?: number; fault: Fault }): void {
    fake.faults.add(args.method, args.fault, { times: args.times ?? 1 });
  },

  counters: ({ fake }: Stage, _args: null) => fake.counters,

  transcript: ({ fake }: Stage, { chat }: { chat: number }): string => fake.transcript(chat),

  texts({ fake }: Stage, { chat }: { chat: number }): { byBot: boolean; text: string }[] {
    return fake.messages(chat).map(({ byBot, text }) => ({ byBot, text }));
  },
};

function personOf({ people }: Stage, chat: number): Person {
  const person = people.get(chat);
  if (!person) throw new Error(`no person has chat ${chat}`);
  return person;
}

async function main(): Promise<void> {
  const options = JSON.parse(process.argv[2] ?? "{}") as TelegramServerOptions;
  const fake = await startTelegramServer(options);
  const { url, token } = fake;
  takeOrders<Stage>(ORDERS, { fake, people: new Map() }, { url, token });
}

if (process.argv[1] === import.meta.filename) await main();
