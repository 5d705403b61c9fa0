// Tries a mailbox out before it is added: signs in at both ends, sends it a mail, and looks how the provider signs it.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { EmailConfig } from "./config.ts";
import type { Verdict } from "./mail.ts";
import { folderOf, openReading, type Reading, removeAll } from "./set-up-reading.ts";
import { openSending, type Sending } from "./set-up-sending.ts";
import { byFlag, type Naming } from "./set-up-words.ts";

export interface TryOut {
  /** Whom this mail, as it lies in the mailbox, is from. */
  judge(raw: Buffer): Promise<Verdict>;
  /** One line for whoever waits. */
  say(line: string): void;
  /** Somebody waits no longer: what was begun is tidied up. */
  readonly signal?: AbortSignal;
  /** How long the mail may be on its way, ms. */
  readonly patience?: number;
}

const pause = 500;
const minute = 60_000;

/** What is wrong and what to do, or undefined; the mailbox is as it was before. */
export async function tryMailbox(config: EmailConfig, trying: TryOut): Promise<string | undefined> {
  const reading = await openReading(config, byFlag);
  if (typeof reading === "string") return reading;
  try {
    trying.say(
      `Signed in at ${new URL(config.imap).hostname} for reading, and opened ${config.folder}.`,
    );
    const sending = await openSending(config, byFlag);
    if (typeof sending === "string") return sending;
    trying.say(`Signed in at ${new URL(config.smtp).hostname} for sending.`);
    try {
      return await there({ config, trying, reading, sending });
    } catch (error) {
      return reading.trouble(error);
    } finally {
      sending.close();
    }
  } finally {
    await reading.close();
  }
}

export interface BothEnds {
  /** What is wrong there, or undefined. */
  readonly read: string | undefined;
  readonly sent: string | undefined;
}

/** Only that both ends take the name and the password. */
export async function tryBothEnds(config: EmailConfig, naming: Naming): Promise<BothEnds> {
  const [reading, sending] = await Promise.all([
    openReading(config, naming),
    openSending(config, naming),
  ]);
  if (typeof reading !== "string") await reading.close();
  if (typeof sending !== "string") sending.close();
  return {
    read: typeof reading === "string" ? reading : undefined,
    sent: typeof sending === "string" ? sending : undefined,
  };
}

interface Round {
  readonly config: EmailConfig;
  readonly trying: TryOut;
  readonly reading: Reading;
  readonly sending: Sending;
}

async function there({ config, trying, reading, sending }: Round): Promise<string | undefined> {
  const { patience = minute, signal } = trying;
  const mark = randomBytes(9).toString("hex");
  trying.say(`Sending a mail to ${config.address} and waiting for it, at most a minute …`);
  const refused = await sending.sendToItself(mark);
  if (refused !== undefined) return refused;
  const until = performance.now() + patience;
  try {
    let raw = await reading.find(mark);
    while (!raw && performance.now() < until && !signal?.aborted) {
      await sleep(pause, undefined, signal ? { signal } : {}).catch(() => {});
      raw = await reading.find(mark);
    }
    if (signal?.aborted) return "It was given up.";
    if (!raw) return await strayed(reading, config, mark);
    const verdict = await trying.judge(raw);
    if (verdict.is === "retry") return noDns(verdict.reason);
    trying.say(signing(config, verdict));
    return undefined;
  } finally {
    const left = await removeAll(reading, mark);
    if (left) trying.say(left);
  }
}

async function strayed(
  reading: Reading,
  { address, folder }: EmailConfig,
  mark: string,
): Promise<string> {
  const where = await folderOf(reading, mark);
  if (where)
    return `The mail to ${address} arrived in the folder ${where}, and ${folder} is what is read. Tell the provider that mail from this address is wanted, or name the folder with --folder; or add it without this test: --skip-test.`;
  return `The mail to ${address} was sent, but did not arrive within a minute. Look into the mailbox: it may be in another folder, or the address may be another's. If it comes late, delete it; to add the mailbox without this test: --skip-test.`;
}

/** Whoever writes is looked up there: without it all mail waits. */
function noDns(reason: string): string {
  return `DNS gave no answer, so it cannot be found out whom a mail is from, and nobody would be heard (${reason}). See that DNS answers on this machine, or name another DNS server with --dns HOST:PORT; to add the mailbox all the same: --skip-test.`;
}

function signing({ address, dkimDomain }: EmailConfig, verdict: Verdict): string {
  const domain = address.slice(address.lastIndexOf("@") + 1);
  if (verdict.is === "authenticated")
    return `${domain} signs what it sends (${verdict.reason}): mail of people at ${domain} can be proved.`;
  const later = "look at a saved mail with: sallyport email check FILE.eml";
  if (dkimDomain)
    return `Your key does not prove what goes out (${verdict.reason}). See that its public half is in the DNS of ${dkimDomain}; then ${later}`;
  return `Your provider does not sign this mail (${verdict.reason}): replies of people at this domain would not be trusted here, since nobody could tell them from forgeries. Ask them to turn on DKIM and DMARC. Some sign only what leaves them: to be sure, ${later}`;
}
