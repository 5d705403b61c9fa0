// Whatever happens at the same time: nothing that was taken away counts.
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import {
  changeRole,
  hashToken,
  makeToken,
  removePairing,
  rotateToken,
  unlink,
} from "../../src/access/pairings.ts";
import type { Visitor } from "../../src/access/visitor.ts";
import { listPairings } from "../../src/store/pairings.ts";
import { home, type VisitorRig, visitorRig } from "../fakes/visitor-rig.ts";

interface Held {
  readonly name: string;
  readonly round: number;
  readonly visitor: Visitor | undefined;
  look(): Promise<Visitor | undefined>;
}

const names = ["ana", "bob", "local"] as const;
const deeds = ["sign-in", "link", "exchange", "rotate", "remove", "unlink", "role"] as const;
const deed = fc.record({ is: fc.constantFrom(...deeds), name: fc.constantFrom(...names) });
type Deed = { readonly is: (typeof deeds)[number]; readonly name: string };
const ends = new Set<string>(["rotate", "remove", "unlink"]);

async function act(rig: VisitorRig, { is, name }: Deed, keep: (held: Omit<Held, "round">) => void) {
  const { visitors, run, time } = rig;
  const local = { local: true };
  const keepCookie = (of: string, signed: Awaited<ReturnType<typeof visitors.signIn>>) => {
    if (signed === "refused") return;
    const { cookie, visitor } = signed;
    keep({ name: of, visitor, look: () => visitors.byCookie(cookie, local) });
  };
  if (is === "sign-in")
    keepCookie(name, await visitors.signIn({ code: await rig.invite(name, time.now) }, home));
  if (is === "link") keepCookie("local", await visitors.signIn({ link: await rig.link() }, home));
  if (is === "exchange") {
    const given = await visitors.exchange(await rig.invite(name, time.now), home);
    if (given === "refused") return;
    const look = () => visitors.byToken(given.token, local);
    keep({ name, visitor: await look(), look });
  }
  if (is === "rotate") await run(() => rotateToken(name, hashToken(makeToken())));
  if (is === "remove") await run(() => removePairing(name, time.now));
  if (is === "unlink") await run(() => unlink(name, ["web"]));
  if (is === "role") await run(() => changeRole(name, "owner"));
}

async function check(rig: VisitorRig, held: readonly Held[], over: (one: Held) => boolean) {
  const known = new Map((await rig.run(listPairings)).map((one) => [one.id, one]));
  for (const one of held) {
    const seen = await one.look();
    const still = one.visitor !== undefined && (await rig.visitors.stillCounts(one.visitor));
    assert.ok(!(still && !seen), "what counts for an open page counts for a new request");
    if (!seen) continue;
    assert.ok(!over(one), `${one.name} of round ${one.round} counts`);
    const pairing = known.get(seen.caller.pairing ?? "");
    assert.deepEqual([pairing?.name, pairing?.role], [one.name, seen.caller.role]);
  }
}

it("leaves no session and no token that counts for what was removed, rotated or unlinked", async (t) => {
  const rig = visitorRig(t);
  let counted = 0;
  const play = async (rounds: readonly (readonly Deed[])[]) => {
    await rig.startLocal();
    const held: Held[] = [];
    const endedIn = new Map<string, number>();
    for (const [round, together] of rounds.entries()) {
      await Promise.all(together.map((one) => act(rig, one, (it) => held.push({ ...it, round }))));
      for (const { is, name } of together) if (ends.has(is)) endedIn.set(name, round);
      await check(rig, held, (one) => one.round < (endedIn.get(one.name) ?? 0));
    }
    counted += (await Promise.all(held.map(({ look }) => look()))).filter(Boolean).length;
    for (const name of names) await rig.run(() => removePairing(name, rig.time.now));
    await check(rig, held, () => true);
    rig.time.now += 60_000;
  };
  const rounds = fc.array(fc.array(deed, { minLength: 1, maxLength: 6 }), { maxLength: 6 });
  await fc.assert(fc.asyncProperty(rounds, play), { numRuns: 40 });
  assert.ok(counted > 20, "and what was not taken away does count");
});
