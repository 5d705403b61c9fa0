// From a mail as it lies in the mailbox to what it means: taken apart, its sender proved or not, its thread found.
import type { InboundMessage } from "../../src/core/events.ts";
import { accountOf } from "./address.ts";
import { authenticate, type Options } from "./authenticity.ts";
import type { EmailConfig } from "./config.ts";
import type { Resolve } from "./dns.ts";
import { type Mail, megabyte, openOversize, sizeMost } from "./fetching.ts";
import { fileId } from "./files.ts";
import type { Translating } from "./hearing.ts";
import { toInboundEvent } from "./inbound.ts";
import type { Reading, Verdict } from "./mail.ts";
import type { Reader } from "./reading.ts";
import type { Shares } from "./shares.ts";
import type { Outcome } from "./storing.ts";
import { echoOf, type Threads } from "./threads.ts";

export interface TranslatorPorts {
  readonly config: EmailConfig;
  readonly resolve: Resolve;
  readonly reader: Reader;
  /** How much time may be spent on whose mail. */
  readonly shares: Shares;
  readonly threads: Threads;
}

interface Judged {
  readonly mail: Reading;
  readonly verdict: Verdict;
}

export function createTranslator(ports: TranslatorPorts) {
  return async (one: Translating): Promise<Outcome> => {
    const judged = await judge(ports, one);
    if (!judged) return { is: "gone" };
    const { mail, verdict } = judged;
    if (verdict.is !== "retry") return outcomeOf(ports, one, judged);
    if (!one.last) return { is: "later", why: verdict.reason, of: groupOf(verdict.address) };
    return outcomeOf(ports, one, { mail, verdict: givenUp(verdict) });
  };
}

function outcomeOf(
  { config: own, threads }: TranslatorPorts,
  { mail: { uid, arrived }, folder: { uidValidity } }: Translating,
  { mail, verdict }: Judged,
): Outcome {
  const claimed = verdict.address ?? "";
  const account = verdict.is === "authenticated" ? accountOf(claimed) : `unproved:${claimed}`;
  const thread = threads.threadOf(account, mail);
  const event = toInboundEvent({
    ...{ mail, verdict, own, thread },
    key: `${uidValidity}.${uid}`,
    at: arrived.getTime(),
    isOurs: mail.messageId !== null && threads.isOurs(mail.messageId),
    fileId: (index) => fileId(uidValidity, uid, index),
  });
  if (event.silent !== undefined) return { is: "event", event };
  const message = { ...event.message, echo: echoOf({ ...mail, address: claimed }) };
  return { is: "event", event: { ...event, message, ...quoteOf(threads, event, mail) } };
}

/** A mail of ours that this answers: it may hold a question. What it said is not in here, but with whoever wrote it. */
function quoteOf(threads: Threads, { chat }: InboundMessage, { inReplyTo }: Reading) {
  const id = inReplyTo.findLast((one) => threads.isOurs(one));
  if (id === undefined) return {};
  const message = { chat: chat.id, id, ...(chat.thread ? { thread: chat.thread } : {}) };
  return { quote: { text: "", author: "", ours: true, message } };
}

function givenUp({ address, reason }: Verdict): Verdict {
  return { is: "unauthenticated", address, reason: `DNS did not answer until the end: ${reason}` };
}

/** A domain and all below it, roughly: whoever owns one name owns any number of them. */
function groupOf(address: string | null): string {
  return (address ?? "").replace(/^.*@/, "").toLowerCase().split(".").slice(-2).join(".");
}

/** The header alone says whom a mail is from; what else it holds costs more, and is read for whoever is proved. */
async function judge(ports: TranslatorPorts, { folder, mail }: Translating) {
  const { reader } = ports;
  const { raw } = mail;
  if (raw) {
    const head = await reader.head(raw, null);
    const look = (options: Options) => authenticate(raw, options);
    const found = await judged(ports, mail, { reading: head, look });
    const reading = await wholeOf(ports, raw, found);
    // Its body may show that more of the header had to be signed.
    if (found.verdict.is === "authenticated" && reading.loose.length > 0)
      return await judged(ports, mail, { reading, look });
    return { ...found, mail: reading };
  }
  const large = await openOversize(folder, mail);
  if (!large) return undefined;
  const size = `${Math.ceil(mail.size / megabyte)} MB`;
  const why = `a mail of ${size}: at most ${sizeMost / megabyte} MB are taken, and files grow by a third on their way`;
  const reading = await reader.head(large.header, why);
  const look = async (options: Options): Promise<Verdict> => {
    const verdict = large.stream((stream) => authenticate(stream, options));
    return (await verdict) ?? { is: "unauthenticated", address: null, reason: why };
  };
  return await judged(ports, mail, { reading, look });
}

const longestReport = 128 * 1024;

async function wholeOf(
  { reader, shares }: TranslatorPorts,
  raw: Buffer,
  { mail: head, verdict }: Judged,
): Promise<Reading> {
  if (verdict.is !== "authenticated") {
    // Bounces prove nothing, and yet say which of our mails did not arrive.
    const isReport = verdict.is === "unauthenticated" && head.automatic !== null;
    const report = isReport && raw.length <= longestReport ? await reader.report(raw) : null;
    return report?.is === "read" ? report.mail : head;
  }
  const account = accountOf(verdict.address);
  const read = await reader.read(raw, {
    refuses: () => (shares.isLeft(account) ? null : tooBusy),
    took: (ms) => shares.take(account, ms),
  });
  return read.is === "read" ? read.mail : { ...head, unreadable: read.why };
}

const tooBusy = "a mail as long as your last ones keep me busy: send it again in ten minutes";

interface Looking {
  readonly reading: Reading;
  look(options: Options): Promise<Verdict>;
}

async function judged(
  { config, resolve }: TranslatorPorts,
  { arrived }: Mail,
  { reading, look }: Looking,
): Promise<Judged> {
  const { address: to, arcSealers } = config;
  const now = judgedAt(arrived.getTime(), Date.now());
  return { mail: reading, verdict: await look({ resolve, now, to, mime: reading, arcSealers }) };
}

const hour = 60 * 60 * 1000;
/** Until when what a mail would repeat is known, and some. */
const longestAway = 27 * 24 * hour;

/** As old as it was when it came in: we may have been away. The clocks differ a little, and what is very old is never new. */
function judgedAt(arrived: number, now: number): number {
  const away = now - arrived;
  return away < hour || away > longestAway ? now : arrived;
}
