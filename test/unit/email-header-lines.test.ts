// One way to read a header, or none.
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { it } from "node:test";
import { accountOf, plainAddress, readFrom } from "../../channels/email/address.ts";
import { cutHead, readHeader, valuesOf } from "../../channels/email/header-lines.ts";

function read(text: string) {
  return readHeader(Buffer.from(text, "latin1"));
}

function why(text: string): string {
  const header = read(text);
  return header.ok ? "" : header.why;
}

it("reads every line and every fold", () => {
  const header = read("From: a@b.test\r\nSubject: one\r\n\ttwo\r\n three\r\nX-1!#:\r\n");
  assert.ok(header.ok);
  assert.deepEqual(header.lines, [
    { name: "from", value: " a@b.test" },
    { name: "subject", value: " one\ttwo three" },
    { name: "x-1!#", value: "" },
  ]);
});

it("keeps bytes as they are and finds a field whatever its capitals", () => {
  const header = read("SUBJECT: \xe9\r\nsubject: 2\r\n");
  assert.ok(header.ok);
  assert.deepEqual(valuesOf(header.lines, "subject"), [" \xe9", " 2"]);
});

for (const [text, says] of [
  ["", /no header/],
  ["\r\nFrom: a@b.test\r\n", /no header/],
  [" From: a@b.test\r\n", /line 1 of the header begins with a space/],
  ["From: a@b.test", /does not end/],
  ["From: a\0@b.test\r\n", /NUL/],
  ["From: a@b.test\rTo: c@d.test\r\n", /line 1 .* not CR LF/],
  ["From: a@b.test\nTo: c@d.test\r\n", /line 1 .* not CR LF/],
  ["To: x\r\nFrom : a@b.test\r\n", /line 2 .* not `name: value`/],
  ["Fr\x0bom: a@b.test\r\n", /not `name: value`/],
  ["Fr\xf6m: a@b.test\r\n", /not `name: value`/],
  ["From\r\n", /not `name: value`/],
  [": x\r\n", /not `name: value`/],
  ["From: a@b.test\r\n \t\r\n x\r\n", /line 2 .* blank/],
  ["X: y\r\n".repeat(1001), /more than 1000 lines/],
] as const) {
  it(`refuses ${JSON.stringify(text.slice(0, 40))}`, () => assert.match(why(text), says));
}

it("takes a thousand lines", () => assert.equal(why("X: y\r\n".repeat(1000)), ""));

const header = "From: a@b.test\r\nTo: c@d.test\r\n";

async function* bytesOf(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
}

for (const size of [1, 7, 64, 100_000]) {
  it(`cuts the header off a stream that comes in pieces of ${size}, and loses nothing`, async () => {
    const text = `${header}\r\nbody\r\n\r\nmore`;
    const { head, whole } = await cutHead(Readable.from(bytesOf(text, size)));
    assert.equal(String(head), header);
    const pieces: Buffer[] = [];
    for await (const piece of whole as AsyncIterable<Buffer>) pieces.push(piece);
    assert.equal(Buffer.concat(pieces).toString(), text);
  });
}

it("takes a mail that is all header", async () => {
  assert.equal(String((await cutHead(Buffer.from(header))).head), header);
  assert.equal(String((await cutHead(Readable.from(bytesOf(header, 9)))).head), header);
});

it("looks for the end of a header within 64 KB", async () => {
  const long = (size: number) => `${"X: y\r\n".repeat(Math.floor(size / 6))}\r\nbody`;
  assert.equal((await cutHead(Buffer.from(long(65_000)))).head?.length, 64_998);
  assert.equal((await cutHead(Buffer.from(long(66_000)))).head, null);
  assert.equal((await cutHead(Buffer.alloc(10_000_000, "X: y\r\n"))).head, null);
  const stream = Readable.from(bytesOf(long(10_000_000), 10_000));
  assert.equal((await cutHead(stream)).head, null);
  assert.equal(stream.destroyed, false, "the rest is for the caller");
  stream.destroy();
  assert.match(why(""), /no header/);
  const none = readHeader(null);
  assert.ok(!none.ok && /longer than 64 KB/.test(none.why));
});

for (const [value, address] of [
  ["ana@example.org", "ana@example.org"],
  [" \t<ana@example.org> ", "ana@example.org"],
  ["Ana Q. Example <Ana.X+tag@EXAMPLE.Org>", "Ana.X+tag@example.org"],
  ['"Ana, (the) <one@two.test>; \\" x" <ana@example.org>', "ana@example.org"],
  ["=?utf-8?q?=C3=81na?= <ana@xn--bcher-kva.example>", "ana@xn--bcher-kva.example"],
  ["o'hara_{x}~!#$%&*/?=^`|-@a-b.example", "o'hara_{x}~!#$%&*/?=^`|-@a-b.example"],
] as const) {
  it(`reads From: ${value}`, () => {
    const from = readFrom(value);
    assert.ok(from.ok, from.ok ? "" : from.why);
    assert.equal(from.address, address);
    assert.equal(from.domain, address.split("@")[1]);
  });
}

for (const value of [
  "a@b",
  "a@localhost",
  "a@127.0.0.1",
  "a@[127.0.0.1]",
  "a@-b.test",
  "a@b-.test",
  "a@b..test",
  "a@.test",
  "a@b.test.",
  `a@${"b".repeat(64)}.test`,
  `a@${"b.".repeat(130)}test`,
  "a@b_c.test",
  ".a@b.test",
  "a.@b.test",
  "a..b@b.test",
  "@b.test",
  `${"a".repeat(65)}@b.test`,
  "a b@b.test",
  "a@b.test c",
  "< a@b.test>",
  "<a@b.test >",
  "<<a@b.test>>",
  "<>",
  "<a@b.test",
  "a@b.test>",
  "\u{e1}@b.test",
  "a@b.test\x7f",
  '"x <a@b.test>',
  'x" <a@b.test>',
  "x\\ <a@b.test>",
  "[x] <a@b.test>",
  `${"x".repeat(998)} <a@b.test>`,
]) {
  it(`refuses From: ${JSON.stringify(value.slice(0, 40))}`, () => {
    assert.equal(readFrom(value).ok, false);
  });
}

it("gives an address one form, and an account one more", () => {
  assert.equal(plainAddress("Ana@Example.ORG"), "Ana@example.org");
  assert.equal(plainAddress("Ana <ana@example.org>"), null);
  assert.equal(accountOf("Ana@example.org"), "ana@example.org");
});
