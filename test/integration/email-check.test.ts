// `sallyport email check`: whom a saved mail is from, rule by rule, as a real process.
import assert from "node:assert/strict";
import { existsSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { type CliRig, cliRig } from "../fakes/cli-rig.ts";
import { startMailDns } from "../fakes/mail-dns.ts";
import { keyName, mailDomain, plainMail, signedMail } from "../fakes/mail-signed.ts";

const letter = { from: "Ana <Ana@example.org>", to: "agent@example.net" };

async function rig(t: TestContext) {
  const cli = cliRig(t);
  const dns = await startMailDns();
  t.after(() => dns.close());
  const key = mailDomain("example.org", dns);
  const save = (raw: Buffer | string, name = "mail.eml") => {
    writeFileSync(join(cli.workspace, name), raw);
    return name;
  };
  const check = (file: string, ...more: string[]) =>
    cli.run(["email", "check", file, "--dns", dns.at, ...more]);
  return { cli, dns, key, save, check };
}

async function verdictOf(ran: ReturnType<CliRig["run"]>) {
  const { code, out, err } = await ran;
  assert.equal(code, 0, err);
  return JSON.parse(out) as { verdict: string; address: string | null; reason: string };
}

it("prints what each rule found, and that it is proved", async (t) => {
  const { cli, key, save, check } = await rig(t);
  const file = save(await signedMail(letter, key));
  const { code, out } = await check(file, "--to", letter.to);
  assert.equal(code, 0);
  for (const rule of [1, 2, 3, 4, 5, 6, 7])
    assert.match(out, new RegExp(`^${rule} [\\w ]+ +holds  .+$`, "im"));
  assert.match(out, /^authenticated \(Ana@example\.org\) - .*DKIM.*example\.org/m);
  assert.match(out, /seen it before cannot be checked/);
  assert.doesNotMatch(out, /FAILS|was not checked/);
  assert.equal(existsSync(cli.state), false, "it needs no state, and makes none");
});

it("gives programs the verdict, the address and the reason, and no more", async (t) => {
  const { dns, key, save, check } = await rig(t);
  const proved = save(await signedMail(letter, key), "proved.eml");
  const forged = save(plainMail(letter), "forged.eml");
  const good = await verdictOf(check(proved, "--json"));
  assert.deepEqual(Object.keys(good), ["verdict", "address", "reason"]);
  assert.deepEqual([good.verdict, good.address], ["authenticated", "Ana@example.org"]);
  const bad = await verdictOf(check(forged, "--json"));
  assert.deepEqual([bad.verdict, bad.address], ["unauthenticated", "Ana@example.org"]);
  assert.notEqual(bad.reason, "");
  const none = await verdictOf(check(save("no mail at all", "none.eml"), "--json"));
  assert.deepEqual([none.verdict, none.address], ["unauthenticated", null]);
  dns.fault(keyName(key), "servfail");
  const late = await verdictOf(check(proved, "--json"));
  assert.deepEqual([late.verdict, late.address], ["retry", "Ana@example.org"]);
});

it("prints which rule fails, and what DNS did not answer", async (t) => {
  const { dns, key, save, check } = await rig(t);
  const other = await check(save(await signedMail(letter, key)), "--to", "other@example.net");
  assert.equal(other.code, 0);
  assert.match(other.out, /^6 [\w ]+ +FAILS .*other@example\.net/m);
  assert.match(other.out, /^unauthenticated \(Ana@example\.org\)/m);
  dns.fault(keyName(key), "servfail");
  const late = await check("mail.eml");
  assert.match(late.out, /^5 [\w ]+ +\? .*/m);
  assert.match(late.out, /^retry /m);
  assert.match(late.out, /Whom it was for was not checked: .*--to ADDRESS/);
});

it("takes the mailbox, its DNS server and the believed seals from the settings", async (t) => {
  const { cli, dns, key, save } = await rig(t);
  const servers = ["--imap", "imaps://imap.example.net", "--smtp", "smtps://smtp.example.net"];
  const add = ["channel", "add", "email", "--address", letter.to, "--dns", dns.at, ...servers];
  const added = await cli.run([...add, "--skip-test", "--password-file", "-"], "secret");
  assert.equal(added.code, 0, added.err);
  const file = save(await signedMail(letter, key));
  const mine = await verdictOf(cli.run(["email", "check", file, "--json"]));
  assert.equal(mine.verdict, "authenticated");
  const theirs = save(await signedMail({ ...letter, to: "bob@example.net" }, key));
  const { out } = await cli.run(["email", "check", theirs]);
  assert.match(out, /^6 [\w ]+ +FAILS .*agent@example\.net/m);
});

it("reads standard input, and a file with the line breaks of Unix", async (t) => {
  const { cli, dns, key, save, check } = await rig(t);
  const raw = (await signedMail(letter, key)).toString("latin1");
  const args = ["email", "check", "-", "--dns", dns.at, "--json"];
  assert.equal((await verdictOf(cli.run(args, raw))).verdict, "authenticated");
  const unix = save(raw.replaceAll("\r\n", "\n"));
  assert.equal((await verdictOf(check(unix, "--json"))).verdict, "authenticated");
});

it("ends with 1 and says what to do where there is no mail to read", async (t) => {
  const { cli, save, check } = await rig(t);
  const cases: readonly (readonly [string, RegExp, ...string[]])[] = [
    ["missing.eml", /missing\.eml could not be read: there is no such file.*\.eml/],
    [".", /is no plain file/],
    ["large.eml", /larger than 25 MB/],
    ["mail.eml", /--dns .* is no address of a DNS server.*127\.0\.0\.1:53/, "--dns", "here"],
    ["mail.eml", /--to nobody is no address/, "--to", "nobody"],
  ];
  save("Subject: x\r\n\r\nx");
  truncateSync(join(cli.workspace, save("", "large.eml")), 25 * 1024 * 1024 + 1);
  for (const [file, says, ...more] of cases) {
    const { code, err, out } = await check(file, ...more);
    assert.equal(code, 1);
    assert.match(err, says);
    assert.equal(out, "");
  }
  assert.deepEqual(readdirSync(cli.workspace).sort(), ["large.eml", "mail.eml"]);
});

it("lets nothing in a mail drive the terminal", async (t) => {
  const { save, check } = await rig(t);
  const from = "From: \u001b]0;x\u0007\u202e <a@example.org>\r\n";
  const file = save(`${from}From: b@example.org\u009b2J\r\nSubject: \u001b[2J\r\n\r\nx`);
  for (const more of [[], ["--json"]]) {
    const { out } = await check(file, ...more);
    assert.doesNotMatch(out.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
  }
});
