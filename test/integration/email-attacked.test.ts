// True mails in the hands of somebody else: they say what was written in them, or prove nothing.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { authenticate } from "../../channels/email/authenticity.ts";
import { createResolver } from "../../channels/email/dns.ts";
import { createReader, type Reader } from "../../channels/email/reading.ts";
import { altered, head, own, traps } from "../fakes/mail-altered.ts";
import { onTop } from "../fakes/mail-forged-signatures.ts";
import { rawMail, type SignOptions, signed, signedMail } from "../fakes/mail-signed.ts";
import { agent, type MailWorld, startMailWorld } from "../fakes/mail-world.ts";

let world: MailWorld;
let reader: Reader;
before(async () => {
  world = await startMailWorld();
  reader = createReader({ time: 20_000, idle: 30_000 });
});
after(async () => {
  await reader.stop();
  await world.close();
});

/** As the mailbox takes it. */
async function taken(raw: Buffer) {
  const read = await reader.read(raw);
  assert.ok(read.is === "read");
  const resolve = createResolver(world.dns.at);
  const options = { resolve, now: Date.now(), to: agent, mime: read.mail, arcSealers: [] };
  return { verdict: await authenticate(raw, options), text: read.mail.text };
}

const date = new Date().toUTCString();
const lines = (fields: string) => [
  ...head,
  `Date: ${date}`,
  "Message-ID: <2@legit.test>",
  ...fields.split("\n"),
];

async function anas([fields, body]: readonly [string, string], sign: SignOptions = {}) {
  return await signed(rawMail(lines(fields), body), world.key("legit.test"), sign);
}

for (const { what, sign, before: was, after: is, says } of altered) {
  it(`${what}: ${says ? "nobody is proved" : "reads as before"}, for what is not signed leaves one reading or none`, async () => {
    const mail = await anas(was, sign);
    const good = await taken(mail);
    assert.equal(good.verdict.is, "authenticated", good.verdict.reason);
    const signature = mail.toString("latin1").split(/\r\n(?![ \t])/)[0] ?? "";
    const forged = await taken(onTop(rawMail(lines(is[0]), is[1]), signature));
    if (says) {
      assert.equal(forged.verdict.is, "unauthenticated");
      assert.match(forged.verdict.reason, says);
    } else {
      assert.equal(forged.verdict.is, "authenticated", "it is as good as before");
      assert.equal(forged.text, good.text);
    }
  });
}

for (const [what, fields, body] of traps) {
  it(`${what}: takes nothing that is quoted for a person's own words`, async () => {
    const { verdict, text } = await taken(await anas([fields, body]));
    assert.equal(verdict.is, "authenticated", verdict.reason);
    assert.equal(text, own);
  });
}

const tags = "v=1; a=rsa-sha256; d=attack.test; s=s1; h=from:subject; bh=x;";
const wide = " ".repeat(29_000);
for (const [what, line] of [
  ["a tag of a signature", `DKIM-Signature: ${tags} n=a${wide}${wide}b; b=x`],
  ["a name in a signature", `DKIM-Signature: ${tags} a${wide}\t${wide}b=x; b=x`],
  ["the fields of a signature", `DKIM-Signature: ${tags.replace("from", `from:a${wide}b`)} b=x`],
  ["a seal", `ARC-Seal: i=1; a=rsa-sha256; t=1; cv=none; d=x; s=x; b=a${wide}\r\n${wide}b`],
] as const) {
  it(`${what}: a long run of blanks holds nothing up`, async () => {
    const mail = await signedMail({ from: "x@attack.test", to: agent }, world.key("attack.test"));
    const began = performance.now();
    const verdict = await world.verdict(onTop(mail, line));
    assert.match(verdict.reason, /holds a long run of blanks/);
    assert.ok(performance.now() - began < 2000, "it took seconds, in which nobody is answered");
  });
}
