// Every way to write a mail from somebody else that is known, signed where that is part of it, against a real DNS server.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { type Construction, forgedHeaders } from "../fakes/mail-forged-headers.ts";
import { forgedSignatures, sealed } from "../fakes/mail-forged-signatures.ts";
import { type MailWorld, startMailWorld } from "../fakes/mail-world.ts";

let world: MailWorld;
before(async () => {
  world = await startMailWorld();
});
after(() => world.close());

function judged(one: Construction, arcSealers: readonly string[]): void {
  const outcome = one.proves ? `is from ${one.proves}` : "is from nobody";
  it(`${one.id}: ${one.what} ${outcome}`, async () => {
    const raw = await one.build(world);
    const { verdict, lines } = await world.examine(raw, { arcSealers });
    const said = JSON.stringify({ verdict, lines }, null, 1);
    if (one.proves) {
      assert.equal(verdict.is, "authenticated", said);
      assert.equal(verdict.address, one.proves);
    } else {
      assert.equal(verdict.is, "unauthenticated", said);
    }
    assert.match(verdict.reason, one.says);
  });
}

for (const one of forgedHeaders) judged(one, []);
for (const one of forgedSignatures) judged(one, []);
for (const one of sealed) judged(one, ["fwd.test"]);
