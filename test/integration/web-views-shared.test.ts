// What was shown in a chat is not its next person's to read, and what an owner was asked is theirs only while they are one.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { changeRole } from "../../src/access/pairings.ts";
import { listConversations } from "../../src/store/conversations.ts";
import { type ViewsRig, viewsRig } from "../fakes/views-rig.ts";

async function told({ store, views, caller }: ViewsRig, name: string): Promise<string> {
  const all = await store.run(() => listConversations(100));
  const viewer = await caller(name);
  const histories = await Promise.all(all.map(({ id }) => views.history(viewer, id)));
  return JSON.stringify([histories, await views.conversations(viewer)]);
}

it("gives an account that moved to another person nothing of what it was shown before", async (t) => {
  const rig = await viewsRig(t);
  await rig.join("1", "ana", "authenticated");
  await rig.desk.say("1", "canary-ana");
  await rig.desk.until(/canary-ana/);
  await rig.desk.say("1", "/tasks");
  await rig.desk.until(/completed · canary-ana/);
  await rig.join("1", "bob", "authenticated");
  await rig.desk.say("1", "canary-bob");
  await rig.desk.until(/canary-bob/);
  await rig.desk.say("1", "/whoami");
  await rig.desk.until(/You are \*\*bob\*\*/);
  const [ana, bob] = [await told(rig, "ana"), await told(rig, "bob")];
  assert.match(ana, /canary-ana/);
  assert.doesNotMatch(ana, /canary-bob/);
  assert.match(bob, /canary-bob/);
  assert.match(bob, /You are \*\*bob\*\*/);
  assert.doesNotMatch(bob, /canary-ana/);
});

it("shows an owner the card that they were asked with, in their own chat, and no more once they are none", async (t) => {
  const rig = await viewsRig(t);
  await rig.join("1", "ana", "authenticated");
  await rig.join("3", "olga", "owner");
  await rig.desk.say("3", "hello");
  await rig.desk.until(/^hello/, "3");
  const always = JSON.stringify([{ optionId: "always", name: "Always", kind: "allow_always" }]);
  await rig.desk.say("1", `dowith ${always} ${join(rig.workspace, "canary-ana.txt")}`);
  await rig.desk.until(/Create canary-ana/, "3");
  const olga = await rig.caller("olga");
  const own = (await rig.views.conversations(olga)).conversations.find(({ whose }) => !whose);
  const cardIn = async () => {
    const history = await rig.views.history(await rig.caller("olga"), own?.id ?? "");
    return history?.entries.find((entry) => entry.is === "posted" && entry.question);
  };
  assert.match((await cardIn())?.text ?? "", /Create canary-ana/);
  const [theirs] = (await rig.views.conversations(await rig.caller("ana"))).conversations;
  const anas = await rig.views.history(await rig.caller("ana"), theirs?.id ?? "");
  assert.ok(!anas?.entries.some((entry) => entry.is === "posted" && entry.question));
  await rig.store.run(() => changeRole("olga", "authenticated"));
  assert.equal(await cardIn(), undefined);
  assert.doesNotMatch(await told(rig, "olga"), /canary-ana/);
});

it("lets nobody but an owner give what outlasts the task, and lists it for nobody else", async (t) => {
  const rig = await viewsRig(t);
  await rig.join("1", "ana", "authenticated");
  await rig.join("3", "olga", "owner");
  const always = JSON.stringify([{ optionId: "always", name: "Always", kind: "allow_always" }]);
  await rig.desk.say("1", `dowith ${always} ${join(rig.workspace, "n.txt")}`);
  await rig.desk.until(/Create n\.txt/, "3");
  const [row] = (await rig.views.approvals(await rig.caller("ana"))).approvals;
  assert.deepEqual(
    row?.options.map(({ key }) => key),
    ["deny"],
  );
  const path = `/api/approvals/${row?.id}`;
  assert.equal((await rig.post("ana", path, { option: "always:0" })).status, 403);
  assert.equal((await rig.post("olga", path, { option: "always:0" })).status, 200);
  await rig.desk.until(/answer: always/, "1");
});
