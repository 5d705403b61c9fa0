// Codes by mail: they link the proved address, at most as authenticated; only a link by hand gives an owner's power.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { addInvite, hmacOf, makeCode } from "../../src/access/codes.ts";
import { identify } from "../../src/access/identify.ts";
import { linkByHand } from "../../src/access/link.ts";
import { knownPairings } from "../../src/access/pairings.ts";
import { createHitl, hitlToken } from "../../src/admin/hitl.ts";
import { systemClock } from "../../src/core/clock.ts";
import { ownerAccounts } from "../../src/store/accounts.ts";
import { cardsOf } from "../../src/store/cards.ts";
import { pendingQuestions } from "../../src/store/questions.ts";
import { listTasks } from "../../src/store/tasks.ts";
import { createOperate } from "../../src/turns/operate.ts";
import { createDesk } from "../fakes/desk.ts";
import { audits, createMailDesk } from "../fakes/mail-desk.ts";
import { type Spine, type SpineOptions, startSpine } from "../fakes/spine.ts";

const codeKey = Buffer.alloc(32, 7);
const olga = "olga@example.org";

async function open(t: TestContext, settings: SpineOptions["settings"] = {}) {
  const desk = createDesk();
  const post = createMailDesk();
  const spine = await startSpine(t, { desk, more: [post], settings });
  return { ...spine, desk, post };
}

async function invite({ store }: Spine, name: string, role: "owner" | "authenticated" = "owner") {
  const code = makeCode();
  await store.run(() => addInvite({ hmac: hmacOf(codeKey, code), name, role, now: Date.now() }));
  return code;
}

function whoIs({ store }: Spine, account: string, listener = "email") {
  return store.run(() => identify({ listener, account, name: "" }));
}

const linkByOperator = ({ store }: Spine, name: string, account: string) =>
  store.run(() => linkByHand({ name, listener: "email", account, id: "made", now: Date.now() }));

it("links the proved address of an owner, who is at most authenticated by it, and says so", async (t) => {
  const spine = await open(t);
  await spine.join("1", "olga", "owner");
  await spine.post.mail("Olga@Example.org", `join ${await invite(spine, "olga")}`);
  const welcome = await spine.post.until(/Welcome/, olga);
  assert.match(welcome.text, /You are in now/);
  const [byMail, byChat] = [await whoIs(spine, olga), await whoIs(spine, "1", "desk")];
  assert.deepEqual([byMail.id, byMail.role], [byChat.id, "authenticated"]);
  assert.equal(byChat.role, "owner");
  await spine.post.mail(olga, "/whoami");
  const whoami = await spine.post.until(/This account is/, olga);
  assert.match(whoami.text, /\*\*olga\*\*, authenticated.*`olga@example\.org` on `email`/);
  const owners = await spine.store.run(ownerAccounts);
  assert.deepEqual(
    owners.map(({ listener }) => listener),
    ["desk"],
  );
});

it("gives an owner by mail no say over others' tasks, until the operator links the address by hand", async (t) => {
  const spine = await open(t);
  const { desk, post, workspace } = spine;
  await spine.join("1", "olga", "owner");
  await spine.join("2", "ana", "authenticated");
  await post.mail(olga, `join ${await invite(spine, "olga")}`);
  await post.until(/Welcome/, olga);
  const path = join(workspace, "n.txt");
  await desk.say("2", `do ${path}`);
  await desk.until(/Create n\.txt/, "2");
  await post.mail(olga, "/tasks");
  await post.until(/No tasks yet/, olga);
  const [question] = await spine.store.run(pendingQuestions);
  assert.ok(question);
  const { decideAs } = createOperate(spine.gateway.ports, spine.gateway.receiver);
  const allow = { option: "allow", place: "test" };
  const capped = await whoIs(spine, olga);
  assert.equal(await decideAs(capped, question.id, allow), undefined);
  assert.equal(existsSync(path), false);
  await linkByOperator(spine, "olga", olga);
  const linked = await whoIs(spine, olga);
  assert.equal(linked.role, "owner");
  // The same link by a code once more takes nothing away.
  await post.mail(olga, `join ${await invite(spine, "olga")}`);
  await post.until(/You are an owner now/, olga);
  assert.equal((await decideAs(linked, question.id, allow))?.is, "decided");
  await desk.until(/answer: /, "2");
  assert.equal(existsSync(path), true);
});

it("starts what waited in the lane with no more power than the address has", async (t) => {
  const spine = await open(t);
  const { post, workspace } = spine;
  await spine.join("1", "olga", "owner");
  await post.mail(olga, `join ${await invite(spine, "olga")}`);
  await post.until(/Welcome/, olga);
  const gate = join(workspace, "gate");
  await post.mail(olga, `stall ${gate}`);
  await post.mail(olga, "/stop");
  await post.mail(olga, "after it");
  await post.until(/after it/, olga);
  const roles = await rolesOfTurns(spine);
  assert.deepEqual([...new Set(roles)], ["authenticated"]);
  assert.equal(roles.length, 2);
});

async function rolesOfTurns({ store }: Spine) {
  const { turnsOfTask } = await import("../../src/store/turns.ts");
  return store.run(function* () {
    const roles: string[] = [];
    for (const { id } of yield* listTasks(10))
      for (const turn of yield* turnsOfTask(id)) roles.push(turn.role);
    return roles;
  });
}

it("counts a link to a card that went to such an address as coming from there", async (t) => {
  const spine = await open(t);
  const { post, workspace, store } = spine;
  await spine.join("1", "olga", "owner");
  await post.mail(olga, `join ${await invite(spine, "olga")}`);
  await post.until(/Welcome/, olga);
  await post.mail(olga, `do ${join(workspace, "n.txt")}`);
  await post.until(/Create n\.txt/, olga);
  const [question] = await store.run(pendingQuestions);
  assert.ok(question);
  const [card] = await store.run(() => cardsOf(question.id));
  const asked: string[] = [];
  const door = createHitl({
    store,
    clock: systemClock,
    key: codeKey,
    guesser: (address) => ({ listener: "links", account: address, name: "" }),
    async decideAs(caller) {
      asked.push(caller.role);
      return undefined;
    },
  });
  await door.decide(hitlToken(codeKey, card?.id ?? ""), { option: "allow" }, "::1");
  assert.deepEqual(asked, ["authenticated"]);
});

it("takes no code from a mail that is not proved", async (t) => {
  const spine = await open(t);
  const code = await invite(spine, "olga");
  await spine.post.say(`unproved:${olga}`, `join ${code}`, {
    sender: { account: `unproved:${olga}`, name: "" },
    silent: "no DKIM signature",
  });
  assert.deepEqual(spine.post.see(`unproved:${olga}`), []);
  assert.deepEqual(await spine.store.run(knownPairings), []);
  await spine.post.mail(olga, `join ${code}`);
  await spine.post.until(/Welcome, olga\. You are in now/, olga);
});

it("makes wrong codes wait by mail as well, and takes a right one for wrong then", async (t) => {
  const spine = await open(t, { allowEmail: ["example.org"] });
  for (const end of ["4", "5", "6", "7"]) await spine.post.mail(olga, `join K7Q2-9XF${end}`);
  await spine.post.mail(olga, `join ${await invite(spine, "olga")}`);
  for (;;) {
    const rows = await audits(spine.store, "code");
    if (rows.length === 5) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const rows = await audits(spine.store, "code");
  assert.deepEqual(
    rows.map(({ why }) => why),
    [...Array(2).fill("too many attempts"), ...Array(3).fill("wrong, used or expired")],
  );
  assert.equal((await whoIs(spine, olga)).role, "anonymous");
});

it("moves an address that was let in by the list to the person, and ends what it was doing before", async (t) => {
  const spine = await open(t, { allowEmail: ["example.org"] });
  const { post, store, workspace } = spine;
  await spine.join("1", "olga", "owner");
  await post.mail(olga, `do ${join(workspace, "n.txt")}`);
  await post.until(/Create n\.txt/, olga);
  await post.mail(olga, `join ${await invite(spine, "olga")}`);
  await post.until(/Welcome, olga/, olga);
  await post.until(/linked to another pairing/, olga);
  const names = (await store.run(knownPairings)).map(({ name }) => name);
  assert.deepEqual(names, ["olga"]);
  assert.deepEqual(await store.run(pendingQuestions), []);
  assert.equal(existsSync(join(workspace, "n.txt")), false);
  const [moved] = await audits(store, "code");
  assert.equal(moved?.why, `moved from email:${olga}`);
  await post.mail(olga, "as olga");
  await post.until(/as olga/, olga);
  const [task] = await store.run(() => listTasks(1));
  assert.equal(task?.callerName, "olga");
});
