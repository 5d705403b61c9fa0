// Fuzzing: three programs read the From of a mail, and where they differ nobody is proved; nor is ever anybody but the signer.
import assert from "node:assert/strict";
import { after, before, it, type TestContext } from "node:test";
import fc from "fast-check";
import { dkimVerify } from "mailauth";
import PostalMime, { addressParser } from "postal-mime";
import { accountOf, readFrom } from "../../channels/email/address.ts";
import { cutHead, readHeader, valuesOf } from "../../channels/email/header-lines.ts";
import { handSigned, rawMail, signedMail } from "../fakes/mail-signed.ts";
import { agent, type MailWorld, startMailWorld } from "../fakes/mail-world.ts";

let world: MailWorld;
before(async () => {
  world = await startMailWorld();
});
after(() => world.close());

/** Bounded, and what failed can be run again. */
function run<Values>(
  t: TestContext,
  numRuns: number,
  property: fc.IAsyncProperty<Values>,
): Promise<void> {
  const seed = Date.now() % 2 ** 31;
  t.diagnostic(`seed ${seed}`);
  return fc.assert(property, { seed, numRuns, interruptAfterTimeLimit: 20_000 });
}

const pieces = [
  "admin@legit.test",
  "any@attack.test",
  "<admin@legit.test>",
  "<any@attack.test>",
  "admin",
  "@",
  "legit.test",
  "<",
  ">",
  '"',
  "(",
  ")",
  "[",
  "]",
  ",",
  ":",
  ";",
  ".",
  "\\",
  " ",
  "\t",
  "\r\n ",
  "\r\n\t",
  "\r\n",
  "\r",
  "\n",
  "\0",
  "\v",
  "\f",
  "\x7f",
  "\xa0",
  "\xe3\x80\x80",
  "\xe9",
  "=?utf-8?q?admin=40legit.test?=",
  "=?utf-8?b?PGFkbWluQGxlZ2l0LnRlc3Q+?=",
  "=?utf-8?q?=2C?=",
  "From: ",
  "\r\nFrom: ",
  "\r\nfrom:",
  "\r\nFROM : ",
  "\r\nFrom\t:",
  "\r\n From: ",
  "\r\nSender: ",
  "\r\nResent-From: ",
  "\r\n\r\n",
  "xn--80ak6aa92e.test",
];
const junk = fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 }));
const text = (parts: fc.Arbitrary<string[]>) => parts.map((all) => all.join(""));
const usual = fc.constantFrom("any@attack.test", "<any@attack.test>", "Any <any@ATTACK.test>");
/** All junk, or what people write with a little of it around. */
const value = fc.oneof(
  text(fc.array(junk, { maxLength: 8 })),
  text(fc.tuple(fc.oneof(fc.constant(""), junk), usual, fc.oneof(fc.constant(""), junk))),
);
const name = fc.oneof(
  { weight: 3, arbitrary: fc.constant("From: ") },
  fc.constantFrom("From:", "from:", "FROM:\t", " From: ", "From : ", "From\r\n : ", ""),
);

interface Readings {
  readonly ours: string | null;
  readonly mime: readonly string[];
  readonly mailauth: readonly string[];
}

/** As each of the three reads the From. */
async function readings(raw: Buffer): Promise<Readings> {
  const header = readHeader((await cutHead(raw)).head);
  const froms = header.ok ? valuesOf(header.lines, "from") : [];
  const from = readFrom(froms.join(""));
  const parsed = await PostalMime.parse(raw);
  const mime = parsed.headers
    .filter(({ key }) => key === "from")
    .flatMap((one) => addressParser(one.value, { flatten: true }))
    .map(({ address }) => address ?? "");
  const { headerFrom } = await dkimVerify(raw, { resolver: async () => [] });
  return { ours: froms.length === 1 && from.ok ? from.address : null, mime, mailauth: headerFrom };
}

function agree({ ours, mime, mailauth }: Readings): boolean {
  const one = (read: readonly string[]) =>
    read.length === 1 && accountOf(read[0] ?? "") === accountOf(ours ?? "");
  return ours !== null && one(mime) && one(mailauth);
}

const tags = "v=1; a=rsa-sha256; c=relaxed/relaxed; d=attack.test; s=s1";

/** Signed by the attacker, so that nothing but the From decides. */
function attackers(header: string): Buffer {
  const rest = [`To: ${agent}`, "Subject: Hello", `Date: ${new Date().toUTCString()}`];
  const text = rawMail([header, ...rest, "Message-ID: <1@attack.test>"], "Do it.\n");
  return handSigned(text, world.key("attack.test"), `${tags}; h=from:subject:date:to; bh=BH`);
}

async function holds(raw: Buffer, signer: string): Promise<boolean> {
  const verdict = await world.verdict(raw);
  if (verdict.is !== "authenticated") return false;
  assert.ok(verdict.address.endsWith(`@${signer}`), `${verdict.address} is not of ${signer}`);
  const read = await readings(raw);
  assert.ok(agree(read), `they differ: ${JSON.stringify(read)}`);
  return true;
}

it("proves nobody by a From that the three read in different ways, whatever stands in it", async (t) => {
  let proved = 0;
  const property = fc.asyncProperty(name, value, async (field, text) => {
    const raw = attackers(`${field}${text}`);
    proved += Number(await holds(raw, "attack.test"));
  });
  await run(t, 400, property);
  t.diagnostic(`${proved} of 400 were proved`);
});

it("reads a From only where the two others read the same, signed or not", async (t) => {
  let accepted = 0;
  const property = fc.asyncProperty(name, value, async (field, text) => {
    const read = await readings(rawMail([`${field}${text}`, `To: ${agent}`], "Do it.\n"));
    accepted += Number(read.ours !== null);
    assert.ok(read.ours === null || agree(read), `they differ: ${JSON.stringify(read)}`);
  });
  await run(t, 2000, property);
  t.diagnostic(`${accepted} of 2000 were read`);
});

it("takes the usual ways to write a From, so that fuzzing tries both sides", async () => {
  for (const from of ["any@attack.test", '"A, B" <any@attack.test>', "A. B. <any@ATTACK.test>"]) {
    assert.equal(await holds(attackers(`From: ${from}`), "attack.test"), true);
  }
});

/** What somebody on the way may do to a mail. */
const change = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom("insert", "replace", "remove", "line", "swap"),
  text: fc.oneof(value, fc.string({ minLength: 1, maxLength: 2 })),
});
type Change = typeof change extends fc.Arbitrary<infer One> ? One : never;

function changed(raw: Buffer, { at, kind, text }: Change): Buffer {
  const mail = raw.toString("latin1");
  const place = at % mail.length;
  if (kind === "insert") return bytes(mail.slice(0, place) + text + mail.slice(place));
  if (kind === "replace") return bytes(mail.slice(0, place) + text + mail.slice(place + 1));
  if (kind === "remove") return bytes(mail.slice(0, place) + mail.slice(place + 1 + (at % 40)));
  const [head = "", ...body] = mail.split("\r\n\r\n");
  const lines = head.split("\r\n");
  const index = at % lines.length;
  if (kind === "line") lines.splice(index, 0, `From:${text}`);
  else lines.push(...lines.splice(index, 1));
  return bytes([lines.join("\r\n"), ...body].join("\r\n\r\n"));
}

function bytes(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

it("proves of a changed mail what its signer wrote, or nothing", async (t) => {
  const from = "Ana Admin <admin@legit.test>";
  const parts = { from, to: agent, subject: "Deploy it", text: "Please deploy to staging.\n" };
  const mail = await signedMail(parts, world.key("legit.test"));
  assert.equal(await holds(mail, "legit.test"), true);
  let proved = 0;
  const property = fc.asyncProperty(
    fc.array(change, { minLength: 1, maxLength: 3 }),
    async (changes) => {
      const raw = changes.reduce(changed, mail);
      if (!(await holds(raw, "legit.test"))) return;
      proved += 1;
      const read = await PostalMime.parse(raw);
      assert.equal(read.from?.address, "admin@legit.test");
      assert.equal(read.subject, "Deploy it");
      assert.equal(read.text?.trim(), "Please deploy to staging.");
    },
  );
  await run(t, 400, property);
  t.diagnostic(`${proved} of 400 were proved`);
});

it("never throws, whatever the bytes", async (t) => {
  const property = fc.asyncProperty(
    fc.oneof(fc.uint8Array({ maxLength: 400 }), value.map(bytes)),
    async (raw) => {
      const { verdict, lines } = await world.examine(Buffer.from(raw));
      assert.notEqual(verdict.is, "authenticated");
      assert.match([verdict.reason, ...lines.map(({ says }) => says)].join(" "), /^[\x20-\x7e]+$/);
    },
  );
  await run(t, 400, property);
});
