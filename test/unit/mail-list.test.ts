// The list of whom mail lets in: what an entry covers, and which entries are refused or warned of.
import assert from "node:assert/strict";
import { it } from "node:test";
import { mailWarnings } from "../../src/admin/mail-warnings.ts";
import { valueFrom } from "../../src/config/keys.ts";
import { settingsSchema } from "../../src/config/settings.ts";
import { covers } from "../../src/core/mail-list.ts";

const rows: readonly [entry: string, address: string, covered: boolean][] = [
  ["ana@example.org", "ana@example.org", true],
  ["Ana@EXAMPLE.org", "aNA@Example.ORG", true],
  ["ana@example.org", "ana+x@example.org", false],
  ["ana+x@example.org", "ana+x@example.org", true],
  ["ana@example.org", "a.na@example.org", false],
  ["ana@example.org", "ana@sub.example.org", false],
  ["example.org", "ana+x@example.org", true],
  ["example.org", "ana@sub.example.org", false],
  ["example.org", "ana@notexample.org", false],
  ["example.org", "ana@example.org.evil.test", false],
  ["example.org", "ana@evil.test@example.org", false],
  ["*.example.org", "ana@example.org", false],
  ["*.example.org", "ana@sub.example.org", true],
  ["*.example.org", "ana@a.b.example.org", true],
  ["*.example.org", "ana@notexample.org", false],
  ["example.org", "example.org", false],
  ["example.org", "ana@", false],
  ["example.org", "", false],
  ["аna@example.org", "аna@example.org", false],
  ["kim@example.org", "\u{212A}im@example.org", false],
  ["example.org", "ana@example.org ", false],
];

it("covers the same address, exactly a domain, or only its subdomains", () => {
  for (const [entry, address, covered] of rows)
    assert.equal(covers(entry, address), covered, `${entry} ${address}`);
});

const key = "access.allowEmail";

it("takes addresses, domains and subdomains, and refuses what is not ASCII or nobody's domain, by its name", () => {
  const good = [
    "a@example.org",
    "a+b@example.org",
    "example.org",
    "*.example.org",
    "xn--bcher-kva.example",
  ];
  assert.deepEqual(valueFrom(key, good), { ok: true, value: good });
  for (const bad of [
    "аna@example.org",
    "ana@exаmple.org",
    "com",
    "*.com",
    "@example.org",
    "ana@",
    "*",
    "a b@example.org",
    "ana@*.example.org",
    "*@example.org",
    "example.org.",
  ]) {
    const read = valueFrom(key, ["ok@example.org", bad]);
    assert.ok(!read.ok, bad);
    const { problem } = read;
    assert.ok(
      problem.includes(`${key} cannot be ${JSON.stringify(bad)}: it is a@example.org`),
      problem,
    );
  }
  for (const bad of ["co.uk", "*.co.uk", "github.io", "*.GitHub.io"]) {
    const read = valueFrom(key, [bad]);
    assert.match(
      read.ok ? "" : read.problem,
      /anybody can register a name below (?:co\.uk|github\.io)/i,
      bad,
    );
  }
  assert.equal(valueFrom(key, ["ana.github.io"]).ok, true);
});

function warned(access: Record<string, unknown>, kind?: "email" | "telegram") {
  const channels = kind ? { it: { kind } } : {};
  return mailWarnings(settingsSchema.parse({ access, channels })).join("\n");
}

it("warns of domains where anyone can get an address, and of a list without a mailbox", () => {
  const open = warned({ allowEmail: ["Gmail.com", "web.de", "ana@gmail.com"] }, "email");
  assert.match(open, /anyone can get an address at gmail\.com, web\.de/);
  assert.equal(warned({ allowEmail: ["ana@gmail.com", "example.org"] }, "email"), "");
  assert.match(warned({ allowEmail: ["example.org"] }, "telegram"), /there is no mailbox/);
  assert.match(warned({ public: "anyone" }, "email"), /anyone who can send mail/);
  assert.equal(warned({ public: "anyone" }, "telegram"), "");
  assert.equal(warned({}), "");
});
