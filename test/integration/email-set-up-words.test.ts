// What whoever sets a mailbox up is told of servers that do not do what they should.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { ImapFlow } from "imapflow";
import { configSchema } from "../../channels/email/config.ts";
import type { Verdict } from "../../channels/email/mail.ts";
import { type TryOut, tryMailbox } from "../../channels/email/set-up.ts";
import { byFlag, passwordHint, troubleWith } from "../../channels/email/set-up-words.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { withDovecot } from "../fakes/dovecot.ts";
import { type MailProvider, mailProvider } from "../fakes/mail-provider.ts";

const nobody: Verdict = { is: "unauthenticated", address: null, reason: "nobody asked" };

/** What is wrong, and all that was said on the way. */
async function tried(
  { address, password, dovecot, smtp }: MailProvider,
  more: Readonly<Record<string, unknown>> = {},
  trying: Partial<TryOut> = {},
) {
  const usual = { imap: dovecot.url, smtp: smtp.url, ca: dovecot.caFile };
  const config = configSchema.parse({ address, password, ...usual, ...more });
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const usually = { say, judge: async () => nobody, patience: 1500 };
  const problem = await tryMailbox(config, { ...usually, ...trying });
  return { problem: problem ?? "", said: said.join("\n") };
}

it("says of each thing that can be wrong with a server what to do", withDovecot, async (t) => {
  const provider = await mailProvider(t);
  const { dovecot, smtp } = provider;
  const odd = join(temporaryFolder(t), "odd.pem");
  writeFileSync(odd, "no certificate\n");
  const { imap, imaps } = dovecot.ports;
  const cases: readonly (readonly [Readonly<Record<string, unknown>>, RegExp])[] = [
    [{ user: "nobody" }, /localhost does not take this name and password/],
    [{ ca: odd }, /odd\.pem.*no certificate.*PEM/],
    [{ ca: `${odd}.not` }, /certificates.*cannot be read/],
    [{ imap: "imaps://localhost:1" }, /Nobody listens at localhost, port 1\..*--imap/],
    [{ smtp: "smtp://localhost:1" }, /Nobody listens at localhost, port 1\..*--smtp/],
    [{ imap: "imaps://nowhere.invalid" }, /no server nowhere\.invalid.*--imap/],
    [{ smtp: "smtps://nowhere.invalid" }, /no server nowhere\.invalid.*--smtp/],
    [{ imap: `imaps://localhost:${imap}` }, /not speak TLS.*--imap imap:\/\/localhost:/],
    [{ smtp: `smtps://localhost:${smtp.port}` }, /not speak TLS.*--smtp smtp:\/\/localhost:/],
    [{ smtp: `smtps://localhost:${imaps}` }, /port \d+ is an IMAP server.*SMTP server.*--smtp/],
    [{ smtp: `smtp://localhost:${imap}` }, /is an IMAP server.*--smtp/],
    [{ imap: `imaps://localhost:${smtp.port}` }, /port \d+ is an SMTP server.*IMAP server.*--imap/],
    [{ ca: undefined, imap: `imaps://localhost:${imaps}` }, /nobody that this machine.*--ca FILE/],
    [{ folder: "Nope" }, /no folder Nope.*There are: INBOX/],
    [{ tokenCommand: "exit 3" }, /tokenCommand failed \(3\).*try it by hand/],
    [{ tokenCommand: "echo one" }, /does not take OAuth2 tokens.*--password-file/],
    [
      { dkimDomain: "example.org", dkimSelector: "a", dkimKey: "sesame" },
      /DKIM key is no RSA private key.*--dkim-key-file/,
    ],
  ];
  for (const [more, says] of cases) {
    const { problem } = await tried(provider, more);
    assert.match(problem, says);
    assert.doesNotMatch(problem, /correct horse|sesame/);
  }
  assert.equal(smtp.mails.length, 0);
});

it("sends no password where encryption is not offered", withDovecot, async (t) => {
  const { dovecot } = await mailProvider(t, { dovecot: { tls: "none" } });
  const auth = { user: "agent", pass: "sesame" };
  const at = { host: "localhost", port: dovecot.ports.imap, secure: false, doSTARTTLS: true };
  const client = new ImapFlow({ ...at, auth, logger: false });
  client.on("error", () => {});
  const error = await client.connect().then(
    () => assert.fail("it signed in"),
    (reason: unknown) => reason,
  );
  const url = "imap://imap.example.org:143";
  assert.match(
    troubleWith({ does: "read", url, password: "sesame", naming: byFlag }, error),
    /imap\.example\.org, port 143 does not offer encryption.*--imap imaps:\/\//,
  );
});

it("repeats nothing of what it signed in with", () => {
  const at = { does: "sent", url: "smtps://smtp.example.org" } as const;
  const end = { ...at, password: "open sesame", naming: byFlag };
  const response = `535 5.7.8 no: open sesame, ${Buffer.from("open sesame").toString("base64")}`;
  const words = troubleWith(end, Object.assign(new Error("x"), { code: "EAUTH", response }));
  assert.match(words, /It said: 535 5\.7\.8 no: …, …\./);
});

it("signs in with tokens at both ends", withDovecot, async (t) => {
  const address = "agent@example.org";
  const introspection = createServer((request, response) => {
    const isRight = request.url?.startsWith("/?token=token-of-agent&") === true;
    response.end(JSON.stringify({ email: address, active: isRight ? "yes" : "no" }));
  });
  introspection.listen(0, "127.0.0.1");
  t.after(() => introspection.close());
  await new Promise((resolve) => introspection.once("listening", resolve));
  const { port } = introspection.address() as AddressInfo;
  const provider = await mailProvider(t, {
    dovecot: { introspection: `http://127.0.0.1:${port}/?token=` },
    smtp: { tokens: { [address]: "token-of-agent" } },
  });
  const right = await tried(provider, {
    ...{ password: undefined, tokenCommand: "echo token-of-agent" },
  });
  assert.equal(right.problem, "");
  const wrong = await tried(provider, { password: undefined, tokenCommand: "echo another" });
  assert.match(wrong.problem, /does not take this name and token.*token command prints/);
});

/** What was sent lands elsewhere. */
async function strays(t: TestContext, folder: string | null, sent = () => {}) {
  const provider = await mailProvider(t, {
    deliver: (raw, dovecot) => {
      sent();
      if (folder !== null) dovecot.mailbox(`agent@example.org/.${folder}`).add(raw);
    },
  });
  const old = "Subject: old\r\n\r\nOld.\r\n";
  await provider.dovecot.deliver(old);
  // A folder lies inside of that of the inbox, which is made by its first mail.
  if (folder !== null) provider.dovecot.mailbox(`agent@example.org/.${folder}`).add(old);
  return provider;
}

it("finds the mail among the spam, and takes it away there as well", withDovecot, async (t) => {
  const provider = await strays(t, "Junk");
  const { problem } = await tried(provider);
  assert.match(problem, /arrived in the folder Junk, and INBOX is what is read.*--skip-test/);
  assert.equal(provider.dovecot.mailbox("agent@example.org/.Junk").list().length, 1);
});

it("tidies up when somebody waits no longer", withDovecot, async (t) => {
  const cut = new AbortController();
  const provider = await strays(t, "Junk", () => cut.abort());
  const { problem } = await tried(provider, {}, { signal: cut.signal, patience: 60_000 });
  assert.match(problem, /given up/);
  assert.equal(provider.dovecot.mailbox("agent@example.org/.Junk").list().length, 1);
});

it("says that the server went away while the mail was waited for", withDovecot, async (t) => {
  const provider = await mailProvider(t, { deliver: (_, dovecot) => dovecot.kill() });
  const { problem, said } = await tried(provider);
  assert.match(problem, /localhost, port \d+/);
  assert.match(said, /could not be removed. Delete it yourself: its subject ends in [0-9a-f]{18}/);
});

it("gives up on a mail that does not come", withDovecot, async (t) => {
  const { problem } = await tried(await strays(t, null));
  assert.match(problem, /was sent, but did not arrive.*--skip-test/);
});

it("expunges nothing that others have marked", withDovecot, async (t) => {
  const provider = await mailProvider(t, { dovecot: { capability: "IMAP4rev1 IDLE" } });
  const { problem, said } = await tried(provider);
  assert.equal(problem, "");
  assert.match(said, /in INBOX is marked as deleted/);
  assert.equal(provider.dovecot.mailbox().list().length, 1);
});

it("knows whose passwords are not those of the account", () => {
  assert.match(passwordHint("imaps://imap.gmail.com:993") ?? "", /app password/);
  assert.match(passwordHint("imaps://outlook.office365.com") ?? "", /--token-command/);
  assert.equal(passwordHint("imaps://gmail.com.example.org"), undefined);
});

it("tells what the signature of a provider means for the people there", withDovecot, async (t) => {
  const provider = await mailProvider(t);
  const good: Verdict = {
    ...{ is: "authenticated", address: provider.address, marks: [] },
    reason: "DKIM example.org, DMARC pass",
  };
  const signed = await tried(provider, {}, { judge: async () => good });
  assert.match(signed.said, /example\.org signs what it sends \(DKIM example\.org, DMARC pass\)/);
  const unsure: Verdict = { is: "retry", address: null, reason: "no answer" };
  const late = await tried(provider, {}, { judge: async () => unsure });
  assert.match(late.problem, /DNS gave no answer.*\(no answer\).*--skip-test/);
  assert.match(late.said, /Signed in at localhost for reading.*\n.*localhost for sending/);
});
