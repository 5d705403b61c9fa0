// What proves the From of a mail: a signature of its domain, or the seal of a forwarder that is believed.
import { type DKIMResult, type DKIMVerifyResult, dmarc } from "mailauth";
import { type ArcData, arcProof } from "./arc-proof.ts";
import type { Lookups } from "./dns.ts";
import { plainLine } from "./plain-line.ts";
import {
  type Flaw,
  flawOf,
  isRelated,
  type Outcome,
  type Proof,
  type Question,
  signerOf,
} from "./signature.ts";

/** Rule 5. */
export async function proofOf(dkim: DKIMVerifyResult, question: Question): Promise<Outcome<Proof>> {
  const own = await ownProof(dkim.results, question);
  if (question.lookups.spent()) return { ok: false, why: "DNS: it takes too many lookups" };
  if (own.ok || own.later || !dkim.arc) return own;
  const forwarded = await arcProof(dkim.arc as ArcData, question);
  return forwarded ?? own;
}

async function ownProof(
  results: readonly DKIMResult[],
  question: Question,
): Promise<Outcome<Proof>> {
  const related = results.filter((one) => isRelated(one, question.domain));
  const judged = related.map((one) => ({ one, flaw: flawOf(one, question) }));
  const good = judged.filter(({ flaw }) => !flaw).map(({ one }) => one);
  if (good.length > 0) return aligned(good, question);
  const flaws = judged.flatMap(({ one, flaw }) => (flaw ? [worded(one, flaw)] : []));
  return flaws.find(({ later }) => later) ?? flaws[0] ?? unsigned(results, question.domain);
}

function worded(one: DKIMResult, { why, later }: Flaw) {
  const says = `DKIM: the signature of ${plainLine(signerOf(one))} does not count: ${why}`;
  return { ok: false as const, why: later ? why : says, ...(later && { later }) };
}

function unsigned(results: readonly DKIMResult[], domain: string): Outcome<Proof> {
  const others = results.map(signerOf).filter((signer) => signer !== "");
  const by = others.length > 0 ? ` (it is signed by ${plainLine(others.join(", "))})` : "";
  return { ok: false, why: `DKIM: no signature by ${domain}${by}` };
}

/** Of good signatures by the domain or its relatives. No policy is enough where the very domain signed. */
async function aligned(good: readonly DKIMResult[], question: Question): Promise<Outcome<Proof>> {
  const { domain, address, lookups } = question;
  const found = await dmarc({
    headerFrom: [address],
    fromFields: 1,
    spfDomains: [],
    dkimDomains: good.map((one) => ({ domain: signerOf(one), aligned: signerOf(one) })),
    resolver: lookups.resolve,
    strict: true,
  } as Parameters<typeof dmarc>[0]);
  const result = found ? found.status.result : "none";
  const exact = good.filter((one) => signerOf(one) === domain);
  const policy = policyFailure(lookups);
  if (result === "temperror" && policy) return { ok: false, why: policy, later: true };
  if (found && result === "pass") {
    const counted = found.alignment.dkim.result;
    const relatives = good.filter((one) => signerOf(one) === counted);
    return proved({ signatures: exact.length > 0 ? exact : relatives, good }, "DMARC passes");
  }
  if (result === "none" && exact.length > 0)
    return proved({ signatures: exact, good }, "there is no DMARC policy");
  const signers = plainLine(good.map(signerOf).join(", "));
  return { ok: false, why: `DMARC: ${result} for ${domain}, signed by ${signers}` };
}

function proved(proof: Proof, policy: string): Outcome<Proof> {
  const [first] = proof.signatures;
  const signer = first ? `d=${signerOf(first)} s=${first.selector ?? ""}` : "";
  return { ok: true, says: `DKIM: ${plainLine(signer)} passes, ${policy}`, value: proof };
}

function policyFailure({ failed }: Lookups): string | null {
  const policy = [...failed].find(([name]) => name.startsWith("_dmarc."));
  return policy ? `DNS: ${plainLine(policy[0])} did not answer (${policy[1]})` : null;
}
