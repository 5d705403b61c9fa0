// Whom a mail is from: what the rules say about times, recipients, replays and a DNS that does not answer.
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, before, it } from "node:test";
import { authenticate } from "../../channels/email/authenticity.ts";
import { createResolver, lookupsOfOneMail } from "../../channels/email/dns.ts";
import { edit, listPost, onTop, passedFor } from "../fakes/mail-forged-signatures.ts";
import { domainKey, keyName, plainMail, signed, signedMail } from "../fakes/mail-signed.ts";
import { agent, type MailWorld, startMailWorld } from "../fakes/mail-world.ts";

let world: MailWorld;
before(async () => {
  world = await startMailWorld();
});
after(() => world.close());

const ana = { from: "Ana <ana@legit.test>", to: agent };
const key = () => world.key("legit.test");
const now = Date.now();
const hour = 60 * 60 * 1000;

it("says what proved it, and marks what a replay would repeat", async () => {
  const verdict = await world.verdict(await signedMail(ana, key()));
  assert.equal(verdict.is, "authenticated");
  assert.equal(verdict.address, "ana@legit.test");
  assert.equal(verdict.reason, "DKIM: d=legit.test s=s1 passes, DMARC passes");
  assert.match(verdict.marks.join(" "), /^m:[\w-]{27} s:[\w-]{27}$/);
});

async function marksOf(raw: Buffer): Promise<readonly string[]> {
  const verdict = await world.verdict(raw);
  assert.equal(verdict.is, "authenticated", verdict.reason);
  return verdict.marks;
}

it("marks the same mail alike, however it comes and whatever was put around it (EA-46)", async () => {
  const mail = await signedMail({ ...ana, messageId: "<1@legit.test>" }, key());
  const marks = await marksOf(mail);
  assert.deepEqual(await marksOf(onTop(mail, "Delivered-To: somebody@else.test")), marks);
  const refolded = edit(mail, /b=([\w+/]{8})/, "b=$1\r\n\t");
  assert.deepEqual(await marksOf(refolded), marks, "white space in b= makes no other signature");
  const again = await signedMail({ ...ana, messageId: "<1@legit.test>" }, key());
  assert.equal((await marksOf(again))[0], marks[0], "the Message-ID alone");
});

it("lets nobody use up the Message-ID of somebody else", async () => {
  const messageId = "<2@legit.test>";
  const [mine] = await marksOf(await signedMail({ ...ana, messageId }, key()));
  const other = { from: "x@attack.test", to: agent, messageId };
  const [theirs] = await marksOf(await signedMail(other, world.key("attack.test")));
  assert.notEqual(mine, theirs);
});

it("marks each good signature, so that a replay with one of two is seen", async () => {
  const second = domainKey("legit.test", { selector: "s2" }, world.dns);
  const once = await signedMail(ana, key());
  const all = await signed(await signed(once, second), world.key("mail.legit.test"));
  const marks = await marksOf(all);
  const [, first] = await marksOf(once);
  assert.equal(marks.length, 4, "its own two, and that of a relative");
  assert.ok(first && marks.includes(first));
});

for (const [what, date, says] of [
  ["four days old", new Date(now - 96 * hour), /Date is more than 3 days ago/],
  ["an hour ahead", new Date(now + hour), /Date is in the future/],
  ["six minutes ahead", new Date(now + hour / 10), /Date is in the future/],
  ["three minutes ahead", new Date(now + hour / 20), null],
  ["almost three days old", new Date(now - 71 * hour), null],
] as const) {
  it(`${says ? "refuses" : "takes"} a Date that is ${what}`, async () => {
    const verdict = await world.verdict(await signedMail({ ...ana, date }, key()));
    assert.equal(verdict.is, says ? "unauthenticated" : "authenticated", verdict.reason);
    if (says) assert.match(verdict.reason, says);
  });
}

for (const [value, says] of [
  ["yesterday", /cannot be read/],
  ["2026-11-29T10:00:00Z", /cannot be read/],
  ["Mon, 30 Nov 2026 10:00:00", /cannot be read/],
  ["", /cannot be read/],
] as const) {
  it(`refuses Date: ${value}`, async () => {
    const raw = edit(plainMail(ana), /Date: .*/, `Date: ${value}`);
    const verdict = await world.verdict(await signed(raw, key()));
    assert.equal(verdict.is, "unauthenticated");
    assert.match(verdict.reason, says);
  });
}

it("takes a Date with a zone and a comment, and refuses a mail without one", async () => {
  const at = new Date(now + 2 * hour).toUTCString().replace("GMT", "+0200 (CEST)");
  const raw = edit(plainMail(ana), /Date: .*/, `Date: ${at}`);
  assert.equal((await world.verdict(await signed(raw, key()))).is, "authenticated");
  const none = edit(plainMail(ana), /Date: .*\r\n/, "");
  assert.match((await world.verdict(await signed(none, key()))).reason, /no Date/);
});

it("is meant by To or Cc, whatever the capitals, and by no address that only resembles", async () => {
  const is = async (to: string, ...headers: string[]) =>
    (await world.verdict(await signedMail({ ...ana, to, headers }, key()))).is;
  assert.equal(await is('"The agent" <AGENT@Here.Test>, bob@other.test'), "authenticated");
  assert.equal(await is("bob@other.test", `Cc: ${agent}`), "authenticated");
  assert.equal(await is(`friends: bob@other.test, ${agent};`), "authenticated");
  assert.equal(await is("agent+x@here.test"), "unauthenticated");
  assert.equal(await is("agent@sub.here.test"), "unauthenticated");
  assert.equal(await is(`"${agent}" <bob@other.test>`), "unauthenticated");
  assert.equal(await is("undisclosed-recipients:;"), "unauthenticated");
});

it("does not ask whom it is meant for where nobody said who the agent is", async () => {
  const mail = await signedMail({ ...ana, to: "bob@other.test" }, key());
  assert.equal((await world.verdict(mail, { to: null })).is, "authenticated");
});

it("refuses a mail to somebody else that a Cc was added to", async () => {
  const mail = await signedMail({ ...ana, to: "bob@other.test" }, key());
  const verdict = await world.verdict(onTop(mail, `Cc: ${agent}`));
  assert.equal(verdict.is, "unauthenticated");
  assert.match(verdict.reason, /only Cc names the agent, and it was added after signing/);
});

it("takes a mail of a provider that signs neither To nor Cc", async () => {
  const h = ["from", "date", "subject", "message-id", "content-type", "mime-version"];
  const verdict = await world.verdict(await signedMail(ana, key(), { h }));
  assert.equal(verdict.is, "authenticated", verdict.reason);
});

it("goes by the address of the policy when only some letters differ", async () => {
  const other = await signedMail({ ...ana, from: "ANA@Legit.Test" }, key());
  const verdict = await world.verdict(other);
  assert.equal(verdict.address, "ANA@legit.test");
});

for (const fault of ["servfail", "timeout", "refused"] as const) {
  for (const place of ["key", "policy"] as const) {
    it(`tries again later when the ${place} is not to be had (${fault})`, async () => {
      const domain = `${place}-${fault}.test`;
      const its = domainKey(domain, {}, world.dns);
      world.dns.txt(`_dmarc.${domain}`, "v=DMARC1; p=reject");
      const name = place === "key" ? keyName(its) : `_dmarc.${domain}`;
      const raw = await signedMail({ from: `ana@${domain}`, to: agent }, its);
      const resolve = createResolver(world.dns.at, 100);
      world.dns.fault(name, fault);
      const verdict = await world.verdict(raw, { resolve });
      assert.equal(verdict.is, "retry", verdict.reason);
      assert.match(verdict.reason, new RegExp(`^DNS: ${name} did not answer`));
      world.dns.fault(name, undefined);
      assert.equal((await world.verdict(raw)).is, "authenticated");
    });
  }
}

it("tries again later when the key of a believed forwarder is not to be had", async () => {
  const raw = await listPost(world, passedFor("legit.test"));
  world.dns.fault("s1._domainkey.fwd.test", "servfail");
  assert.equal((await world.verdict(raw, { arcSealers: ["fwd.test"] })).is, "retry");
  assert.equal((await world.verdict(raw)).is, "unauthenticated", "nobody believes it here");
  world.dns.fault("s1._domainkey.fwd.test", undefined);
  assert.equal((await world.verdict(raw, { arcSealers: ["fwd.test"] })).is, "authenticated");
});

it("knows a name that is not there from one that nobody answers about", async () => {
  const its = domainKey("gone.test");
  const raw = await signedMail({ from: "ana@gone.test", to: agent }, its);
  const verdict = await world.verdict(raw);
  assert.equal(verdict.is, "unauthenticated");
  assert.match(verdict.reason, /gone\.test does not count: no key/);
});

it("lets one mail look up thirty names, and waits for all of them together no longer than it may", async () => {
  const one = lookupsOfOneMail(createResolver(world.dns.at));
  for (let count = 0; count < 40; count += 1) {
    await assert.rejects(one.resolve(`x${count}.test`, "TXT"), { code: "ENOTFOUND" });
  }
  assert.ok(one.spent());
  assert.equal(world.dns.asked.filter((name) => /^TXT x\d+\.test$/.test(name)).length, 30);
  const never = lookupsOfOneMail(() => new Promise(() => {}), 50);
  await assert.rejects(never.resolve("one.test", "TXT"), { code: "ETIMEOUT" });
  await assert.rejects(never.resolve("two.test", "TXT"), { code: "ETIMEOUT" });
  assert.deepEqual([...never.failed.keys()], ["one.test", "two.test"]);
});

it("asks nobody about what is no name", async () => {
  const before_ = world.dns.asked.length;
  const one = lookupsOfOneMail(createResolver(world.dns.at));
  for (const name of [`${"x".repeat(64)}.test`, "a..test", `${"a.".repeat(130)}test`]) {
    await assert.rejects(one.resolve(name, "TXT"), { code: "ENOTFOUND" });
  }
  assert.equal(world.dns.asked.length, before_);
  assert.equal(one.failed.size, 0);
});

it("does not wait for the key of a stranger", async () => {
  const stranger = domainKey("slow.test");
  world.dns.fault(keyName(stranger), "servfail");
  const raw = await signed(plainMail(ana), stranger);
  assert.equal((await world.verdict(raw)).is, "unauthenticated");
  assert.equal((await world.verdict(await signed(raw, key()))).is, "authenticated");
});

it("says the same of a mail that comes as a stream, and leaves the stream whole when it need not read it", async () => {
  const good = await signedMail({ ...ana, text: "long line\n".repeat(100_000) }, key());
  const options = await world.options(good);
  assert.equal((await authenticate(inPieces(good), options)).is, "authenticated");
  const stream = inPieces(onTop(good, "From: x@attack.test"));
  assert.equal((await authenticate(stream, options)).is, "unauthenticated");
  assert.equal(stream.destroyed, false);
  stream.destroy();
});

function inPieces(raw: Buffer): Readable {
  const count = Math.ceil(raw.length / 50_000);
  return Readable.from(
    Array.from({ length: count }, (_, at) => raw.subarray(at * 50_000, (at + 1) * 50_000)),
    { objectMode: false },
  );
}

it("judges no mail of which the end did not come", async () => {
  const good = await signedMail(ana, key());
  const options = await world.options(good);
  for (const cut of [20, good.length - 10]) {
    const broken = Readable.from(
      (async function* () {
        yield good.subarray(0, cut);
        throw new Error("connection lost");
      })(),
      { objectMode: false },
    );
    await assert.rejects(authenticate(broken, options), /connection lost/);
  }
});

it("refuses a mail with more signatures than anybody needs, without looking one up", async () => {
  const before_ = world.dns.asked.length;
  const mail = await signedMail(ana, key());
  const bogus = "DKIM-Signature: v=1; a=rsa-sha256; d=legit.test; s=s1; h=from; bh=x; b=x";
  const verdict = await world.verdict(onTop(mail, ...Array(10).fill(bogus)));
  assert.match(verdict.reason, /more than 10 signatures/);
  assert.equal(world.dns.asked.length, before_);
});

it("refuses a body with a line that would take minutes to hash", async () => {
  const mail = await signedMail({ ...ana, text: `${" ".repeat(70_000)}x\n` }, key());
  assert.match((await world.verdict(mail)).reason, /a line of the mail is longer than 64 KB/);
  const good = await signedMail({ ...ana, text: `${"x".repeat(60_000)}\n`.repeat(5) }, key());
  assert.equal((await world.verdict(good)).is, "authenticated");
});

it("takes nobody for the MIME parser's word alone, nor against it", async () => {
  const mail = await signedMail(ana, key());
  const mailbox = (address: string) => ({ name: "", address });
  const { mime } = await world.options(mail);
  for (const from of [
    [],
    [mailbox("admin@legit.test")],
    [mailbox("ana@legit.test"), mailbox("ana@legit.test")],
    [mailbox("ana@legit.test>")],
  ]) {
    const verdict = await world.verdict(mail, { mime: { ...mime, from } });
    assert.equal(verdict.is, "unauthenticated");
    assert.match(verdict.reason, /the MIME parser reads another From/);
  }
});

it("says rule by rule what it found, up to the first that does not hold", async () => {
  const { lines } = await world.examine(await signedMail(ana, key()));
  assert.deepEqual(
    lines.map(({ rule, ok }) => `${rule}: ${ok}`),
    [
      "1 header lines: true",
      "2 single fields: true",
      "3 From: true",
      "4 readers agree: true",
      "5 signature: true",
      "6 fresh: true",
      "6 addressed: true",
      "7 DNS: true",
    ],
  );
  const unsigned = await world.examine(plainMail(ana));
  const wrong = unsigned.lines.filter(({ ok }) => ok === false);
  assert.deepEqual(wrong, [
    { rule: "5 signature", ok: false, says: "DKIM: no signature by legit.test" },
  ]);
});
