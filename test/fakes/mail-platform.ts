// What lies between people and the agent: mail goes in one after the other, what comes out is put in front of people.
import { type HoldMail, MailHolds } from "./mail-holds.ts";
import { MailPerson, type Post } from "./mail-person.ts";
import { readAloud, type SeenMail, seenMail, seenOf } from "./mail-seen.ts";
import { type DomainKey, signed } from "./mail-signed.ts";
import type { SentMail } from "./mail-smtp.ts";
import { type WaitOptions, Watchers } from "./watchers.ts";

/** What happened, in its order: a mail to the agent, or one from it. */
export interface Happening {
  readonly is: "written" | "got";
  readonly by: string;
  readonly mail: SeenMail;
}

interface Parts {
  readonly agent: string;
  readonly keys: ReadonlyMap<string, DomainKey>;
  /** Into the agent's mailbox. */
  readonly deliver: (raw: Buffer) => Promise<void>;
}

const storyMost = 200_000;

export function openPlatform(parts: Parts) {
  const { story, watchers, ...telling } = openStory();
  const sent: SeenMail[] = [];
  const people = new Map<string, MailPerson>();
  const holds = new MailHolds();
  const mailroom = openMailroom(parts);
  const post: Post = {
    agent: parts.agent,
    send(letter) {
      const put = mailroom.put(letter);
      const delivered = put.done.then(async (raw) => {
        // Enough to tell the story: large ones take seconds.
        const beginning = raw.subarray(0, storyMost);
        const mail = await seenMail(beginning, { from: letter.from, to: [parts.agent] });
        story.push({ is: "written", by: letter.from, mail });
        watchers.changed();
        return raw;
      });
      delivered.catch(() => undefined);
      return { uid: put.uid, delivered };
    },
  };
  const person = (address: string, name = address.split("@")[0] ?? address) => {
    const key = address.toLowerCase();
    const found = people.get(key) ?? new MailPerson(post, { address, name });
    people.set(key, found);
    return found;
  };
  const gets = async (address: string, mail: SeenMail) => {
    if (address.toLowerCase() === parts.agent) {
      const by = parts.agent.split("@")[1];
      return void (await mailroom.put({ raw: async () => mail.raw, from: mail.from, by }).done);
    }
    story.push({ is: "got", by: address, mail });
    person(address).gets(mail);
  };
  return {
    end: () => holds.clear(),
    /** The whole mail is there, and not yet acknowledged. */
    async taken({ from, to, raw, parsed }: SentMail) {
      const mail = seenOf(parsed, raw, { from, to });
      const held = holds.take(mail);
      if (held?.when === "before") await held.until;
      sent.push(mail);
      for (const address of to) await gets(address, mail);
      watchers.changed();
      if (held?.when === "stored") await held.until;
    },
    town: {
      story,
      sent,
      person,
      deliver: mailroom.deliver,
      settled: mailroom.settled,
      hold: (how: HoldMail) => holds.add(how),
      ...telling,
    },
  };
}

function openStory() {
  const watchers = new Watchers();
  const story: Happening[] = [];
  return {
    story,
    watchers,
    watch: (listener: () => void) => watchers.watch(listener),
    nudge: () => watchers.changed(),
    waitFor: <T>(look: () => T | undefined | null | false, options?: WaitOptions) =>
      watchers.waitFor(look, () => told(story), { timeoutMs: 15_000, ...options }),
    transcript: (address?: string) => told(story, address),
  };
}

/** One at a time, so that the order and the UIDs are known. */
function openMailroom({ agent, keys, deliver }: Parts) {
  let last: Promise<unknown> = Promise.resolve();
  let uid = 0;
  const put = ({ raw, from, by }: Parameters<Post["send"]>[0]) => {
    uid += 1;
    const done = last.then(async () => {
      const key = by === undefined ? undefined : keys.get(by);
      const bytes = key ? await signed(await raw(), key) : await raw();
      await deliver(Buffer.concat([Buffer.from(traceOf(from, agent)), bytes]));
      return bytes;
    });
    last = done.catch(() => undefined);
    return { uid, done };
  };
  return {
    put,
    async settled(): Promise<void> {
      await last;
    },
    async deliver(raw: Buffer | string) {
      const from = "someone@example.net";
      const { uid: own, done } = put({ raw: async () => Buffer.from(raw), from, by: undefined });
      await done;
      return own;
    },
  };
}

/** What a receiving server puts on top. */
function traceOf(from: string, to: string): string {
  const date = new Date().toUTCString().replace("GMT", "+0000");
  return `Return-Path: <${from}>\r\nDelivered-To: ${to}\r\nReceived: from mx.example.net by mail.example.net with ESMTPS\r\n for <${to}>; ${date}\r\n`;
}

function told(story: readonly Happening[], address?: string): string {
  return story
    .filter(({ by }) => address === undefined || by.toLowerCase() === address.toLowerCase())
    .map(({ is, by, mail }, index) => {
      const what = is === "written" ? `${by} wrote:` : `${by} got:`;
      return `${index + 1} ${what}\n${readAloud(mail)}`;
    })
    .join("\n\n");
}
