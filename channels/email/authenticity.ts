// Whom a mail is from: seven rules, one after the other, and every one has to hold.
import { Readable } from "node:stream";
import { type DKIMVerifyResult, dkimVerify } from "mailauth";
import { accountOf, plainAddress, readFrom } from "./address.ts";
import { type Lookups, lookupsOfOneMail, type Resolve } from "./dns.ts";
import { cutHead, type HeaderLine, type Mail, readHeader, valuesOf } from "./header-lines.ts";
import type { Reading, Verdict } from "./mail.ts";
import { inPieces } from "./pieces.ts";
import { plainLine } from "./plain-line.ts";
import { proofOf } from "./proof.ts";
import {
  covers,
  markOf,
  markOfMessage,
  type Outcome,
  type Proof,
  problemOfTime,
} from "./signature.ts";

export interface Options {
  readonly resolve: Resolve;
  /** When the mail came in; a mail that is tried again is as old as it was at first. */
  readonly now: number;
  /** The agent's address; null: whether it is meant is not checked. */
  readonly to: string | null;
  /** As the MIME parser reads the header; empty lists where it reads nothing. */
  readonly mime: Pick<Reading, "from" | "to" | "cc" | "loose">;
  /** Domains whose ARC seals are believed. */
  readonly arcSealers: readonly string[];
}

type RuleName =
  | "1 header lines"
  | "2 single fields"
  | "3 From"
  | "4 readers agree"
  | "5 signature"
  | "6 fresh"
  | "6 addressed"
  | "7 DNS";

export interface CheckLine {
  readonly rule: string;
  /** Null: it cannot be told, now or at all. */
  readonly ok: boolean | null;
  readonly says: string;
}

export interface Examined {
  readonly verdict: Verdict;
  /** What the rules found, up to the first that does not hold. */
  readonly lines: readonly CheckLine[];
}

type Note = <Value>(rule: RuleName, outcome: Outcome<Value>) => Outcome<Value>;
interface Case extends Options {
  readonly mail: Mail;
  readonly lookups: Lookups;
  readonly note: Note;
}

/**
 * Never throws for what a mail holds. Rejects when a stream breaks off, for then nobody knows what it held; of a stream no
 * more is read than is needed.
 */
export async function authenticate(raw: Buffer | Readable, options: Options): Promise<Verdict> {
  return (await examine(raw, options)).verdict;
}

/** The same, with what the rules found. */
export async function examine(raw: Buffer | Readable, options: Options): Promise<Examined> {
  const mail = await cutHead(raw);
  const lookups = lookupsOfOneMail(options.resolve);
  const lines: CheckLine[] = [];
  const note: Note = (rule, outcome) => {
    const ok = outcome.ok || (outcome.later ? null : false);
    lines.push({ rule, ok, says: outcome.ok ? outcome.says : outcome.why });
    return outcome;
  };
  try {
    const verdict = await judge({ ...options, mail, lookups, note });
    note("7 DNS", answered(lookups));
    return { verdict, lines };
  } catch (error) {
    if (!Buffer.isBuffer(raw) && raw.destroyed && !raw.readableEnded) throw error;
    const why = `the mail could not be checked: ${plainLine(error instanceof Error ? error.message : String(error))}`;
    return { verdict: refused(null, { ok: false, why }), lines };
  }
}

async function judge({ note, ...one }: Case): Promise<Verdict> {
  const header = note("1 header lines", soundHeader(one.mail));
  if (!header.ok) return refused(null, header);
  const lines = header.value;
  const single = note("2 single fields", singleFields(lines));
  if (!single.ok) return refused(null, single);
  const from = note("3 From", plainFrom(lines));
  if (!from.ok) return refused(null, from);
  const { address, domain } = from.value;
  const dkim = await askMailauth(one);
  const agreed = note("4 readers agree", readersAgree(address, one.mime, dkim));
  if (!agreed.ok) return refused(address, agreed);
  const has = lines.map(({ name }) => name);
  const signed = await proofOf(dkim, { ...one, address, domain, has });
  const proof = note("5 signature", readsOneWay(one.mime, signed));
  if (!proof.ok) return refused(address, proof);
  const fresh = note("6 fresh", freshDate(lines, one.now));
  if (!fresh.ok) return refused(address, fresh);
  const meant = note("6 addressed", namesAgent(one, proof.value));
  if (!meant.ok) return refused(address, meant);
  return {
    is: "authenticated",
    address,
    reason: proof.says,
    marks: marksOf(lines, address, proof.value),
  };
}

function refused(address: string | null, outcome: Outcome<unknown>): Verdict {
  const { why, later } = outcome as Extract<typeof outcome, { ok: false }>;
  return { is: later ? "retry" : "unauthenticated", address, reason: why };
}

const mostSignatures = 10;

/** Rule 1: every line is `name:` and a value, or a fold; no NUL, no bare CR or LF. */
function soundHeader({ head }: Mail): Outcome<readonly HeaderLine[]> {
  const header = readHeader(head);
  if (!header.ok) return header;
  if (valuesOf(header.lines, "dkim-signature").length > mostSignatures) {
    return { ok: false, why: `the mail has more than ${mostSignatures} signatures` };
  }
  return { ok: true, says: `${header.lines.length} fields, all readable`, value: header.lines };
}

const onlyOnce = [
  "from",
  "subject",
  "date",
  "message-id",
  "to",
  "cc",
  "content-type",
  "reply-to",
  "sender",
  "in-reply-to",
  "references",
  "mime-version",
  "content-transfer-encoding",
];

/** Rule 2: exactly one From; what may be there once is not there twice. */
function singleFields(lines: readonly HeaderLine[]): Outcome<null> {
  const twice = onlyOnce.find((name) => valuesOf(lines, name).length > 1);
  if (twice) return { ok: false, why: `the mail has more than one ${twice} field` };
  if (valuesOf(lines, "from").length === 0) return { ok: false, why: "the mail has no From" };
  return { ok: true, says: "one From, and nothing twice that may be there once", value: null };
}

/** Rule 3: From holds one plain `dot-atom@domain`. */
function plainFrom(lines: readonly HeaderLine[]) {
  const from = readFrom(valuesOf(lines, "from").join(""));
  if (!from.ok) return from;
  return { ok: true as const, says: from.address, value: from };
}

/**
 * No envelope, no Received and no Authentication-Results is given to it or believed. Its `sender` is of no use but that it
 * does not take a Return-Path of strangers apart.
 */
function askMailauth({ mail, lookups, now }: Omit<Case, "note">): Promise<DKIMVerifyResult> {
  return dkimVerify(Readable.from(inPieces(mail.whole), { objectMode: false }), {
    resolver: lookups.resolve,
    sender: "<>",
    strict: true,
    minBitLength: 1024,
    curTime: new Date(now),
  });
}

/** Rule 4: our reading of the address, mailauth's and the MIME parser's are the same. */
function readersAgree(
  address: string,
  { from }: Options["mime"],
  { headerFrom, fromFields }: DKIMVerifyResult,
): Outcome<null> {
  const same = (read: readonly string[]) =>
    read.length === 1 && read[0] !== undefined && plainAddress(read[0]) === address;
  if (!same(from.map((one) => one.address))) {
    return { ok: false, why: "the MIME parser reads another From" };
  }
  if (fromFields !== 1 || !same(headerFrom)) {
    return { ok: false, why: "mailauth reads another From" };
  }
  return { ok: true, says: "mailauth and the MIME parser read the same address", value: null };
}

/** Rule 5: the whole body is signed only if that is what is read of it, whatever somebody makes of the fields that are not. */
function readsOneWay({ loose }: Options["mime"], proof: Outcome<Proof>): Outcome<Proof> {
  if (!proof.ok) return proof;
  const { signatures } = proof.value;
  const open = loose.find(({ field }) => !signatures.some((one) => covers(one, field)));
  return open ? { ok: false, why: `DKIM: ${open.why}, and no ${open.field} is signed` } : proof;
}

/** Rule 6, first half: written within three days, and not in the future. (Its second half for signatures: signature.ts.) */
function freshDate(lines: readonly HeaderLine[], now: number): Outcome<null> {
  const [date] = valuesOf(lines, "date");
  if (date === undefined) return { ok: false, why: "the mail has no Date" };
  const at = timeOf(date);
  if (at === null) return { ok: false, why: "its Date cannot be read" };
  const problem = problemOfTime(at, now);
  if (problem) return { ok: false, why: `its Date is ${problem}` };
  return { ok: true, says: `written ${new Date(at).toISOString()}`, value: null };
}

const dateTime =
  /^\s*(?:[a-z]{3}\s*,\s*)?(\d{1,2}\s+[a-z]{3}\s+\d{4}\s+\d{2}:\d{2}(?::\d{2})?\s+(?:[+-]\d{4}|GMT|UTC?|Z))\s*(?:\([^()]*\)\s*)?$/i;

function timeOf(date: string): number | null {
  const at = Date.parse(dateTime.exec(date)?.[1] ?? "");
  return Number.isNaN(at) ? null : at;
}

/**
 * Rule 6, second half: To or Cc names the agent. Where the signer signs To or Cc at all, the one that names us is signed:
 * else a mail to somebody else would be ours as soon as somebody adds a Cc to it.
 */
function namesAgent({ to, mime }: Omit<Case, "note">, proof: Proof): Outcome<null> {
  if (to === null) return { ok: true, says: "not checked: no address of the agent", value: null };
  const naming = (["to", "cc"] as const).filter((field) =>
    mime[field].some(({ address }) => {
      const plain = plainAddress(address);
      return plain !== null && accountOf(plain) === accountOf(to);
    }),
  );
  if (naming.length === 0) return { ok: false, why: `neither To nor Cc names ${plainLine(to)}` };
  const signs = (field: string) => proof.signatures.some((signature) => covers(signature, field));
  const shown = naming.map((field) => (field === "to" ? "To" : "Cc")).join(" and ");
  if (naming.some(signs)) return { ok: true, says: `${shown} names the agent`, value: null };
  if (signs("to") || signs("cc")) {
    return { ok: false, why: `only ${shown} names the agent, and it was added after signing` };
  }
  return { ok: true, says: `${shown} names the agent (its signer signs neither)`, value: null };
}

/** Rule 7: no answer is neither yes nor no. */
function answered({ failed, count }: Lookups): Outcome<null> {
  const names = [...failed].map(([name, code]) => `${plainLine(name)} (${code})`);
  if (names.length > 0)
    return { ok: false, why: `no answer about ${names.join(", ")}`, later: true };
  return {
    ok: true,
    says: `${count()} lookup${count() === 1 ? "" : "s"}, all answered`,
    value: null,
  };
}

function marksOf(lines: readonly HeaderLine[], address: string, proof: Proof): readonly string[] {
  const [id = ""] = valuesOf(lines, "message-id").map((value) => value.trim());
  const marks = proof.good.map(markOf);
  return id === "" ? marks : [markOfMessage(accountOf(address), id), ...marks];
}
