// What an operator is told about a saved mail.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { checkMail } from "../../channels/email/check.ts";
import { createResolver } from "../../channels/email/dns.ts";
import { onTop } from "../fakes/mail-forged-signatures.ts";
import { signedMail } from "../fakes/mail-signed.ts";
import { agent, type MailWorld, startMailWorld } from "../fakes/mail-world.ts";

let world: MailWorld;
before(async () => {
  world = await startMailWorld();
});
after(() => world.close());

const ana = { from: "Ana <ana@legit.test>", to: agent };

function check(raw: Buffer) {
  const resolve = createResolver(world.dns.at);
  return checkMail(raw, { resolve, now: Date.now(), to: agent, arcSealers: [] });
}

it("tells rule by rule, and the verdict at last", async () => {
  const { verdict, lines } = await check(await signedMail(ana, world.key("legit.test")));
  assert.equal(verdict.is, "authenticated");
  assert.equal(lines.length, 9);
  assert.ok(lines.every(({ ok }) => ok));
  assert.deepEqual(lines.at(-1), {
    rule: "verdict",
    ok: true,
    says: "authenticated (ana@legit.test) - DKIM: d=legit.test s=s1 passes, DMARC passes",
  });
});

it("tells of a refused mail what is wrong", async () => {
  const { lines } = await check(await signedMail(ana, world.key("esp.test")));
  assert.deepEqual(lines.at(-1), {
    rule: "verdict",
    ok: false,
    says: "unauthenticated (ana@legit.test) - DKIM: no signature by legit.test (it is signed by esp.test)",
  });
  assert.equal(lines.find(({ ok }) => ok === false)?.rule, "5 signature");
});

it("tells neither yes nor no when DNS does not answer", async () => {
  world.dns.fault("s1._domainkey.other.test", "servfail");
  const mail = { ...ana, from: "ana@other.test" };
  const { verdict, lines } = await check(await signedMail(mail, world.key("other.test")));
  assert.equal(verdict.is, "retry");
  assert.deepEqual(
    lines.filter(({ ok }) => ok === null).map(({ rule, says }) => [rule, says]),
    [
      ["5 signature", "DNS: s1._domainkey.other.test did not answer (ESERVFAIL)"],
      ["7 DNS", "no answer about s1._domainkey.other.test (ESERVFAIL)"],
      [
        "verdict",
        "retry (ana@other.test) - DNS: s1._domainkey.other.test did not answer (ESERVFAIL)",
      ],
    ],
  );
});

it("takes a file with the line breaks of Unix for the mail that it was, and one with both kinds for what it is", async () => {
  const mail = await signedMail(ana, world.key("legit.test"));
  const unix = Buffer.from(mail.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  assert.equal((await check(unix)).verdict.is, "authenticated");
  const mixed = onTop(mail, "X-One: 1\nX-Two: 2");
  assert.match((await check(mixed)).verdict.reason, /not CR LF/);
});

it("tells whom a mail is from whose body cannot be taken apart", async () => {
  const deep = 400;
  const open = Array.from({ length: deep }, (_, at) => [
    `--b${at}`,
    `Content-Type: multipart/mixed; boundary=b${at + 1}`,
    "",
  ]);
  const headers = ["Content-Type: multipart/mixed; boundary=b0"];
  const mail = { ...ana, headers, text: `${open.flat().join("\n")}\n` };
  const { verdict } = await check(await signedMail(mail, world.key("legit.test")));
  assert.equal(verdict.is, "authenticated", verdict.reason);
});

it("has a word for what is no mail at all", async () => {
  for (const text of ["", "hello", "\n\n", "\0".repeat(100), "From: a@b.test\n"]) {
    const { verdict } = await check(Buffer.from(text));
    assert.equal(verdict.is, "unauthenticated", verdict.reason);
  }
});
