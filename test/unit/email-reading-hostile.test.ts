// Mails that want to hang, to crash or to fill: each ends within its bound, and the next mail is read.
import assert from "node:assert/strict";
import { after, it } from "node:test";
import { createReader } from "../../channels/email/reading.ts";

const time = 2000;
const reader = createReader({ time, idle: 30_000 });
after(() => reader.stop());

const head = "From: Ana <ana@example.org>\r\nTo: bot@example.net\r\nSubject: x\r\n";
const html = `${head}Content-Type: text/html\r\n\r\n`;
const multipart = (body: string) =>
  `${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n${body}`;

function nested(levels: number): string {
  const open = Array.from(
    { length: levels },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
  );
  return `${head}${open.join("")}\r\nx\r\n`;
}

function forwards(levels: number): string {
  return `${head}${"Content-Type: message/rfc822\r\n\r\n".repeat(levels)}x`;
}

/** `null`: read as it comes; a pattern: refused in such words; "either": it depends on the machine. */
const hostile: readonly (readonly [string, () => string, RegExp | null | "either"])[] = [
  ["a hundred thousand parts", () => multipart("--b\r\n\r\nx\r\n".repeat(100_000)), /200 parts/],
  ["a hundred thousand empty parts", () => multipart("--b\n".repeat(100_000)), /200 parts/],
  [
    "a hundred thousand boundaries",
    () =>
      multipart(
        Array.from(
          { length: 100_000 },
          (_, at) => `--b\r\nContent-Type: multipart/x; boundary=c${at}\r\n\r\n`,
        ).join(""),
      ),
    /200 parts/,
  ],
  ["lines that look like boundaries", () => multipart("--bb\r\n".repeat(200_000)), null],
  [
    "150 attachments",
    () => multipart("--b\r\nContent-Type: image/png\r\n\r\nx\r\n".repeat(150)),
    /100 attachments/,
  ],
  ["thirty levels", () => nested(30), /nested too deeply/],
  ["a hundred and fifty levels", () => nested(150), /nested too deeply/],
  ["mails in mails", () => forwards(10_000), null],
  [
    "a flood of headers",
    () => `${head}${"X-A: b\r\n".repeat(200_000)}\r\nx`,
    /headers are too long/,
  ],
  ["one long header", () => `${head}X: ${"a ".repeat(1_000_000)}\r\n\r\nx`, /headers are too long/],
  ["a flood of folds", () => `${head}X: a\r\n${" b\r\n".repeat(80_000)}\r\nx`, null],
  ["a flood of receivers", () => `${head}Cc: ${"a@b.example,".repeat(20_000)}\r\n\r\nx`, null],
  ["open brackets in From", () => `From: ${"<".repeat(100_000)}\r\n\r\nx`, null],
  ["open comments in From", () => `From: ${"(".repeat(100_000)}\r\n\r\nx`, null],
  ["encoded words", () => `Subject: ${"=?utf-8?Q?a?= ".repeat(15_000)}\r\n\r\nx`, null],
  ["parameters", () => `Content-Type: text/plain; ${"a*0*=x; ".repeat(25_000)}\r\n\r\nx`, null],
  [
    "quoted-printable",
    () =>
      `${head}Content-Transfer-Encoding: quoted-printable\r\n\r\n${"=41=\r\n".repeat(1_000_000)}`,
    "either",
  ],
  [
    "padded Base64",
    () => `${head}Content-Transfer-Encoding: base64\r\n\r\n${"QQ==\r\n".repeat(500_000)}`,
    "either",
  ],
  [
    "Base64 units",
    () => `${head}Content-Transfer-Encoding: base64\r\n\r\n${"QQ==".repeat(1_000_000)}`,
    "either",
  ],
  ["25 MB of line breaks", () => `${head}\r\n${"\n".repeat(25_000_000)}`, "either"],
  ["one line of 25 MB", () => `${head}\r\n${"x".repeat(25_000_000)}`, null],
  ["nested HTML", () => `${html}${"<div>".repeat(100_000)}x`, null],
  [
    "HTML whose depth hides in an attribute",
    () => `${html}${'<div t="</div>">'.repeat(100_000)}x`,
    "either",
  ],
  ["a huge attribute", () => `${html}<p title="${"a".repeat(10_000_000)}">x</p>`, "either"],
  ["quoted lines", () => `${head}In-Reply-To: <a@b>\r\n\r\n${"> x\r\n".repeat(200_000)}`, null],
  [
    "introductions",
    () =>
      `${head}\r\n${"On 5 Oct 2026, at 10:00, A <a@b.example> wrote:\r\n> x\r\ny\r\n".repeat(15_000)}`,
    null,
  ],
  ["zeros", () => `${head}\r\n${"\0".repeat(1_000_000)}`, null],
  ["nothing", () => "", null],
  ["no header", () => "\r\n\r\nHello", null],
  [
    "prototype",
    () =>
      `__proto__: x\r\nconstructor: y\r\nContent-Type: text/plain; __proto__=x; constructor=y\r\n\r\nx`,
    null,
  ],
];

for (const [what, make, refused] of hostile)
  it(`survives ${what}`, async () => {
    const raw = Buffer.from(make());
    const before = performance.now();
    const got = await reader.read(raw);
    const took = performance.now() - before;
    // The start of a worker counts apart.
    assert.ok(took < time + 8000, `${took} ms`);
    if (refused === null) assert.equal(got.is, "read", JSON.stringify(got).slice(0, 200));
    if (refused instanceof RegExp)
      assert.match(got.is === "unreadable" ? got.why : "read", refused);
    const next = await reader.read(Buffer.from(`${head}\r\nHello`));
    assert.equal(next.is === "read" && next.mail.text, "Hello");
  });

it("ends what takes longer than it may, and that mail alone", async () => {
  const hasty = createReader({ time: 60, idle: 30_000 });
  const slow = Buffer.from(`${head}\r\n${"x\n".repeat(8_000_000)}`);
  try {
    const got = await hasty.read(slow);
    assert.deepEqual(got, { is: "unreadable", why: "a mail that takes too long to take apart" });
    assert.equal(await hasty.attachment(slow, 0), undefined);
  } finally {
    await hasty.stop();
  }
});

it("ends what takes more memory than it may, and that mail alone", async () => {
  const patient = createReader({ time: 60_000, idle: 30_000 });
  try {
    const got = await patient.read(Buffer.from(`${head}\r\n${"\n".repeat(12_000_000)}`));
    assert.deepEqual(got, {
      is: "unreadable",
      why: "a mail that takes too much memory to take apart",
    });
    const next = await patient.read(Buffer.from(`${head}\r\nHello`));
    assert.equal(next.is === "read" && next.mail.text, "Hello");
  } finally {
    await patient.stop();
  }
});

it("reads many mails that come at once, each with its own answer", async () => {
  const texts = Array.from({ length: 50 }, (_, at) => `Mail ${at}`);
  const got = await Promise.all(
    texts.map((text) => reader.read(Buffer.from(`${head}\r\n${text}`))),
  );
  assert.deepEqual(
    got.map((one) => one.is === "read" && one.mail.text),
    texts,
  );
});

it("starts again after the worker has gone to rest, and reads nothing once it is stopped", async () => {
  const restless = createReader({ time: 30_000, idle: 1 });
  const hello = Buffer.from(`${head}\r\nHello`);
  for (let times = 0; times < 3; times++) {
    assert.equal((await restless.read(hello)).is, "read");
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  await restless.stop();
  assert.equal((await restless.read(hello)).is, "unreadable");
  await restless.stop();
});
