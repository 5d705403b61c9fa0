// What an answer by mail is: to whom, in which thread, with what in it. On a real SMTP server.
import assert from "node:assert/strict";
import { it } from "node:test";
import { render } from "../../channels/email/outbound.ts";
import { paceOf } from "../../channels/email/sending.ts";
import { echoOf } from "../../channels/email/threads.ts";
import { agent, ana, headerOf, headersOf, senderRig } from "../fakes/mail-sender-rig.ts";

const answerHeaders: ReadonlySet<string> = new Set([
  ...["from", "to", "subject", "date", "message-id", "in-reply-to", "references"],
  ...["auto-submitted", "x-auto-response-suppress"],
  ...["mime-version", "content-type", "content-transfer-encoding"],
]);

it("an answer stands in its thread, says that a machine wrote it, and nothing of this machine", async (test) => {
  const rig = await senderRig(test);
  const to = await rig.hear({
    address: "Ana@example.org",
    subject: "AW: Re: Größe des Baus",
    references: ["<a0@example.org>"],
  });
  const mail = await rig.sent(to, { plain: "Done." }, "o12");
  const names = headersOf(mail).map(([name]) => name);
  assert.deepEqual(new Set(names), answerHeaders);
  assert.equal(names.length, answerHeaders.size);
  assert.equal(mail.from, agent);
  assert.deepEqual(mail.to, ["Ana@example.org"]);
  assert.equal(headerOf(mail, "to"), "Ana@example.org");
  assert.equal(headerOf(mail, "from"), `Sally <${agent}>`);
  assert.equal(mail.parsed.subject, "Re: Größe des Baus");
  assert.equal(headerOf(mail, "in-reply-to"), "<a1@example.org>");
  assert.equal(headerOf(mail, "references"), "<a0@example.org> <a1@example.org>");
  assert.equal(headerOf(mail, "auto-submitted"), "auto-replied");
  assert.equal(headerOf(mail, "x-auto-response-suppress"), "All");
  assert.match(headerOf(mail, "message-id") ?? "", /^<o12\.[\w.-]+@sally\.test>$/);
  assert.ok(rig.threads.isOurs(headerOf(mail, "message-id") ?? ""));
  assert.equal(mail.secure, true);
  assert.equal(mail.user, agent);
  assert.equal(mail.parsed.text?.trim(), "Done.");
});

it("a repeat is the same mail, in the same place", async (test) => {
  const rig = await senderRig(test);
  const to = await rig.hear();
  const part = { plain: "Done.", replyTo: { chat: ana, id: "<a1@example.org>" } };
  const first = await rig.sent(to, part, "o12");
  await rig.hear({
    messageId: "<a2@example.org>",
    references: ["<a1@example.org>"],
    subject: "Re: The build",
  });
  const second = await rig.sent(to, part, "o12");
  const same = ["message-id", "subject", "in-reply-to", "references", "to"];
  for (const name of same) assert.equal(headerOf(second, name), headerOf(first, name), name);
  const other = await rig.sent(to, part, "o13");
  assert.notEqual(headerOf(other, "message-id"), headerOf(first, "message-id"));
});

it("what it returns names the mail as it is on its way", async (test) => {
  const rig = await senderRig(test);
  const to = await rig.hear();
  const ref = await rig.sender.send(to, { plain: "Done." }, "o1");
  assert.deepEqual(ref, {
    chat: ana,
    id: headerOf(await rig.smtp.until(1), "message-id"),
    thread: to.thread,
  });
});

it("two threads at once do not mix", async (test) => {
  const rig = await senderRig(test);
  const one = await rig.hear({ subject: "One", messageId: "<one@example.org>" });
  const two = await rig.hear({ subject: "Two", messageId: "<two@example.org>" });
  assert.notEqual(one.thread, two.thread);
  const sends = Array.from({ length: 10 }, (_, index) =>
    rig.sender.send(index % 2 ? one : two, { plain: index % 2 ? "of one" : "of two" }, `o${index}`),
  );
  await Promise.all(sends);
  assert.equal(rig.smtp.mails.length, 10);
  assert.ok(rig.smtp.connects() <= 3, "few connections");
  for (const mail of rig.smtp.mails) {
    const which = mail.parsed.text?.trim() === "of one" ? "one" : "two";
    assert.equal(headerOf(mail, "in-reply-to"), `<${which}@example.org>`);
    assert.equal(headerOf(mail, "references"), `<${which}@example.org>`);
    assert.equal(mail.parsed.subject?.toLowerCase(), `re: ${which}`);
  }
});

it("a thread that is answered for months keeps its first reference and the last ones", async (test) => {
  const rig = await senderRig(test);
  const references = Array.from(
    { length: 200 },
    (_, index) => `<${"r".repeat(60)}${index}@example.org>`,
  );
  const to = await rig.hear({ references, messageId: "<last@example.org>" });
  const mail = await rig.sent(to, { plain: "Done." });
  const shown = headerOf(mail, "references")?.split(" ") ?? [];
  assert.equal(shown[0], references[0]);
  assert.deepEqual(shown.slice(1), [...references.slice(-19), "<last@example.org>"]);
  for (const line of mail.raw.toString("latin1").split("\r\n")) assert.ok(line.length <= 998);
});

it("a mail that answers none begins a thread, with its first words as the subject", async (test) => {
  const rig = await senderRig(test);
  const to = { listener: "email", chat: ana };
  const mail = await rig.sent(to, { plain: "Reminder: call Bob\n\nIt is nine o'clock." }, "o5");
  assert.equal(mail.parsed.subject, "Reminder: call Bob");
  assert.equal(headerOf(mail, "auto-submitted"), "auto-generated");
  assert.equal(headerOf(mail, "in-reply-to"), undefined);
  assert.equal(headerOf(mail, "references"), undefined);
  assert.deepEqual(mail.to, [ana]);
  const answer = {
    messageId: "<x@example.org>",
    inReplyTo: [headerOf(mail, "message-id") ?? ""],
    references: [],
  };
  assert.equal(
    rig.threads.threadOf(ana, answer),
    rig.threads.newThread({ account: ana, key: "o5" }),
  );
});

it("what somebody else's mail says decides nothing about where it goes", async (test) => {
  const rig = await senderRig(test);
  const to = await rig.hear();
  const echo = echoOf({ address: "eve@example.com", subject: "x", references: [] });
  const replyTo = { chat: ana, id: "<e1@example.com>", echo };
  const mail = await rig.sent(to, { plain: "Done.", replyTo });
  assert.deepEqual(mail.to, [ana]);
  assert.equal(headerOf(mail, "to"), ana);
});

it("text and HTML say the same; long lines and long words arrive whole", async (test) => {
  const rig = await senderRig(test);
  const to = await rig.hear();
  const long = `${"x".repeat(1500)} ${"wörd ".repeat(100)}`.trim();
  const [part] = await render(`**Bold**\n\n${long}\n\n.\n\nFrom here\n\n\`.\``);
  const mail = await rig.sent(to, part ?? { plain: "" });
  assert.equal(mail.parsed.text?.trim(), `Bold\n\n${long}\n\n.\n\nFrom here\n\n.`);
  assert.ok(mail.parsed.html?.includes(long));
  assert.match(mail.parsed.html ?? "", /<b>Bold<\/b>/);
  assert.match(headerOf(mail, "content-type") ?? "", /^multipart\/alternative/);
  for (const line of mail.raw.toString("latin1").split("\r\n")) assert.ok(line.length <= 100);
});

it("files go along under their names, each as a file to be saved", async (test) => {
  const rig = await senderRig(test);
  const to = await rig.hear();
  const first = { ...(await rig.file("Übersicht 2026.csv", "a,b\n1,2\n")), mime: "text/csv" };
  const odd = { ...(await rig.file("../../etc/pass\r\nX-Evil: 1.html", "<b>")), mime: "text/html" };
  const parts = {
    ...(await rig.file("mail.eml", "Subject: x\r\n\r\n--x")),
    mime: "multipart/mixed",
  };
  const mail = await rig.sent(to, { plain: "Two files.", file: first, along: [odd, parts] });
  const shown = mail.parsed.attachments.map(({ filename, mimeType, disposition, content }) => [
    filename,
    mimeType,
    disposition,
    Buffer.from(content as ArrayBuffer).toString(),
  ]);
  assert.deepEqual(shown, [
    ["Übersicht 2026.csv", "text/csv", "attachment", "a,b\n1,2\n"],
    [".._.._etc_pass X-Evil: 1.html", "text/html", "attachment", "<b>"],
    ["mail.eml", "application/octet-stream", "attachment", "Subject: x\r\n\r\n--x"],
  ]);
  assert.equal(mail.parsed.text?.trim(), "Two files.");
});

it("a file may go without a word, no mail goes without both", async (test) => {
  const rig = await senderRig(test);
  const to = await rig.hear();
  const mail = await rig.sent(to, { plain: "", file: await rig.file("a.txt", "a") });
  assert.equal(mail.parsed.attachments.length, 1);
  const failure = await rig.failure(to, { plain: " \n" });
  assert.equal(failure.kind, "rejected");
});

it("an access token signs in, a new one for each connection", async (test) => {
  const asked: string[] = [];
  const rig = await senderRig(test, {
    smtp: { tokens: { [agent]: "token-2" } },
    config: { password: undefined, tokenCommand: "print-token" },
    accessToken: async (command) => `token-${asked.push(command)}`,
  });
  const to = await rig.hear();
  assert.equal((await rig.failure(to)).kind, "unauthorised");
  assert.equal((await rig.sent(to, { plain: "Done." })).user, agent);
  assert.deepEqual(new Set(asked), new Set(["print-token"]));
});

it("an encrypted connection from the start works like one by STARTTLS", async (test) => {
  const rig = await senderRig(test, { smtp: { tls: "implicit", users: { [agent]: "a secret" } } });
  const mail = await rig.sent(await rig.hear(), { plain: "Done." });
  assert.equal(mail.secure, true);
});

it("on this machine a server without encryption will do", async (test) => {
  const rig = await senderRig(test, { smtp: { tls: "none", users: { [agent]: "a secret" } } });
  const mail = await rig.sent(await rig.hear(), { plain: "Done." });
  assert.equal(mail.secure, false);
  assert.equal(mail.user, agent);
});

it("mails go at a pace that providers bear, or as fast as it goes", () => {
  assert.deepEqual(paceOf({ pace: "on" })?.all, { calls: 30, per: 60_000 });
  assert.deepEqual(paceOf({ pace: "on" })?.chat, { calls: 10, per: 60_000 });
  assert.equal(paceOf({ pace: "off" }), undefined);
});

it("what is on its way when it closes goes out", async (test) => {
  const rig = await senderRig(test);
  rig.smtp.faults.add("dot", { delay: 200 });
  const sending = rig.sender.send(await rig.hear(), { plain: "Done." }, "o1");
  await rig.sender.close();
  assert.equal((await sending).chat, ana);
  assert.equal(rig.smtp.mails.length, 1);
});
