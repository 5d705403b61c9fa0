// A corpus of what machines send, and of what people send: every mail of the first is automatic, and none of the second.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { after, it } from "node:test";
import { createReader } from "../../channels/email/reading.ts";

const reader = createReader({ time: 30_000, idle: 30_000 });
after(() => reader.stop());

const files = globSync("fixtures/email/automatic/*.eml").sort();
const people = files.filter((file) => basename(file).startsWith("person-"));
const machines = files.filter((file) => !people.includes(file));

async function reasonOf(raw: Uint8Array | string): Promise<string | null> {
  const read = await reader.read(Buffer.from(raw));
  assert.ok(read.is === "read", JSON.stringify(read));
  return read.mail.automatic;
}

const of = (name: string) => reasonOf(readFileSync(`fixtures/email/automatic/${name}.eml`));

it("has read the corpus", () => assert.ok(machines.length >= 45 && people.length >= 20));

for (const file of machines)
  it(`takes ${basename(file, ".eml")} for automatic`, async () => {
    const reason = await reasonOf(readFileSync(file));
    assert.ok(reason !== null && reason.length > 5 && reason.length < 500, String(reason));
    assert.doesNotMatch(reason, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  });

for (const file of people)
  it(`takes ${basename(file, ".eml")} for a person's`, async () => {
    assert.equal(await reasonOf(readFileSync(file)), null);
  });

it("says which mail did not arrive where, and what the server said", async () => {
  assert.equal(
    await of("bounce-postfix"),
    "a bounce: ana@example.org did not get <o12.t1.w1.s1@example.net>: 550 5.1.1 <ana@example.org>: no such user here",
  );
  assert.match((await of("bounce-exchange")) ?? "", /^a bounce: ana@.*RecipientNotFound/);
  assert.match((await of("bounce-gmail")) ?? "", /ana@example\.org has not yet got <o12/);
});

it("names the header that tells", async () => {
  assert.equal(await of("away-sieve"), "Auto-Submitted: auto-replied (vacation)");
  assert.equal(await of("away-precedence"), "Precedence: auto_reply");
  assert.match((await of("list-mailman")) ?? "", /builders|list/);
  assert.equal(await of("noreply-01"), "from noreply@example.org, which reads no answers");
  assert.equal(await of("read-receipt"), "a read receipt");
  assert.equal(await of("calendar-accepted"), "from a calendar (REPLY)");
});

it("looks at the headers of the mail alone, not at those of its parts", async () => {
  const parts =
    "From: ana@example.org\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nAuto-Submitted: auto-replied\r\nPrecedence: bulk\r\n\r\nRestart web1.\r\n--b--\r\n";
  assert.equal(await reasonOf(parts), null);
});
