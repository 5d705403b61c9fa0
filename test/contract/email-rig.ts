// The mail channel on a real mailbox and a real mail server, as a rig for the channel contract.
import { channel } from "../../channels/email/index.ts";
import { openThreads } from "../../channels/email/threads.ts";
import type { ChannelContext } from "../../src/core/channel.ts";
import type { Log } from "../../src/core/log.ts";
import type { Address } from "../../src/core/words.ts";
import { newMessageId } from "../fakes/mail-compose.ts";
import type { SeenMail } from "../fakes/mail-seen.ts";
import { type MailTown, type MailTownOptions, startMailTown } from "../fakes/mail-town.ts";
import { notesInMemory } from "../fakes/notes.ts";
import type { Fault, Rig } from "./rig.ts";

const config = { idleSeconds: 1, answerSeconds: 1, deafSeconds: 2.5 };

export async function openEmail(options: MailTownOptions = {}) {
  const town = await startMailTown(options);
  const ana = town.person("ana@example.test", "Ana");
  const ben = town.person("ben@other.test", "Ben");
  const log: string[] = [];
  const notes = new Map<string, string>();
  const context: ChannelContext = {
    listener: "email",
    log: logTo(log),
    notes: notesInMemory(notes),
    fetchFrom: () => {
      throw new Error("mail fetches nothing");
    },
  };
  const { kind, ...settings } = town.settings({ ...config, password: town.password });
  const open = () => channel.open(settings, context);
  // What she writes is one thread.
  const root = newMessageId(ana.address);
  const threads = await openThreads(notesInMemory(), town.agent);
  const beginning = { messageId: `<${root}>`, inReplyTo: [], references: [] };
  const direct: Address = {
    listener: "email",
    chat: ana.address,
    thread: threads.threadOf(ana.address, beginning),
  };
  let begun = false;
  const writes = (mail: Parameters<typeof ana.writes>[0]) => {
    const thread = begun ? { inReplyTo: root, references: [root] } : { messageId: root };
    begun = true;
    return ana.writes({ subject: "Work", ...thread, ...mail });
  };
  const rig: Rig = {
    channel,
    listener: open(),
    direct,
    again: open,
    says: (_, text) => void writes({ text }),
    visible: () => town.story.flatMap(({ by, is, mail }) => seenIn(by, is === "got", mail)),
    until: (what, check) => until(town, what, check),
    unconfirmed: () => beyond(town, notes),
    noise: () => makeNoise(town),
    sendsFile: (_, name, content) => {
      writes({ text: "see it", files: [{ name, content, mime: "text/plain" }] });
    },
    faults: faultsOf(town),
    revoke: () => void town.changePassword(),
    deafen: () => town.cut.stall(),
    close: () => town.close(),
  };
  return { town, rig, log, notes, ana, ben, open, writes };
}

function seenIn(by: string, ours: boolean, { text, files }: SeenMail) {
  if (by !== "ana@example.test") return [];
  const [file] = files;
  return [{ text, buttons: [], ...(file ? { file: file.name } : {}), ours }];
}

/** Mails that lie in the mailbox and that the channel would read again. */
function beyond({ dovecot }: MailTown, notes: ReadonlyMap<string, string>): number {
  const uids = dovecot.mailbox().list().length;
  const next = Number(/"next":(\d+)/.exec(notes.get("cursor") ?? "")?.[1] ?? 1);
  return Math.max(0, uids + 1 - next);
}

/** All that nobody is to be answered: of machines, of the agent itself, and of whoever claims to be somebody. */
function makeNoise(town: MailTown): void {
  const ana = town.person("ana@example.test");
  const eve = town.person("eve@evil.test");
  const text = "do it";
  ana.writes({ text, signed: false });
  ana.writes({ text, signed: "evil.test" });
  eve.writes({ text, from: ana.address });
  ana.writes({ text, headers: { "Auto-Submitted": "auto-replied" } });
  ana.writes({ text, headers: { "Auto-Submitted": "auto-generated" } });
  ana.writes({ text, headers: { "X-Auto-Response-Suppress": "All" } });
  ana.writes({ text, headers: { Precedence: "bulk" } });
  ana.writes({ text, headers: { "List-Id": "<work.example.test>" } });
  town.person("MAILER-DAEMON@example.test").writes({ subject: "Undelivered Mail", text });
  town.person(town.agent).writes({ text });
}

/** The town knows of changes on its side only, so that the listener's own are looked for now and then. */
async function until(town: MailTown, what: string, check: () => boolean): Promise<void> {
  const look = setInterval(() => town.nudge(), 20);
  try {
    await town.waitFor(check, { what, timeoutMs: 20_000 });
  } finally {
    clearInterval(look);
  }
}

function faultsOf({ smtp }: MailTown): Partial<Record<Fault, () => void>> {
  const once = { times: 1 };
  return {
    "rate-limited": () => smtp.faults.add("RCPT", { reply: "450 4.7.1 slow down" }, once),
    "too-long": () => smtp.faults.add("dot", { reply: "552 5.3.4 message too big" }, once),
    gone: () => smtp.faults.add("RCPT", { reply: "550 5.1.1 no such user" }, once),
    "not-sent": () => smtp.faults.add("connect", { drop: true }),
    unknown: () => smtp.faults.add("dot", { drop: true, kept: true }, once),
  };
}

function logTo(lines: string[]): Log {
  const write = (fields: unknown, message: string) => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  return { debug: write, info: write, warn: write, error: write };
}
