// Who is let in where: certificates and encryption are never waived, and what is wrong is said in words that help.
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { it, type TestContext } from "node:test";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { withDovecot } from "../fakes/dovecot.ts";
import { makeCertificate } from "../fakes/mail-certificate.ts";
import { agent, type MailboxRig, mailboxRig } from "../fakes/mailbox-rig.ts";

/** 127.0.0.1 by a name that does not show it. */
const elsewhere = "[::ffff:127.0.0.1]";

const secret = Buffer.from(`\0${agent}\0sesame`).toString("base64");

function nothingWentOut({ cut }: MailboxRig): void {
  assert.ok(cut.accepted() > 0, "it was tried");
  assert.doesNotMatch(cut.heard(), /sesame|LOGIN|AUTHENTICATE/i);
  assert.ok(!cut.heard().includes(secret));
}

it("sends no password where STARTTLS is not offered", withDovecot, async (t) => {
  const rig = await mailboxRig(t);
  const listener = rig.open({ imap: `imap://${elsewhere}:${rig.cut.port}` });
  await rig.start(listener);
  await rig.until("the refusal", () => listener.health().lastError !== undefined);
  assert.match(listener.health().lastError ?? "", /offers no encryption.*imaps:\/\//);
  nothingWentOut(rig);
});

it(
  "sends no password where somebody takes STARTTLS out of what the server says",
  withDovecot,
  async (t) => {
    const rig = await mailboxRig(t, { tls: "offered" });
    rig.cut.leadTo(rig.dovecot.ports.imap);
    rig.cut.rewrite((text) => text.replaceAll("STARTTLS", "XXXXXXXX"));
    const listener = rig.open({ imap: `imap://${elsewhere}:${rig.cut.port}` });
    await rig.start(listener);
    await rig.until("the refusal", () => listener.health().lastError !== undefined);
    assert.match(listener.health().lastError ?? "", /offers no encryption/);
    nothingWentOut(rig);
  },
);

it("sends no password where somebody says that it is signed in already", withDovecot, async (t) => {
  const rig = await mailboxRig(t, { tls: "offered" });
  rig.cut.leadTo(rig.dovecot.ports.imap);
  rig.cut.rewrite((text) => text.replace(/^\* OK/, "* PREAUTH"));
  const listener = rig.open({ imap: `imap://${elsewhere}:${rig.cut.port}` });
  await rig.start(listener);
  await rig.until("the refusal", () => listener.health().lastError !== undefined);
  nothingWentOut(rig);
  assert.doesNotMatch(rig.cut.heard(), /SELECT/);
});

it("encrypts by STARTTLS where it is offered, also on this machine", withDovecot, async (t) => {
  const rig = await mailboxRig(t, { tls: "offered" });
  rig.cut.leadTo(rig.dovecot.ports.imap);
  await rig.start(rig.open({ imap: `imap://localhost:${rig.cut.port}` }));
  await rig.writes("hello");
  await rig.until("the mail", () => rig.heard.length === 1);
  assert.match(rig.cut.heard(), /STARTTLS/);
  nothingWentOut(rig);
});

it(
  "trusts no certificate that nobody vouches for, and says how to trust it",
  withDovecot,
  async (t) => {
    const rig = await mailboxRig(t, { tls: "offered" });
    const listener = rig.open({ ca: undefined });
    await rig.start(listener);
    await rig.until("the refusal", () => listener.health().lastError !== undefined);
    assert.equal(listener.health().state, "reconnecting");
    assert.match(
      listener.health().lastError ?? "",
      /certificate of localhost is not trusted.*channels\.email\.ca/,
    );
    nothingWentOut(rig);
  },
);

it("trusts no certificate for another name", withDovecot, async (t) => {
  const certificate = makeCertificate(["mail.example.net"]);
  const rig = await mailboxRig(t, { tls: "offered", certificate });
  const listener = rig.open();
  await rig.start(listener);
  await rig.until("the refusal", () => listener.health().lastError !== undefined);
  assert.match(listener.health().lastError ?? "", /certificate of localhost is for another name/);
  nothingWentOut(rig);
});

it("does not open where the file with certificates cannot be read", withDovecot, async (t) => {
  const rig = await mailboxRig(t, { tls: "offered" });
  const ca = join(temporaryFolder(t), "ca.pem");
  assert.throws(() => rig.open({ ca }), /certificates.*ca.pem/);
});

it("says that the password is wrong, and goes on once it is right", withDovecot, async (t) => {
  const rig = await mailboxRig(t, { settings: { retrySeconds: 0.05 } });
  const listener = rig.open({ password: "open" });
  await rig.start(listener);
  await rig.until("the refusal", () => listener.health().state === "unauthorised");
  assert.match(
    listener.health().lastError ?? "",
    /does not take the password of agent@example\.org/,
  );
  assert.ok(!rig.log.lines.join().includes('"open"'));
  await rig.writes("hello");
  const users = join(dirname(rig.dovecot.caFile), "users");
  writeFileSync(users, `${agent}:{PLAIN}open::::::\n`);
  await rig.until("the sign-in", () => listener.health().state === "connected");
  await rig.writes("again");
  await rig.until("the mail", () => rig.heard.length > 0);
});

/** Says whose a token is, and which are good. */
async function tokenServer(t: TestContext, good: (token: string) => boolean) {
  const server = createServer((request, response) => {
    const token = new URL(request.url ?? "/", "http://localhost").searchParams.get("token") ?? "";
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ email: agent, active: good(token) ? "yes" : "no" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/?token=`;
}

it(
  "signs in with what the token command prints, a new one for each connection",
  withDovecot,
  async (t) => {
    const seen: string[] = [];
    const introspection = await tokenServer(t, (token) => {
      seen.push(token);
      return token.startsWith("secret-token-");
    });
    const rig = await mailboxRig(t, { introspection });
    const count = join(temporaryFolder(t), "count");
    const tokenCommand = `echo x >> ${count}; echo secret-token-$(wc -l < ${count})`;
    await rig.start(rig.open({ password: undefined, tokenCommand }));
    await rig.writes("one");
    await rig.until("the mail", () => rig.heard.length === 1);
    rig.cut.cut();
    await rig.writes("two");
    await rig.until("the next mail", () => rig.heard.length === 2);
    assert.deepEqual([...new Set(seen)], ["secret-token-1", "secret-token-2"]);
    assert.doesNotMatch(rig.log.lines.join("\n"), /secret-token/);
  },
);

it(
  "says so when the token is refused, or the command prints none, without what it printed",
  withDovecot,
  async (t) => {
    const introspection = await tokenServer(t, () => false);
    const rig = await mailboxRig(t, { introspection });
    const refused = rig.open({ password: undefined, tokenCommand: "echo secret-token" });
    await rig.start(refused);
    await rig.until("the refusal", () => refused.health().state === "unauthorised");
    assert.match(refused.health().lastError ?? "", /does not take the token/);
    const silent = rig.open({
      password: undefined,
      tokenCommand: "echo secret-words of two; exit 3",
    });
    await rig.start(silent);
    await rig.until("the trouble", () => silent.health().lastError !== undefined);
    assert.match(silent.health().lastError ?? "", /tokenCommand failed \(3\).*by hand/);
    const said = rig.log.lines.join("\n") + JSON.stringify([refused.health(), silent.health()]);
    assert.doesNotMatch(said, /secret-/);
  },
);

it(
  "starts at once where the server is silent, and says that it does not answer",
  withDovecot,
  async (t) => {
    const rig = await mailboxRig(t);
    rig.cut.stall();
    const listener = rig.open({ answerSeconds: 600, deafSeconds: 0.5 });
    const began = Date.now();
    await rig.start(listener);
    assert.ok(Date.now() - began < 5000, "it held up who started it");
    assert.equal(listener.health().state, "deaf");
    await listener.stop();
    assert.equal(listener.health().state, "stopped");
    const other = rig.open({ answerSeconds: 0.3 });
    await rig.start(other);
    await rig.until("the trouble", () => other.health().lastError !== undefined);
    assert.match(other.health().lastError ?? "", /localhost does not answer/);
  },
);

it("names the folder that is not there", withDovecot, async (t) => {
  const rig = await mailboxRig(t);
  const listener = rig.open({ folder: "Agent" });
  await rig.start(listener);
  await rig.until("the trouble", () => listener.health().lastError !== undefined);
  assert.match(listener.health().lastError ?? "", /no folder Agent/);
});

it("leaves no connection behind when it stops", withDovecot, async (t) => {
  const rig = await mailboxRig(t);
  const listener = rig.open();
  await rig.start(listener);
  await rig.until("the connection", () => rig.cut.connected() === 1);
  await listener.stop();
  await rig.until("the end of it", () => rig.cut.connected() === 0);
});
