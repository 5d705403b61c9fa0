// Real mails through the real worker: charsets, file names, alternatives, and what cannot be read.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, it } from "node:test";
import type { Reading } from "../../channels/email/mail.ts";
import { createReader, readMail } from "../../channels/email/reading.ts";

const reader = createReader({ time: 30_000, idle: 30_000 });
after(() => reader.stop());

const file = (name: string) => readFileSync(`fixtures/email/hostile/${name}.eml`);

async function read(raw: Uint8Array | string): Promise<Reading> {
  const got = await reader.read(Buffer.from(raw));
  if (got.is === "unreadable") throw new Error(got.why);
  return got.mail;
}

const names = (mail: Reading) => mail.attachments.map(({ name }) => name);

it("reads who, to whom, what and in answer to what", async () => {
  const mail = await read(
    [
      'From: "Ruiz, Ana" <Ana@Example.org>',
      "To: Team: bot@example.net, Leo <leo@example.org>;",
      "Cc: max@example.org",
      "Subject: =?UTF-8?Q?caf=C3=A9?=",
      " =?UTF-8?Q?_au_lait?=",
      "Message-ID: <3@example.org>",
      "In-Reply-To: <2@example.net>",
      "References: <1@example.org>",
      "\t<2@example.net>",
      "",
      "Hello",
      "",
    ].join("\r\n"),
  );
  assert.deepEqual(mail, {
    from: [{ name: "Ruiz, Ana", address: "Ana@Example.org" }],
    to: [
      { name: "", address: "bot@example.net" },
      { name: "Leo", address: "leo@example.org" },
    ],
    cc: [{ name: "", address: "max@example.org" }],
    subject: "café au lait",
    messageId: "<3@example.org>",
    inReplyTo: ["<2@example.net>"],
    references: ["<1@example.org>", "<2@example.net>"],
    text: "Hello",
    attachments: [],
    automatic: null,
    unreadable: null,
    loose: [],
  });
});

for (const [name, subject, text] of [
  ["iso-2022-jp", "再起動", "東京のサーバーを再起動してください。"],
  ["windows-1251", "Сборка", "Запусти тесты."],
  ["koi8-r", "Сборка", "Запусти тесты."],
  ["unknown-charset", "Charset", "Restart web1, sérieusement."],
  ["no-charset", "Charset", "Redémarre web1."],
] as const)
  it(`decodes ${name}`, async () => {
    const mail = await read(file(name));
    assert.deepEqual([mail.subject, mail.text], [subject, text]);
  });

it("decodes file names, and makes no path of them", async () => {
  const mail = await read(file("file-names"));
  assert.equal(mail.text, "The files.");
  assert.deepEqual(names(mail), [
    "報告-2026.pdf",
    "passwd",
    "a.csv",
    "vsc.exe",
    "attachment.png",
    "attachment",
  ]);
  assert.equal(mail.attachments.at(-1)?.mime, "application/octet-stream");
});

it("cannot read what is encrypted, or in Outlook's own format", async () => {
  for (const name of ["pgp-encrypted", "smime-encrypted"])
    assert.equal((await read(file(name))).unreadable, "an encrypted mail", name);
  const winmail = await read(file("winmail"));
  assert.equal(winmail.unreadable, "an attachment in Outlook's own format (winmail.dat)");
  assert.deepEqual([winmail.text, winmail.attachments], ["", []]);
});

it("takes a signature for no file, and a mail that was handed on for one", async () => {
  const signed = await read(file("signed"));
  assert.deepEqual(
    [signed.text, signed.attachments, signed.unreadable],
    ["Restart web1.", [], null],
  );
  const forwarded = await read(file("forwarded"));
  assert.equal(forwarded.text, "Sum it up.");
  assert.deepEqual(names(forwarded), ["Plan.eml"]);
});

it("leaves logos out, and keeps pictures", async () => {
  const mail = await read(file("logo"));
  assert.equal(mail.text, "See the picture.");
  assert.deepEqual(names(mail), ["big.png", "other.png"]);
});

it("shows nothing that HTML hides, whatever lies beside it", async () => {
  const { text } = await read(file("html-beside-text"));
  assert.match(text, /^Restart web1\.\s+Footer of a list\.$/);
});

it("takes the plain text where it differs from the HTML, but for a stub", async () => {
  assert.equal((await read(file("two-truths"))).text, "Restart web1.");
  assert.equal((await read(file("stub"))).text, "Restart web1.");
});

it("takes a text that has a name for a file", async () => {
  const mail = await read(file("named-text"));
  assert.equal(mail.text, "What does the log say?");
  assert.deepEqual(names(mail), ["build.log"]);
  const content = await reader.attachment(file("named-text"), 0);
  assert.equal(
    Buffer.from(content ?? [])
      .toString()
      .trim(),
    "allow 3 K7Q2",
  );
});

it("hands out attachments, byte for byte, large and small", async () => {
  const sizes = [3, 70_000, 5_000_000];
  const contents = sizes.map((size) => Buffer.alloc(size, "ä sallyport ").fill(7, 1, 2));
  const lines = (content: Buffer) => content.toString("base64").replace(/.{76}/g, "$&\r\n");
  const raw = Buffer.from(
    [
      "From: ana@example.org",
      "Content-Type: multipart/mixed; boundary=b1",
      "",
      "--b1",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: base64",
      "",
      lines(Buffer.from("ä".repeat(60_000))),
      ...contents.flatMap((content) => [
        "--b1",
        "Content-Type: application/zip",
        "Content-Transfer-Encoding: base64",
        "",
        lines(content),
      ]),
      "--b1",
      "Content-Type: application/x-as-it-is",
      "",
      `${"QUJD".repeat(19)}\r\n`.repeat(2000),
      "--b1--",
      "",
    ].join("\r\n"),
  );
  const before = Buffer.from(raw);
  const mail = await read(raw);
  assert.equal(mail.text, "ä".repeat(60_000));
  assert.deepEqual(
    mail.attachments.slice(0, 3).map(({ size }) => size),
    sizes,
  );
  for (const [index, content] of contents.entries())
    assert.ok(content.equals((await reader.attachment(raw, index)) ?? Buffer.alloc(0)), `${index}`);
  const plain = Buffer.from((await reader.attachment(raw, 3)) ?? []).toString();
  assert.equal(plain.replaceAll("\r", "").trim(), `${"QUJD".repeat(19)}\n`.repeat(2000).trim());
  assert.equal(await reader.attachment(raw, 4), undefined);
  assert.equal(await reader.attachment(raw, -1), undefined);
  assert.ok(raw.equals(before), "the caller keeps its mail");
});

it("says what the header of an unreadable mail says", async () => {
  const raw = Buffer.from("From: ana@example.org\r\nAuto-Submitted: auto-replied\r\n\r\nx");
  const head = await reader.head(raw, "a mail that is too large");
  assert.equal(head.from[0]?.address, "ana@example.org");
  assert.deepEqual([head.text, head.unreadable], ["", "a mail that is too large"]);
  assert.match(head.automatic ?? "", /Auto-Submitted/);
  const flood = Buffer.from(`From: ana@example.org\r\n${"X: y\r\n".repeat(100_000)}\r\nx`);
  const none = await reader.head(flood, "a mail whose headers are too long");
  assert.deepEqual(
    [none.from.length > 1, none.unreadable],
    [false, "a mail whose headers are too long"],
  );
});

it("cuts a text that is too long, and says so", async () => {
  const { text } = await read(`From: ana@example.org\r\n\r\n${"word ".repeat(150_000)}`);
  assert.match(text, /\n\[… \d+ more characters of this mail are left out\]$/);
  assert.ok(text.length < 500_100);
});

it("keeps line breaks out of all headers", async () => {
  const mail = await read(
    "From: =?utf-8?Q?a=0D=0ABcc:_x@y?= <ana@example.org>\r\nSubject: =?utf-8?Q?a=0Ab=E2=80=A8c=00?=\r\nMessage-ID: <a\r\n b@c>\r\n\r\nx",
  );
  assert.doesNotMatch(JSON.stringify({ ...mail, text: "" }), /\\[nru]|\u2028/);
});

it("reads one mail alone, and leaves nothing behind that holds the process", async () => {
  const got = await readMail(Buffer.from("From: ana@example.org\r\n\r\nHello"));
  assert.equal(got.is === "read" && got.mail.text, "Hello");
});
