// What goes out is signed, with all that says where it belongs; judged by mailauth.
import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { it } from "node:test";
import { authenticate } from "mailauth";
import { render } from "../../channels/email/outbound.ts";
import { agent, senderRig } from "../fakes/mail-sender-rig.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const config = {
  dkimDomain: "sally.test",
  dkimSelector: "one",
  dkimKey: privateKey.export({ type: "pkcs8", format: "pem" }),
};

it("the signature covers who, what, when and where it belongs, files and all", async (test) => {
  const rig = await senderRig(test, { config });
  const to = await rig.hear({ references: ["<a0@example.org>"], subject: "Größe" });
  const [part] = await render("**Done** in\n\n```\n  a\n\n\n```\n\n.\n\nü");
  const file = await rig.file("a.bin", Buffer.alloc(3_000_000, 65));
  for (const sent of [{ plain: "Done." }, { plain: "", ...part, file }]) {
    const mail = await rig.sent(to, sent);
    const { dkim, dmarc } = await judged(mail.raw, publicKey);
    const [result] = dkim.results;
    assert.equal(result?.status.result, "pass");
    assert.equal(result?.status.aligned, "sally.test");
    assert.ok(dmarc);
    assert.equal(dmarc.status.result, "pass");
    const signed = String(result?.signingHeaders?.keys)
      .toLowerCase()
      .split(/\s*:\s*/);
    for (const name of must) assert.ok(signed.includes(name), name);
  }
});

const must = [
  ...["from", "to", "subject", "date", "message-id", "in-reply-to", "references"],
  ...["auto-submitted", "mime-version", "content-type"],
];

it("whoever changes one of these, or the text, breaks it", async (test) => {
  const rig = await senderRig(test, { config });
  const mail = await rig.sent(await rig.hear(), { plain: "Done." });
  const changes: [from: string, to: string][] = [
    ["In-Reply-To: <a1@", "In-Reply-To: <a2@"],
    ["References: <a1@", "References: <a2@"],
    ["Subject: Re: The", "Subject: Re: A"],
    ["Auto-Submitted: auto-replied", "Auto-Submitted: no"],
    ["To: ana@", "To: eve@"],
    ["Done.", "Gone."],
  ];
  for (const [from, to] of changes) {
    const changed = mail.raw.toString("latin1").replace(from, to);
    assert.notEqual(changed, mail.raw.toString("latin1"));
    const { dkim } = await judged(Buffer.from(changed, "latin1"), publicKey);
    assert.notEqual(dkim.results[0]?.status.result, "pass", from);
  }
});

it("without a key nothing is signed", async (test) => {
  const rig = await senderRig(test);
  const mail = await rig.sent(await rig.hear(), { plain: "Done." });
  assert.doesNotMatch(mail.raw.toString("latin1"), /dkim/i);
  assert.equal(mail.from, agent);
});

async function judged(raw: Buffer, key: KeyObject) {
  const p = key.export({ type: "spki", format: "der" }).toString("base64");
  const records: Record<string, string> = {
    "one._domainkey.sally.test": `v=DKIM1; k=rsa; p=${p}`,
    "_dmarc.sally.test": "v=DMARC1; p=reject",
  };
  return await authenticate(raw, {
    trustReceived: false,
    resolver: async (name: string, type: string) => {
      const record = type === "TXT" ? records[name] : undefined;
      if (record === undefined) throw Object.assign(new Error("no record"), { code: "ENOTFOUND" });
      return [[record]];
    },
  });
}
