// A desk that is used by letters: one message per task, files in it, no edits, decisions by a word.
import { setTimeout as delay } from "node:timers/promises";
import { addInvite, hmacOf, makeCode } from "../../src/access/codes.ts";
import type { Channel, Listener, Part, SendKey } from "../../src/core/channel.ts";
import type { InboundMessage } from "../../src/core/events.ts";
import type { Address } from "../../src/core/words.ts";
import type { Store } from "../../src/store/store.ts";
import { createDesk, type Desk } from "./desk.ts";

export interface Sent {
  readonly to: Address;
  readonly part: Part;
  readonly key: SendKey;
}

export interface Letters extends Desk {
  /** All that went out, oldest first. */
  readonly sent: Sent[];
  /** What would be seen before an answer: there must be none. */
  readonly early: string[];
  /** Looks at each before it goes out; what it throws is what the platform says. */
  onSend(look: (one: Sent) => unknown): void;
  /** Work that begins from now on is said to go on after so long, ms. */
  goesOnAfter(ms: number): void;
  /** Of one person, oldest first. */
  to(account: string): Sent[];
  /** Resolves with what comes after this many of them. */
  after(account: string, count: number): Promise<Sent>;
  /** In a thread of theirs. */
  write(account: string, text: string, more?: Writing): Promise<InboundMessage>;
}

interface Writing extends Partial<InboundMessage> {
  readonly thread?: string;
}

export interface LettersOptions {
  readonly file?: number;
  readonly patience?: number;
  readonly id?: string;
}

export const day = 24 * 3_600_000;

export function createLetters(options: LettersOptions = {}): Letters {
  const { file = 20_000_000, patience = day, id = "post" } = options;
  const desk = createDesk(id, { buttons: 0, file });
  const sent: Sent[] = [];
  const early: string[] = [];
  let look: (one: Sent) => unknown = () => undefined;
  const listener: Listener & { progressAfter?: number } = {
    ...desk.listener,
    async showTyping() {
      early.push("typing");
    },
    async send(to, part, key) {
      const one = { to, part, key };
      await look(one);
      sent.push(one);
      return await desk.listener.send(to, part, key);
    },
  };
  delete listener.edit;
  const channel: Channel = {
    ...desk.channel,
    oneMessage: true,
    decidesByWord: true,
    patience,
    render: (text) => [{ plain: text }],
    open: () => listener,
  };
  return {
    ...desk,
    channel,
    listener,
    sent,
    early,
    onSend(next) {
      look = next;
    },
    goesOnAfter(ms) {
      listener.progressAfter = ms;
    },
    to: (account) => sent.filter(({ to }) => to.chat === account),
    async after(account, count) {
      for (const deadline = Date.now() + 10_000; ; await delay(5)) {
        const next = sent.filter(({ to }) => to.chat === account)[count];
        if (next) return next;
        if (Date.now() > deadline)
          throw new Error(`Nothing came after:\n${desk.see(account).at(-1)}`);
      }
    },
    write(account, text, { thread = "t1", ...more } = {}) {
      return desk.say(account, text, { chat: { id: account, kind: "direct", thread }, ...more });
    },
  };
}

/** Links an account on a further channel of the spine, by a real code. */
export async function joinOn(
  store: Store,
  desk: Desk,
  { account, name, role = "owner" }: { account: string; name: string; role?: Role },
): Promise<void> {
  const code = makeCode();
  const invite = { hmac: hmacOf(Buffer.alloc(32, 7), code), name, role, now: Date.now() };
  await store.run(() => addInvite(invite));
  await desk.say(account, `join ${code}`);
  await desk.until(/Welcome/, account);
}

type Role = "owner" | "authenticated";
