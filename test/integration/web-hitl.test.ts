// A link to a question, where a chat has no buttons: it answers as its person, once, while they may.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { changeRole, unlink } from "../../src/access/pairings.ts";
import { listAudit } from "../../src/store/audit.ts";
import { createDesk } from "../fakes/desk.ts";
import type { SpineOptions } from "../fakes/spine.ts";
import { type ViewsRig, viewsRig } from "../fakes/views-rig.ts";

const link = /https:\/\/gate\.example\/hitl\/([\w.-]+)/;

function letters(t: TestContext, options: SpineOptions = {}): Promise<ViewsRig> {
  return viewsRig(t, { desk: createDesk("desk", { buttons: 0 }), ...options });
}

async function asked({ desk, workspace }: ViewsRig, account: string, file = "n.txt") {
  const path = join(workspace, file);
  await desk.say(account, `do ${path}`);
  const card = await desk.until(new RegExp(`Create ${file.replace(".", "\\.")}`), account);
  const token = link.exec(card.text)?.[1] ?? "";
  return { path, card, token };
}

it("runs the tool after an answer by the link, and only the first answer counts", async (t) => {
  const rig = await letters(t);
  await rig.join("1", "ana", "authenticated");
  const { path, token, card } = await asked(rig, "1");
  assert.match(card.text, /`allow 1` \/ `deny 1 because …`, or decide here: </);
  for (let looks = 0; looks < 3; looks += 1) {
    const { status, body } = await rig.get(undefined, `/api/hitl/${token}`);
    assert.equal(status, 200);
    assert.deepEqual(
      { title: body.title, kind: body.kind, state: body.state, who: body.who },
      { title: "Create n.txt", kind: "approval", state: "pending", who: "ana" },
    );
    assert.match(body.body, /did/);
  }
  assert.equal(existsSync(path), false);
  const first = await rig.post(undefined, `/hitl/${token}`, { option: "allow:0" });
  assert.deepEqual(first, { status: 200, body: { decided: true, text: "Allowed." } });
  await rig.desk.until(/answer: once/);
  assert.equal(readFileSync(path, "utf8"), "did\n");
  const shown = await rig.desk.until(/✅ Allow once · ana/);
  assert.doesNotMatch(shown.text, link);
  const second = await rig.post(undefined, `/hitl/${token}`, { option: "deny" });
  assert.deepEqual(second, {
    status: 409,
    body: { problem: "Already decided by ana: Allow once." },
  });
  const after = await rig.get(undefined, `/api/hitl/${token}`);
  assert.equal(after.body.state, "answered");
  assert.match(after.body.outcome, /✅ Allow once · ana/);
});

it("carries a reason with a no, and takes the text of no option for nothing", async (t) => {
  const rig = await letters(t);
  await rig.join("1", "ana", "authenticated");
  const { path, token } = await asked(rig, "1");
  const wrong = await rig.post(undefined, `/hitl/${token}`, { option: "always:0" });
  assert.equal(wrong.status, 400);
  await rig.post(undefined, `/hitl/${token}`, { option: "deny", reason: "wrong folder" });
  await rig.desk.until(/⛔ Denied by ana: wrong folder/);
  assert.equal(existsSync(path), false);
});

it("refuses whoever was unlinked since", async (t) => {
  const rig = await letters(t);
  await rig.join("1", "ana", "authenticated");
  const { path, token } = await asked(rig, "1");
  await rig.store.run(() => unlink("ana", ["desk"]));
  assert.equal((await rig.get(undefined, `/api/hitl/${token}`)).status, 404);
  const answer = await rig.post(undefined, `/hitl/${token}`, { option: "allow:0" });
  assert.equal(answer.status, 404);
  assert.equal(existsSync(path), false);
  const [row] = await rig.store.run(() => listAudit(1, { outcome: "refused" }));
  assert.equal(row?.why, "not theirs any more");
});

it("answers for an owner who is asked about what somebody else does, while they are one", async (t) => {
  const rig = await letters(t);
  await rig.join("1", "ana", "authenticated");
  await rig.join("3", "olga", "owner");
  await rig.join("4", "otto", "owner");
  const always = JSON.stringify([{ optionId: "always", name: "Always", kind: "allow_always" }]);
  const path = join(rig.workspace, "n.txt");
  await rig.desk.say("1", `dowith ${always} ${path}`);
  const [forOlga, forOtto] = [
    await rig.desk.until(/Create n\.txt/, "3"),
    await rig.desk.until(/Create n\.txt/, "4"),
  ].map(({ text }) => link.exec(text)?.[1] ?? "");
  assert.notEqual(forOlga, forOtto);
  await rig.store.run(() => changeRole("olga", "authenticated"));
  const refused = await rig.post(undefined, `/hitl/${forOlga}`, { option: "always:0" });
  assert.equal(refused.status, 404);
  assert.equal(existsSync(path), false);
  const otto = await rig.get(undefined, `/api/hitl/${forOtto}`);
  assert.equal(otto.body.who, "otto");
  const decided = await rig.post(undefined, `/hitl/${forOtto}`, { option: "always:0" });
  assert.equal(decided.status, 200);
  await rig.desk.until(/answer: always/, "1");
});

it("says after a restart that the question has expired", async (t) => {
  const first = await letters(t);
  await first.join("1", "ana", "authenticated");
  const { path, token } = await asked(first, "1");
  await first.stop();
  const rig = await letters(t, { folder: first.folder, desk: first.desk });
  const { body } = await rig.get(undefined, `/api/hitl/${token}`);
  assert.equal(body.state, "expired");
  assert.match(body.outcome, /Expired by a restart/);
  const late = await rig.post(undefined, `/hitl/${token}`, { option: "allow:0" });
  assert.equal(late.status, 409);
  assert.equal(existsSync(path), false);
});

it("answers every wrong link alike, and counts it against its address", async (t) => {
  const rig = await letters(t);
  await rig.join("1", "ana", "authenticated");
  const { path, token } = await asked(rig, "1");
  const [card = "", mac = ""] = token.split(".");
  const flipped = `${mac.startsWith("A") ? "B" : "A"}${mac.slice(1)}`;
  const wrong = [`${card}.${flipped}`, card, `${card}.`, `x${card}.${mac}`, "nothing", `${token}A`];
  for (const one of wrong) {
    const looked = await rig.get(undefined, `/api/hitl/${one}`);
    const posted = await rig.post(undefined, `/hitl/${one}`, { option: "allow:0" });
    assert.deepEqual(posted, looked);
    assert.equal(looked.status, 404);
  }
  assert.equal(existsSync(path), false);
  const rows = await rig.store.run(() => listAudit(50, { outcome: "refused" }));
  const counted = rows.filter(({ why }) => why === "wrong link");
  assert.equal(counted.length, 3, "after three nothing more is counted, or kept");
  assert.equal((await rig.get(undefined, `/api/hitl/${token}`)).status, 200);
});

it("puts no link where there are buttons", async (t) => {
  const rig = await viewsRig(t);
  await rig.join("1", "ana", "authenticated");
  const { card } = await asked(rig, "1");
  assert.equal(card.buttons.length, 3);
  assert.doesNotMatch(card.text, link);
});

it("puts no link where a group could read it", async (t) => {
  const rig = await letters(t);
  await rig.join("1", "ana", "owner");
  const chat = { id: "g", kind: "group" } as const;
  await rig.desk.say("1", "/enable", { chat });
  await rig.desk.until(/I answer here/, "g");
  await rig.desk.say("1", `do ${join(rig.workspace, "g.txt")}`, { chat });
  const card = await rig.desk.until(/Create g\.txt/, "g");
  assert.doesNotMatch(card.text, link);
  assert.match(card.text, /`allow 1`/);
});
