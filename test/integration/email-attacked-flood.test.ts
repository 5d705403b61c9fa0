// Mails made to take long: whoever sends many of them holds up nobody else, proved or not.
import assert from "node:assert/strict";
import { it } from "node:test";
import { authenticate } from "../../channels/email/authenticity.ts";
import { createShares } from "../../channels/email/shares.ts";
import { startOddImap } from "../fakes/imap-odd.ts";
import { mailDomain, rawMail, signed } from "../fakes/mail-signed.ts";
import { agent, listeningRig } from "../fakes/mailbox-rig.ts";

/** About two seconds each: as long as one mail may take. */
const body = `${"<blockquote>".repeat(199)}${"x<br>\r\n".repeat(60_000)}`;

function heavy(from: string, at: number): Buffer {
  const date = new Date().toUTCString().replace("GMT", "+0000");
  return rawMail(
    [
      `From: ${from}`,
      `To: ${agent}`,
      "Subject: heavy",
      `Date: ${date}`,
      `Message-ID: <${at}@flood.test>`,
      "MIME-Version: 1.0",
      "Content-Type: text/html",
    ],
    body,
  );
}

it("reads no more than the header of what proves nobody", async (t) => {
  const imap = await startOddImap(t);
  const rig = await listeningRig(t, { port: imap.port }, { settings: { answerSeconds: 10 } });
  await rig.start(rig.open());
  const began = Date.now();
  for (let at = 0; at < 40; at++) imap.add(heavy("x@flood.test", at));
  imap.add(await rig.mail("hello"));
  await rig.until("the mail behind them", () => rig.texts().includes("hello"));
  assert.equal(rig.heard.length, 41);
  assert.ok(Date.now() - began < 15_000, `${Date.now() - began} ms`);
});

it("spends no more on whoever is proved and sends many of them, and says so", async (t) => {
  const imap = await startOddImap(t);
  const rig = await listeningRig(t, { port: imap.port }, { settings: { answerSeconds: 10 } });
  const key = mailDomain("flood.test", rig.dns);
  await rig.start(rig.open());
  for (let at = 0; at < 30; at++) imap.add(await signed(heavy("x@flood.test", at), key));
  imap.add(await rig.mail("hello"));
  await rig.until("the mail behind them", () => rig.texts().includes("hello"));
  const why = rig.heard.map(({ unreadable }) => unreadable ?? "");
  const read = why.filter((one) => one === "a mail that takes too long to take apart");
  assert.ok(read.length <= 6, `${read.length} were read`);
  assert.equal(
    why.filter((one) => /send it again in ten minutes/.test(one)).length,
    30 - read.length,
  );
});

it("counts what takes long for the address and for its domain, for a while", async () => {
  const shares = createShares({ span: 200, address: 1000, domain: 2500 });
  for (let times = 0; times < 100; times++) shares.take("ana@example.org", 100);
  assert.ok(shares.isLeft("ana@example.org"), "ordinary mails cost nothing");
  shares.take("ana@example.org", 1200);
  assert.deepEqual(["ana@example.org", "leo@example.org", "leo@example.net"].map(shares.isLeft), [
    false,
    true,
    true,
  ]);
  shares.take("leo@mail.example.org", 1400);
  assert.deepEqual(
    ["max@example.org", "max@other.example.org", "max@example.net"].map(shares.isLeft),
    [false, false, true],
  );
  await new Promise((resolve) => setTimeout(resolve, 210));
  assert.ok(shares.isLeft("ana@example.org"));
});

it("hashes no mail of millions of empty lines, and lets others have their turn meanwhile", async () => {
  const key = `v=1; a=rsa-sha256; c=relaxed/relaxed; d=flood.test; s=s1; h=from:subject`;
  const head = `DKIM-Signature: ${key}; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA\r\nFrom: x@flood.test\r\nSubject: x\r\n\r\n`;
  const before = process.cpuUsage();
  const verdict = await authenticate(Buffer.from(`${head}${" \r\n".repeat(8_000_000)}x`), {
    resolve: async (name) => {
      throw Object.assign(new Error(name), { code: "ENOTFOUND" });
    },
    ...{ now: Date.now(), to: null, arcSealers: [] },
    mime: { from: [{ name: "", address: "x@flood.test" }], to: [], cc: [], loose: [] },
  });
  assert.equal(verdict.is, "unauthenticated");
  assert.match(verdict.reason, /more than a million lines/);
  assert.ok(process.cpuUsage(before).user / 1000 < 4000);
});
