// Who writes through one of the usual providers is known by what that provider signs, and is read.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { checkMail } from "../../channels/email/check.ts";
import { createResolver } from "../../channels/email/dns.ts";
import { readMail } from "../../channels/email/reading.ts";
import { provided, sent } from "../fakes/mail-providers.ts";
import { agent, type MailWorld, startMailWorld } from "../fakes/mail-world.ts";

let world: MailWorld;
before(async () => {
  world = await startMailWorld();
});
after(() => world.close());

for (const one of provided) {
  it(`knows and reads a mail of ${one.what}`, async () => {
    const raw = sent(world, one);
    const resolve = createResolver(world.dns.at);
    const { verdict } = await checkMail(raw, {
      resolve,
      now: Date.now(),
      to: agent,
      arcSealers: [],
    });
    assert.equal(verdict.is, "authenticated", verdict.reason);
    assert.equal(verdict.address, "ana@legit.test");
    const read = await readMail(raw);
    assert.ok(read.is === "read");
    assert.equal(read.mail.subject, "Web1 please");
    assert.match(read.mail.text, /web1|if x = 1/);
    assert.equal(read.mail.automatic, null);
  });
}
