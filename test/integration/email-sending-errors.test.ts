// What a mail that does not go out means, step by step on a real SMTP server: tried again, in doubt, or over.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import { it } from "node:test";
import type { SendErrorKind } from "../../src/core/channel.ts";
import { makeCertificate } from "../fakes/mail-certificate.ts";
import { agent, senderRig } from "../fakes/mail-sender-rig.ts";
import type { SmtpStep } from "../fakes/mail-smtp-faults.ts";

type Case = [step: SmtpStep, reply: string, kind: SendErrorKind];
const replies: Case[] = [
  ["connect", "421 4.3.2 shutting down", "not-sent"],
  ["connect", "554 5.7.1 your address is blocked", "not-sent"],
  ["EHLO", "421 4.3.2 shutting down", "not-sent"],
  ["STARTTLS", "454 4.7.0 TLS not available", "not-sent"],
  ["AUTH", "454 4.7.0 temporary failure", "not-sent"],
  ["AUTH", "535 5.7.8 bad credentials", "unauthorised"],
  ["AUTH", "534 5.7.9 application password required", "unauthorised"],
  ["MAIL", "451 4.3.0 later", "not-sent"],
  ["MAIL", "421 4.4.2 timeout", "not-sent"],
  ["MAIL", "530 5.7.0 authentication required", "unauthorised"],
  ["MAIL", "550 5.7.1 sender refused", "rejected"],
  ["MAIL", "550 5.1.1 no such sender", "rejected"],
  ["MAIL", "552 5.3.4 message too big", "rejected"],
  ["RCPT", "450 4.2.0 greylisted", "not-sent"],
  ["RCPT", "450 4.7.1 slow down", "rate-limited"],
  ["RCPT", "452 4.2.2 mailbox full", "not-sent"],
  ["RCPT", "452 too many messages from you", "rate-limited"],
  ["RCPT", "550 5.1.1 no such user", "gone"],
  ["RCPT", "550 5.1.10 null MX", "gone"],
  ["RCPT", "550 No such user here", "gone"],
  ["RCPT", "550 5.2.1 mailbox disabled", "rejected"],
  ["RCPT", "552 5.2.2 mailbox full", "rejected"],
  ["RCPT", "550 5.7.1 relaying denied", "rejected"],
  ["RCPT", "554 refused", "rejected"],
  ["DATA", "451 4.3.0 later", "not-sent"],
  ["DATA", "503 5.5.1 bad sequence", "not-sent"],
  ["DATA", "554 5.5.1 no valid recipients", "rejected"],
  ["dot", "451 4.3.0 later", "not-sent"],
  ["dot", "421 4.7.28 unusual rate of mail", "rate-limited"],
  ["dot", "550 5.1.1 no such user", "gone"],
  ["dot", "552 5.3.4 message too big", "rejected"],
  ["dot", "554 5.7.1 looks like spam", "rejected"],
];

it("every answer of the server, at every step, means one of six things, and the next mail goes out", async (test) => {
  const rig = await senderRig(test);
  const to = await rig.hear();
  let sent = 0;
  for (const [step, reply, kind] of replies) {
    rig.smtp.faults.add(step, { reply });
    const failure = await rig.failure(to);
    assert.equal(failure.kind, kind, `${step}: ${reply}: ${failure.message}`);
    assert.equal(failure.detail.format, undefined);
    assert.equal((failure.detail.retryAfter ?? 0) >= 1000, kind === "rate-limited");
    assert.ok(failure.message.includes(reply.slice(0, 3)), failure.message);
    rig.smtp.faults.clear();
    // A connection that is open would not be asked again to sign in.
    if (setUp.has(step)) continue;
    await rig.sent(to, { plain: "Done." });
    sent += 1;
  }
  assert.equal(rig.smtp.mails.length, sent);
});

const setUp: ReadonlySet<SmtpStep> = new Set(["connect", "EHLO", "STARTTLS", "AUTH"]);

it("a connection that breaks before the end of the mail means that it is not there", async (test) => {
  const rig = await senderRig(test);
  const to = await rig.hear();
  const big = await rig.file("big.bin", Buffer.alloc(8_000_000, 7));
  const steps: SmtpStep[] = [
    "connect",
    "EHLO",
    "STARTTLS",
    "AUTH",
    "MAIL",
    "RCPT",
    "DATA",
    "content",
  ];
  for (const step of steps) {
    rig.smtp.faults.add(step, { drop: true });
    const failure = await rig.failure(to, { plain: "An answer", file: big });
    assert.equal(failure.kind, "not-sent", `${step}: ${failure.message}`);
    rig.smtp.faults.clear();
  }
  assert.equal(rig.smtp.mails.length, 0);
});

it("a connection that breaks after it leaves in doubt whether the mail is there, signed or not", async (test) => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const dkimKey = privateKey.export({ type: "pkcs8", format: "pem" });
  const signing = { dkimDomain: "sally.test", dkimSelector: "one", dkimKey };
  for (const config of [{}, signing]) {
    const rig = await senderRig(test, { config });
    const to = await rig.hear();
    rig.smtp.faults.add("dot", { drop: true, kept: true }, { times: 1 });
    assert.equal((await rig.failure(to)).kind, "unknown");
    assert.equal(rig.smtp.mails.length, 1);
    rig.smtp.faults.add("dot", { drop: true }, { times: 1 });
    assert.equal((await rig.failure(to)).kind, "unknown");
    assert.equal(rig.smtp.mails.length, 1);
    const big = { plain: "An answer", file: await rig.file("big", Buffer.alloc(8_000_000, 7)) };
    rig.smtp.faults.add("content", { drop: true }, { times: 1 });
    assert.equal((await rig.failure(to, big)).kind, "not-sent");
  }
});

it("a server that stops answering is given up, in time", async (test) => {
  const steps = ["connect", "EHLO", "STARTTLS", "AUTH", "MAIL", "RCPT", "DATA", "dot"] as const;
  const hangs = steps.map(async (step) => {
    const rig = await senderRig(test, { config: { answerSeconds: 0.7 } });
    const to = await rig.hear();
    rig.smtp.faults.add(step, { hang: true });
    const before = Date.now();
    const failure = await rig.failure(to);
    assert.equal(failure.kind, step === "dot" ? "unknown" : "not-sent", step);
    assert.match(failure.message, /no answer in time/, step);
    assert.ok(Date.now() - before < 10_000, step);
  });
  await Promise.all(hangs);
});

it("a server that is away or cannot be trusted gets no mail and no password", async (test) => {
  const away = await senderRig(test);
  await away.smtp.close();
  const refused = await away.failure(await away.hear());
  assert.equal(refused.kind, "not-sent");
  assert.match(refused.message, /ECONNREFUSED/);
  for (const tls of ["implicit", "starttls"] as const) {
    const rig = await senderRig(test, {
      smtp: { tls, users: { [agent]: "a secret" } },
      untrusting: true,
    });
    const failure = await rig.failure(await rig.hear());
    assert.equal(failure.kind, "not-sent");
    assert.match(failure.message, /certificate.*`ca`/);
    assert.ok(!rig.smtp.commands.includes("AUTH"));
    assert.ok(!rig.smtp.commands.includes("MAIL"));
  }
});

it("a certificate for another name is refused", async (test) => {
  const certificate = makeCertificate(["mail.example.org"]);
  const rig = await senderRig(test, { smtp: { certificate, users: { [agent]: "a secret" } } });
  const failure = await rig.failure(await rig.hear());
  assert.equal(failure.kind, "not-sent");
  assert.match(failure.message, /another name/);
  assert.ok(!rig.smtp.commands.includes("AUTH"));
});

it("a server elsewhere that offers no encryption gets nothing", async (test) => {
  const smtp = { tls: "none", users: { [agent]: "a secret" } } as const;
  const rig = await senderRig(test, {
    smtp,
    // Another way to write this machine, which the channel does not take for it.
    elsewhere: "[::ffff:127.0.0.1]",
  });
  const failure = await rig.failure(await rig.hear());
  assert.equal(failure.kind, "not-sent");
  assert.match(failure.message, /TLS|STARTTLS/);
  assert.deepEqual(new Set(rig.smtp.commands), new Set(["EHLO"]));
});

it("a token command that fails is a sign-in that fails", async (test) => {
  const rig = await senderRig(test, {
    smtp: { tokens: { [agent]: "token" } },
    config: { password: undefined, tokenCommand: "print-token" },
    accessToken: () => Promise.reject(new Error("printed: geheim-7")),
  });
  const failure = await rig.failure(await rig.hear());
  assert.equal(failure.kind, "unauthorised");
  assert.match(failure.message, /tokenCommand/);
  assert.doesNotMatch(failure.message, /geheim-7/);
});

it("neither a password nor a token is in any error or log line, whatever the server repeats", async (test) => {
  const password = "Pa$$w0rd-geheim";
  const coded = Buffer.from(`\0${agent}\0${password}`).toString("base64");
  const rig = await senderRig(test, {
    smtp: { users: { [agent]: password } },
    config: { password },
  });
  const to = await rig.hear();
  const lines: string[] = [];
  for (const step of ["AUTH", "MAIL", "RCPT", "dot"] as const) {
    rig.smtp.faults.add(step, { reply: `550 5.7.1 you said ${password} and ${coded}` });
    lines.push((await rig.failure(to)).message);
    rig.smtp.faults.clear();
  }
  lines.push(...rig.logged);
  for (const line of lines) {
    assert.ok(!line.includes(password), line);
    assert.ok(!line.includes(coded), line);
  }
});

it("a file that is gone, or breaks off, sends no half a mail", {
  skip: !existsSync("/proc/self/mem"),
}, async (test) => {
  const rig = await senderRig(test);
  const to = await rig.hear();
  const file = await rig.file("a.txt", "a");
  const paths = ["/nowhere/a.txt", "/tmp", "http://127.0.0.1:1/a", "data:text/plain,a", "a.txt"];
  for (const path of paths) {
    const failure = await rig.failure(to, { plain: "A file", file: { ...file, path } });
    assert.equal(failure.kind, "rejected");
    assert.match(failure.message, /a\.txt cannot be read/);
  }
  // It is there, and no byte of it can be read.
  const broken = { ...file, path: "/proc/self/mem" };
  const failure = await rig.failure(to, { plain: "A file", file: broken });
  assert.equal(failure.kind, "rejected");
  assert.match(failure.message, /cannot be read/);
  assert.equal((await rig.sent(to, { plain: "Done." })).parsed.text?.trim(), "Done.");
  assert.equal(rig.smtp.mails.length, 1);
});

it("more than 20 MB of files is refused here, and what the server refuses is said", async (test) => {
  const rig = await senderRig(test, { smtp: { size: 10_000_000, users: { [agent]: "a secret" } } });
  const to = await rig.hear();
  const half = await rig.file("half.bin", Buffer.alloc(11 * 1024 * 1024));
  const tooMany = await rig.failure(to, { plain: "Two", file: half, along: [half] });
  assert.equal(tooMany.kind, "rejected");
  assert.match(tooMany.message, /22 MB.*20 MB/);
  assert.equal(rig.smtp.connects(), 0);
  const refused = await rig.failure(to, { plain: "One", file: half });
  assert.equal(refused.kind, "rejected");
  assert.match(refused.message, /larger than the mail server takes/);
  assert.ok(!rig.smtp.commands.includes("DATA"));
});

it("an account that is no plain address gets no mail", async (test) => {
  const rig = await senderRig(test);
  const chats = [
    "",
    "ana",
    "ana@",
    "@x.y",
    "a@b@c.de",
    '"a b"@c.de',
    "a..b@c.de",
    "<a@b.de>",
    "a@b.de,c@d.ef",
    "a@b.de\r\nRCPT TO:<c@d.ef>",
    "ana@münchen.de",
    "ana@-x.de",
    "unproved:ana@x.de",
  ];
  for (const chat of chats) {
    const failure = await rig.failure({ listener: "email", chat });
    assert.equal(failure.kind, "rejected", chat);
  }
  assert.equal(rig.smtp.connects(), 0);
});

it("settings that cannot work are refused with words, without the key", async (test) => {
  const dkimKey = "-----BEGIN PRIVATE KEY-----\ngeheim\n-----END PRIVATE KEY-----";
  const signing = { dkimDomain: "sally.test", dkimSelector: "one", dkimKey };
  await assert.rejects(senderRig(test, { config: signing }), (error: Error) => {
    assert.match(error.message, /dkimKey.*RSA/);
    assert.doesNotMatch(String(error.stack), /geheim/);
    return true;
  });
  await assert.rejects(senderRig(test, { config: { ca: "/nowhere/ca.pem" } }), /ca.*nowhere/);
});
