// A mail that a forwarder changed: its seal counts when the operator named the forwarder, and nobody else's ever does.
import { type ARCChainEntry, type ARCData, arc, type DKIMVerifyResult } from "mailauth";
import { plainLine } from "./plain-line.ts";
import { flawOf, type Outcome, type Proof, type Question, signerOf } from "./signature.ts";

export type ArcData = NonNullable<DKIMVerifyResult["arc"]>;

/** Null: nobody who is believed sealed it. */
export async function arcProof(data: ArcData, question: Question): Promise<Outcome<Proof> | null> {
  const newest = data.chain ? data.chain.at(-1) : undefined;
  const sealer = sealerOf(newest);
  const signature = newest?.messageSignature;
  if (!newest || !signature || !question.arcSealers.includes(sealer)) return null;
  const refused = (why: string) => ({
    ok: false as const,
    why: `ARC: sealed by ${sealer}, but ${why}`,
  });
  if (signerOf(signature) !== sealer) return refused("its message signature is somebody else's");
  const found = await arc(data as ARCData, { resolver: question.lookups.resolve, strict: true });
  const flaw = flawOf(signature, question);
  const later = flaw?.later ? flaw.why : failedKey(question);
  if (later) return { ok: false, why: later, later: true };
  if (flaw) return refused(flaw.why);
  if (found.status.result !== "pass")
    return refused(plainLine(found.status.comment ?? "the chain is broken"));
  const results = found.authenticationResults ?? {};
  if (!saysPass(newest, results, question.domain)) {
    return refused(`it does not say that DMARC passed for ${question.domain}`);
  }
  const says = `ARC: ${sealer} sealed that DMARC passed for ${question.domain}`;
  return { ok: true, says, value: { signatures: [signature], good: [signature] } };
}

function sealerOf(entry: ARCChainEntry | undefined): string {
  return String(entry?.["arc-seal"]?.parsed?.d?.value ?? "").toLowerCase();
}

/** Any link may be the one that could not be looked up. */
function failedKey({ lookups }: Question): string | null {
  const key = [...lookups.failed].find(([name]) => name.includes("._domainkey."));
  return key ? `DNS: ${plainLine(key[0])} did not answer (${key[1]})` : null;
}

/** Said once: of two results nobody knows which one counts. */
function saysPass(entry: ARCChainEntry, results: Record<string, unknown>, domain: string): boolean {
  const line = String(entry["arc-authentication-results"]?.original ?? "");
  const said = line.match(/;\s*dmarc\s*=/gi)?.length ?? 0;
  const { result, header } = (results.dmarc ?? {}) as {
    result?: unknown;
    header?: { from?: unknown };
  };
  return said === 1 && result === "pass" && String(header?.from).toLowerCase() === domain;
}
