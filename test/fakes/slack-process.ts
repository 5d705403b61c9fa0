// The fake Slack as a process of its own, told what to do over an IPC channel: see slack-remote.ts
import { takeOrders } from "./remote.ts";
import type { SlackServerOptions } from "./slack-options.ts";
import type { Person } from "./slack-people.ts";
import { type FakeSlack, startSlackServer } from "./slack-server.ts";
import type { Fault } from "./telegram-faults.ts";

interface Stage {
  fake: FakeSlack;
  /** People by the id of their direct conversation with the app. */
  people: Map<string, Person>;
}

export const ORDERS = {
  /** Makes people, and gives the ids of them and of their direct conversations with the app. */
  people({ fake, people }: Stage, { count }: { count: number }): { chat: string; user: string }[] {
    return Array.from({ length: count }, (_, index) => {
      const person = fake.user({ name: `Person ${index + 1}` });
      const chat = fake.dm(person);
      people.set(chat, person);
      return { chat, user: person.id };
    });
  },

  say(stage: Stage, { chat, text }: { chat: string; text: string }): string {
    return personOf(stage, chat).sends(chat, text);
  },

  press(stage: Stage, args: { chat: string; ts: string; button: string }): void {
    personOf(stage, args.chat).presses(args.ts, args.button);
  },

  /** Says all of it at once, in turn over the conversations. `{n}` in the text is the number of the message. */
  sayMany(stage: Stage, args: { chats: string[]; text: string; count: number }): void {
    for (let number = 0; number < args.count; number += 1) {
      const chat = args.chats[number % args.chats.length] ?? "";
      personOf(stage, chat).sends(chat, args.text.replace("{n}", String(number)));
    }
  },

  /** Says something and gives the milliseconds until the app's next message there has been taken. */
  roundTrip(stage: Stage, { chat, text }: { chat: string; text: string }): Promise<number> {
    return new Promise((resolve) => {
      const { fake } = stage;
      const begin = performance.now();
      fake.onCall(({ method, params }) => {
        if (method !== "chat.postMessage" || params.channel !== chat) return;
        fake.onCall(undefined);
        resolve(performance.now() - begin);
      });
      personOf(stage, chat).sends(chat, text);
    });
  },

  /** Waits until the app has sent that many messages in all. */
  async sent({ fake }: Stage, args: { count: number; timeoutMs: number }): Promise<number> {
    const what = `message ${args.count} of the app`;
    const { timeoutMs } = args;
    await fake.waitFor(() => fake.counters.sent >= args.count, { timeoutMs, what });
    return fake.counters.sent;
  },

  async connected({ fake }: Stage, { timeoutMs }: { timeoutMs: number }): Promise<void> {
    await fake.waitFor(() => fake.sockets.open > 0, { timeoutMs, what: "a socket" });
  },

  fault({ fake }: Stage, args: { method: string; times?: number; fault: Fault }): void {
    fake.faults.add(args.method, args.fault, { times: args.times ?? 1 });
  },

  counters: ({ fake }: Stage, _args: null) => ({
    ...fake.counters,
    unconfirmed: fake.unconfirmed,
    opened: fake.sockets.opened,
  }),

  transcript: ({ fake }: Stage, { chat }: { chat: string }): string => fake.transcript(chat),

  texts({ fake }: Stage, { chat }: { chat: string }): { byBot: boolean; text: string }[] {
    return fake.messages(chat).map(({ byBot, text }) => ({ byBot, text }));
  },
};

function personOf({ people }: Stage, chat: string): Person {
  const person = people.get(chat);
  if (!person) throw new Error(`no person has conversation ${chat}`);
  return person;
}

async function main(): Promise<void> {
  const options = JSON.parse(process.argv[2] ?? "{}") as SlackServerOptions;
  const fake = await startSlackServer(options);
  const { url, token, appToken, me } = fake;
  const way = { url, token, appToken, team: me.team };
  takeOrders<Stage>(ORDERS, { fake, people: new Map() }, way);
}

if (process.argv[1] === import.meta.filename) await main();
