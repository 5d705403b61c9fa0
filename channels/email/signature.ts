// What one signature of a mail is worth: mailauth checks it, and more must hold than that it is correct.
import { createHash } from "node:crypto";
import type { DKIMResult } from "mailauth";
import type { Lookups } from "./dns.ts";
import { plainLine } from "./plain-line.ts";

/** `later`: DNS gave no answer, so it is neither right nor wrong. */
export type Outcome<Value> =
  | { readonly ok: true; readonly says: string; readonly value: Value }
  | { readonly ok: false; readonly why: string; readonly later?: true };

/** What is to be proved. */
export interface Question {
  readonly address: string;
  /** Of the address. */
  readonly domain: string;
  /** Names of the fields that the mail has. */
  readonly has: readonly string[];
  readonly now: number;
  readonly lookups: Lookups;
  readonly arcSealers: readonly string[];
}

export interface Proof {
  /** The signatures that prove it. */
  readonly signatures: readonly DKIMResult[];
  /** All that are good: by any of them a replay may be known. */
  readonly good: readonly DKIMResult[];
}

/** `later`: nothing is wrong with it but that DNS gave no answer. */
export interface Flaw {
  readonly why: string;
  readonly later?: true;
}

const day = 24 * 60 * 60 * 1000;
/** Older mails are not heard; what was seen is remembered for longer. */
const oldest = 3 * day;
/** Clocks differ. */
const newest = 5 * 60 * 1000;
const leastBits = 1024;

/** d= in lower case; empty when there is none. */
export function signerOf({ signingDomain = "" }: DKIMResult): string {
  return signingDomain.toLowerCase();
}

/** Of the very domain, or of one that shares its owner by the list of public suffixes; DMARC has the last word on those. */
export function isRelated(signature: DKIMResult, domain: string): boolean {
  return signerOf(signature) === domain || Boolean(signature.status.aligned);
}

export function covers(signature: DKIMResult, field: string): boolean {
  const names = signature.signingHeaders?.keys.toLowerCase().split(":") ?? [];
  return names.some((name) => name.trim() === field);
}

/** Why it proves nothing, whoever made it; null when it is good. */
export function flawOf(signature: DKIMResult, question: Question): Flaw | null {
  const { has } = question;
  const unsigned = ["from", "subject"].find(
    (name) => has.includes(name) && !covers(signature, name),
  );
  if (unsigned) return { why: `${unsigned === "from" ? "From" : "Subject"} is not in its h=` };
  const { underSized = 0, result, comment, testing } = signature.status;
  if (underSized > 0) return { why: `its l= leaves ${underSized} bytes of the body unsigned` };
  if (!/-sha256$/i.test(signature.algo ?? "")) return { why: "it is made with sha1" };
  if (result === "temperror") return noAnswer(signature, question);
  if (signature.status.policy?.["dkim-rules"] === "weak-key") {
    return { why: `its key has less than ${leastBits} bits` };
  }
  if (result !== "pass") return { why: plainLine(comment ?? `mailauth says ${result}`) };
  if (testing) return { why: "its key is for testing (t=y)" };
  if (/^rsa/i.test(signature.algo ?? "") && (signature.modulusLength ?? 0) < leastBits) {
    return { why: `its key has less than ${leastBits} bits` };
  }
  return staleness(signature, question);
}

function noAnswer(signature: DKIMResult, { lookups }: Question): Flaw {
  const name = `${signature.selector ?? ""}._domainkey.${signature.signingDomain ?? ""}`;
  const code = lookups.failed.get(name.toLowerCase());
  if (code) return { why: `DNS: ${plainLine(name)} did not answer (${code})`, later: true };
  return { why: plainLine(signature.status.comment ?? "mailauth could not check it") };
}

/** t= is signed with the rest; where there is none, the Date has to be. */
function staleness(signature: DKIMResult, { has, now }: Question): Flaw | null {
  const at = signature.signTime ? Date.parse(signature.signTime) : null;
  if (at !== null) {
    const problem = problemOfTime(at, now);
    return problem ? { why: `its t= is ${problem}` } : null;
  }
  if (has.includes("date") && covers(signature, "date")) return null;
  return { why: "neither t= nor a signed Date says when it was made" };
}

export function problemOfTime(at: number, now: number): string | null {
  if (!(now - at <= oldest)) return `more than 3 days ago (${shown(at)})`;
  return at - now > newest ? `in the future (${shown(at)})` : null;
}

function shown(at: number): string {
  return Number.isNaN(new Date(at).getTime()) ? "no date" : new Date(at).toISOString();
}

/** What a replay of the mail would show again. */
export function markOf(signature: DKIMResult): string {
  const bytes = Buffer.from(signature.signature ?? "", "base64");
  return `s:${short(signerOf(signature), bytes)}`;
}

/** Of this sender only: nobody can use up the Message-ID of somebody else. */
export function markOfMessage(account: string, messageId: string): string {
  return `m:${short(account, Buffer.from(messageId, "latin1"))}`;
}

function short(owner: string, bytes: Buffer): string {
  const hash = createHash("sha256").update(`${owner}\n`).update(bytes);
  return hash.digest("base64url").slice(0, 27);
}
