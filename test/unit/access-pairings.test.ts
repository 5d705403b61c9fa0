// Pairings: names, roles, tokens, the owner at the keyboard, and what ends when one goes.
import assert from "node:assert/strict";
import { it } from "node:test";
import { identifyToken } from "../../src/access/identify.ts";
import {
  changeRole,
  createPairing,
  ensureLocal,
  hashToken,
  knownPairings,
  localAccount,
  makeToken,
  nameProblem,
  removePairing,
  rotateToken,
  unlink,
} from "../../src/access/pairings.ts";
import { addTask } from "../../src/store/tasks.ts";
import { accessRig, person, start } from "../fakes/access-rig.ts";

const keyboard = { ...localAccount, name: "local" };

function agent(name: string, token: string, role: "owner" | "authenticated" = "authenticated") {
  const tokenHash = hashToken(token);
  return { id: `id-${name}`, name, role, kind: "agent", tokenHash, createdAt: start } as const;
}

it("takes names that are safe in a command line, a path and a chat, and keeps its own", () => {
  for (const name of ["a", "ana", "ana-2", "7", "a".repeat(32)])
    assert.equal(nameProblem(name), undefined, name);
  const bad = [
    "",
    "Ana",
    "a b",
    "a_b",
    "../x",
    "-ana",
    "a".repeat(33),
    "ana\n",
    "аna",
    "email:a@b.c",
  ];
  for (const name of [...bad, "local", "anonymous"])
    assert.equal(typeof nameProblem(name), "string", JSON.stringify(name));
});

it("gives the owner at the keyboard a fresh token at each start, and the terminal", async (t) => {
  const { run, who, restart } = accessRig(t);
  const [first, next] = [makeToken(), makeToken()];
  await run(() => ensureLocal({ id: "one", tokenHash: hashToken(first), now: start }));
  assert.equal((await who(keyboard)).role, "owner");
  const known = await run(() => identifyToken(hashToken(first)));
  assert.deepEqual(known, {
    caller: { id: "p:one", pairing: "one", role: "owner", name: "local" },
    kind: "local",
  });
  await restart();
  await run(() => ensureLocal({ id: "two", tokenHash: hashToken(next), now: start + 1 }));
  assert.equal(await run(() => identifyToken(hashToken(first))), undefined);
  assert.equal((await run(() => identifyToken(hashToken(next))))?.caller.id, "p:one");
});

it("revokes the local pairing with all that owner's accounts, and makes a new one at the next start", async (t) => {
  const { run, invite, redeem, who } = accessRig(t);
  const [first, next] = [makeToken(), makeToken()];
  await run(() => ensureLocal({ id: "one", tokenHash: hashToken(first), now: start }));
  await redeem(await invite("local", start), person("1"), start);
  assert.equal((await who(person("1"))).id, "p:one");
  const gone = await run(() => removePairing("local", start));
  assert.equal(gone?.pairing.id, "one");
  assert.equal(gone?.accounts.length, 2);
  for (const sender of [person("1"), keyboard]) assert.equal((await who(sender)).role, "anonymous");
  assert.equal(await run(() => identifyToken(hashToken(first))), undefined);
  await run(() => ensureLocal({ id: "two", tokenHash: hashToken(next), now: start }));
  assert.equal((await who(keyboard)).id, "p:two");
  assert.equal((await who(person("1"))).role, "anonymous");
});

it("reads the role at each look, and never makes an owner of a program", async (t) => {
  const { run, invite, redeem, who } = accessRig(t);
  await redeem(await invite("ana", start), person("1"), start);
  await run(() => changeRole("ana", "owner"));
  assert.equal((await who(person("1"))).role, "owner");
  await run(() => changeRole("ana", "authenticated"));
  assert.equal((await who(person("1"))).role, "authenticated");
  assert.equal(await run(() => changeRole("nobody", "owner")), undefined);
  assert.equal(typeof (await run(() => createPairing(agent("other", "t", "owner")))), "string");
  assert.equal(await run(() => createPairing(agent("other", "t"))), undefined);
  const changed = await run(() => changeRole("other", "owner"));
  assert.ok(changed && "problem" in changed);
  assert.equal((await run(() => identifyToken(hashToken("t"))))?.caller.role, "authenticated");
  await run(() => ensureLocal({ id: "l", tokenHash: "h", now: start }));
  const local = await run(() => changeRole("local", "authenticated"));
  assert.ok(local && "problem" in local);
});

it("makes no second pairing of a name", async (t) => {
  const { run, invite, redeem } = accessRig(t);
  await redeem(await invite("ana", start), person("1"), start);
  assert.equal(typeof (await run(() => createPairing(agent("ana", "t")))), "string");
  assert.equal(typeof (await run(() => createPairing(agent("local", "t")))), "string");
  assert.equal(await run(() => identifyToken(hashToken("t"))), undefined);
});

it("makes tokens of 256 bits, knows them by their hash, and forgets the old one when it turns", async (t) => {
  const { run } = accessRig(t);
  const [first, next] = [makeToken(), makeToken()];
  assert.match(first, /^a2p_[\w-]{43}$/);
  await run(() => createPairing(agent("other", first)));
  const turned = await run(() => rotateToken("other", hashToken(next)));
  assert.equal(turned?.id, "id-other");
  assert.equal(await run(() => identifyToken(hashToken(first))), undefined);
  assert.equal((await run(() => identifyToken(hashToken(next))))?.caller.name, "other");
  assert.equal(await run(() => identifyToken(next)), undefined);
  assert.equal(await run(() => rotateToken("nobody", hashToken(first))), undefined);
});

it("unlinks the accounts of a channel, and only those", async (t) => {
  const { run, invite, redeem, who } = accessRig(t);
  const places = ["telegram", "telegram-2", "slack"];
  for (const place of places) await redeem(await invite("ana", start), person("1", place), start);
  await redeem(await invite("bob", start), person("2"), start);
  const unlinked = await run(() => unlink("ana", ["telegram", "telegram-2"]));
  assert.equal(unlinked?.pairing.name, "ana");
  assert.deepEqual(unlinked?.accounts.map(({ listener }) => listener).sort(), places.slice(0, 2));
  assert.equal((await who(person("1"))).role, "anonymous");
  assert.equal((await who(person("1", "slack"))).name, "ana");
  assert.equal((await who(person("2"))).name, "bob");
  assert.equal(await run(() => unlink("nobody", ["telegram"])), undefined);
});

it("lists each with its accounts, and when it last began a task", async (t) => {
  const { run, invite, redeem, who } = accessRig(t);
  await redeem(await invite("bob", start), person("2"), start);
  await redeem(await invite("ana", start, "owner"), person("1"), start);
  const caller = (await who(person("1"))).id;
  const task = { id: "t", conversation: "c", callerName: "ana", title: "x" };
  await run(() => addTask({ ...task, caller, at: start + 5 }));
  const list = await run(knownPairings);
  assert.deepEqual(
    list.map(({ name, role, kind, lastTaskAt }) => [name, role, kind, lastTaskAt]),
    [
      ["ana", "owner", "person", start + 5],
      ["bob", "authenticated", "person", null],
    ],
  );
  assert.deepEqual(list[0]?.accounts, [
    {
      listener: "telegram",
      account: "1",
      pairing: list[0]?.id,
      name: "name of 1",
      linkedAt: start,
      most: null,
    },
  ]);
  assert.ok(!JSON.stringify(list).includes("okenHash"));
});

it("forgets a removed pairing at once, and a new one of its name is not the old", async (t) => {
  const { run, invite, redeem, who } = accessRig(t);
  await redeem(await invite("ana", start, "owner"), person("1"), start);
  const before = await who(person("1"));
  const gone = await run(() => removePairing("ana", start));
  assert.equal(gone?.pairing.id, before.pairing);
  assert.deepEqual(await who(person("1")), {
    id: "a:telegram:1",
    pairing: null,
    role: "anonymous",
    name: "name of 1",
  });
  assert.equal(await run(() => removePairing("ana", start)), undefined);
  await redeem(await invite("ana", start), person("2"), start);
  assert.notEqual((await who(person("2"))).id, before.id);
  assert.equal((await who(person("1"))).role, "anonymous");
});
