// `channel add email`: both ends are tried from the command line before anything is added.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { type CliRig, cliRig } from "../fakes/cli-rig.ts";
import { withDovecot } from "../fakes/dovecot.ts";
import { mailProvider } from "../fakes/mail-provider.ts";
import { mailDomain, signed } from "../fakes/mail-signed.ts";

const secretsIn = (cli: CliRig) => {
  const folder = join(cli.state, "secrets");
  return existsSync(folder) ? readdirSync(folder) : [];
};

async function isNotAdded(cli: CliRig): Promise<void> {
  const rows = (await cli.json(["channel", "list"])) as { id: string }[];
  assert.deepEqual(rows, []);
  assert.deepEqual(secretsIn(cli), []);
}

const pipe = ["--password-file", "-"];

it(
  "finds the servers that the domain names, tries both, and leaves nothing in the mailbox",
  withDovecot,
  async (t) => {
    const cli = cliRig(t);
    const { address, password, dovecot, smtp, dns } = await mailProvider(t);
    dns.srv("_imaps._tcp.example.org", { target: "localhost", port: dovecot.ports.imaps });
    dns.srv("_submission._tcp.example.org", { target: "localhost", port: smtp.port });
    await dovecot.deliver("From: a@example.net\r\nSubject: kept\r\n\r\nOld.\r\n");
    const before = dovecot.mailbox().list();
    const found = ["--address", address, "--dns", dns.at, "--ca", dovecot.caFile];
    const added = await cli.run(["channel", "add", "email", ...found, ...pipe], password);
    assert.equal(added.code, 0, added.err);
    assert.match(
      added.err,
      /example\.org signs what it sends \(.*DKIM.*\): mail of people at example\.org can be proved/,
    );
    assert.match(added.out, /email is added. It opens with: sallyport start/);
    assert.equal(smtp.mails.length, 1);
    assert.deepEqual(dovecot.mailbox().list(), before);
    const settings = readFileSync(join(cli.state, "settings.yaml"), "utf8");
    assert.match(settings, new RegExp(`imap: imaps://localhost:${dovecot.ports.imaps}\\n`));
    assert.match(settings, new RegExp(`smtp: smtp://localhost:${smtp.port}\\n`));
    assert.doesNotMatch(settings + added.out + added.err, /correct horse/);
    assert.deepEqual(secretsIn(cli), ["email.password"]);
    const tested = await cli.run(["channel", "test", "email"]);
    assert.match(
      tested.out,
      /can be read \(imaps:.*\) and can send \(smtp:.*\)\.\nNo gateway runs/,
    );
  },
);

it(
  "says that a provider does not sign, and adds the mailbox all the same",
  withDovecot,
  async (t) => {
    const cli = cliRig(t);
    const { flags, password } = await mailProvider(t, { signs: false });
    const { code, err } = await cli.run([...flags, ...pipe], password);
    assert.equal(code, 0, err);
    assert.match(err, /does not sign this mail.*would not be trusted here.*turn on DKIM/);
  },
);

it("adds nothing when a step fails, and says what to do", withDovecot, async (t) => {
  const cli = cliRig(t);
  const { flags, password, smtp } = await mailProvider(t);
  const refused = await cli.run([...flags, ...pipe], "wrong");
  assert.equal(refused.code, 1);
  assert.match(refused.err, /localhost does not take this name and password.*app password/);
  assert.match(refused.err, /\nNothing was added\.\n$/);
  const noServer = await cli.run([...flags, "--imap", "localhost:45125", ...pipe], password);
  assert.match(
    noServer.err,
    /"localhost:45125" is no server address\. Give it like imaps:\/\/imap\.example\.org:993/,
  );
  const odd = ["--dns", "ns.example.org", "--name", "a<b"];
  const { code, err, out } = await cli.run([...flags, ...odd, ...pipe], password);
  assert.equal(code, 1);
  assert.match(err, /^channels\.email\.name: a plain name$/m);
  assert.match(err, /^channels\.email\.dns: 127\.0\.0\.1:53 or/m);
  assert.doesNotMatch(err + out, /correct horse/);
  await isNotAdded(cli);
  assert.equal(smtp.mails.length, 0);
});

it(
  "adds nothing where DNS gives no answer, since nobody would be heard",
  withDovecot,
  async (t) => {
    const cli = cliRig(t);
    const { flags, password } = await mailProvider(t);
    const { code, err } = await cli.run([...flags, "--dns", "127.0.0.1:9", ...pipe], password);
    assert.equal(code, 1);
    assert.match(err, /DNS gave no answer.*nobody would be heard.*--dns HOST:PORT.*--skip-test/);
    await isNotAdded(cli);
  },
);

it("does not go on where nobody is trusted", withDovecot, async (t) => {
  const cli = cliRig(t);
  const { address, password, dovecot, smtp } = await mailProvider(t);
  const servers = ["--imap", dovecot.url, "--smtp", smtp.url];
  const add = ["channel", "add", "email", "--address", address, ...servers, ...pipe];
  const { code, err } = await cli.run(add, password);
  assert.equal(code, 1);
  assert.match(err, /certificate of localhost.*nobody that this machine trusts.*--ca FILE/);
  assert.match(err, /Nothing was added/);
  await isNotAdded(cli);
});

it(
  "takes the mail of the test away also when sending was all that worked",
  withDovecot,
  async (t) => {
    const cli = cliRig(t);
    const { flags, password, dovecot, smtp } = await mailProvider(t);
    smtp.faults.add("dot", { reply: "554 5.7.1 no such mail here" });
    const { code, err } = await cli.run([...flags, ...pipe], password);
    assert.equal(code, 1);
    assert.match(err, /could not send itself a mail.*no such mail here/);
    assert.deepEqual(dovecot.mailbox().list(), []);
    await isNotAdded(cli);
  },
);

it(
  "adds without a test when that is wanted, and refuses to add the same twice",
  withDovecot,
  async (t) => {
    const cli = cliRig(t);
    const { flags, password, smtp } = await mailProvider(t);
    const added = await cli.run([...flags, "--skip-test", ...pipe], password);
    assert.equal(added.code, 0, added.err);
    assert.match(added.err, /Not tried out.*channel test email/);
    assert.equal(smtp.connects(), 0);
    const again = await cli.run([...flags, ...pipe], password);
    assert.match(again.err, /There is a channel email already/);
    const twin = await cli.run([...flags, "--id", "other", ...pipe], password);
    assert.match(twin.err, /email reads this mailbox already/);
    assert.equal(smtp.connects(), 0);
    assert.deepEqual(secretsIn(cli), ["email.password"]);
    const rows = (await cli.json(["channel", "list"])) as { id: string; token: string }[];
    assert.deepEqual(
      rows.map(({ id, token }) => [id, token]),
      [["email", "set"]],
    );
    const foreign = await cli.run(["channel", "add", "telegram", "--imap", "imaps://a.example"]);
    assert.match(foreign.err, /kind telegram has no --imap/);
  },
);

it("adds a mailbox to a running gateway, and closes it again", withDovecot, async (t) => {
  const cli = cliRig(t);
  const { flags, password } = await mailProvider(t);
  await cli.start();
  const added = await cli.run([...flags, ...pipe], password);
  assert.equal(added.code, 0, added.err);
  assert.match(added.out, /email is added and open/);
  const tested = await cli.run(["channel", "test", "email"]);
  assert.match(tested.out, /and can send \(smtp:.*\)\.\nemail is connected/);
  const progress = await cli.run(["config", "set", "channels.email.progress", "maybe"]);
  assert.match(progress.err, /channels\.email\.progress: it is on or off/);
  const server = await cli.run(["config", "set", "channels.email.smtp", "localhost:45125"]);
  assert.match(server.err, /is no server address\. Give it like smtps:\/\/smtp\.example\.org:465/);
  assert.equal((await cli.run(["channel", "rm", "email"])).code, 0);
  assert.deepEqual(secretsIn(cli), []);
});

it(
  "opens a mailbox anew with another password, and doctor tells what is wrong",
  withDovecot,
  async (t) => {
    const cli = cliRig(t);
    const { flags, password, dovecot, dns } = await mailProvider(t);
    const key = mailDomain("example.net", dns);
    await cli.start();
    assert.equal((await cli.run([...flags, ...pipe], password)).code, 0);
    const doctor = async () =>
      (await cli.run(["doctor"])).out.split("\n").find((line) => line.includes("channel email")) ??
      "";
    assert.match(await doctor(), /^ok +channel email/);
    dns.fault("example.net", "servfail");
    dns.fault("_dmarc.example.net", "servfail");
    const raw = "From: bob@example.net\r\nTo: agent@example.org\r\nSubject: hi\r\n\r\nHi.\r\n";
    await dovecot.deliver(await signed(Buffer.from(raw), key));
    let waits = await doctor();
    while (waits.startsWith("ok")) waits = await doctor();
    assert.match(waits, /^! +channel email +connected, but: 1 mail waits.*DNS/);
    const set = ["secret", "set", "email.password", "--token-file", "-"];
    const wrong = await cli.run(set, "wrong");
    assert.match(
      wrong.err,
      /It is set, but email could not be opened: .*secret set email\.password/,
    );
    assert.match(
      await doctor(),
      /^WRONG +channel email .*\(sallyport secret set email\.password\)/,
    );
    assert.equal((await cli.run(set, password)).code, 0);
    assert.match((await cli.run(["channel", "test", "email"])).out, /email is connected/);
  },
);
