// What the page reads: each person their own, an owner everything, nobody else anything.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { listAudit } from "../../src/store/audit.ts";
import { listConversations } from "../../src/store/conversations.ts";
import { createDesk } from "../fakes/desk.ts";
import { type ViewsRig, viewsRig } from "../fakes/views-rig.ts";

const group = { id: "g", kind: "group" } as const;

const everybody = ["ana", "bob", "olga"];

/** Two people and an owner: in their own chats and in a group; those who write leave words of their own everywhere. */
async function crowded(t: TestContext, writing = everybody): Promise<ViewsRig> {
  const other = createDesk("other");
  const rig = await viewsRig(t, { more: [other], settings: { concurrent: 10 } });
  const { desk } = rig;
  await rig.join("1", "ana", "authenticated");
  await rig.join("2", "bob", "authenticated");
  await rig.join("3", "olga", "owner");
  await desk.say("3", "/enable", { chat: group });
  await desk.until(/I answer here/, "g");
  for (const name of writing) {
    const account = String(everybody.indexOf(name) + 1);
    await desk.say(account, `canary-${name}-direct`, {
      files: [{ id: "f", name: `canary-${name}-file.txt`, mime: "text/plain", size: 3 }],
    });
    await desk.until(new RegExp(`canary-${name}-direct`), account);
    await desk.say(account, `canary-${name}-group`, { chat: group });
    await desk.until(new RegExp(`canary-${name}-group`), "g");
    await desk.say(account, "/tasks", { chat: group });
    await desk.say(account, `do ${join(rig.workspace, `canary-${name}-denied.txt`)}`);
    await desk.until(new RegExp(`canary-${name}-denied`), account);
    await desk.press(account, "Deny");
    await desk.until(new RegExp(`⛔ Denied by ${name}`), account);
    await desk.until(/answer: no/, account);
    await desk.say(account, `do ${join(rig.workspace, `canary-${name}-open.txt`)}`);
    await desk.until(new RegExp(`canary-${name}-open`), account);
    await desk.say(account, `canary-${name}-waiting`);
  }
  return rig;
}

/** Everything that this person can be shown, whatever ids they try. */
async function everything({ store, get }: ViewsRig, name: string | undefined): Promise<string> {
  const all = await store.run(() => listConversations(1000));
  const paths = [
    "/api/conversations",
    "/api/tasks",
    "/api/approvals",
    "/api/operator",
    ...all.map(({ id }) => `/api/conversations/${id}`),
    ...all.map(({ id }) => `/api/conversations/${id}?before=${Date.now() + 5}`),
    ...all.map(({ address }) => `/api/chats/${address.chat}`),
  ];
  const answers = await Promise.all(paths.map((path) => get(name, path)));
  return JSON.stringify(answers);
}

it("shows nobody a word of somebody else, an owner everything, and a stranger nothing", async (t) => {
  const rig = await crowded(t);
  const seen = {
    ana: await everything(rig, "ana"),
    bob: await everything(rig, "bob"),
    olga: await everything(rig, "olga"),
    stranger: await everything(rig, "mallory"),
    nobody: await everything(rig, undefined),
  };
  const kinds = ["direct", "group", "file", "denied", "open", "waiting"];
  for (const kind of kinds) {
    assert.ok(seen.ana.includes(`canary-ana-${kind}`), `ana sees her own ${kind}`);
    assert.ok(seen.bob.includes(`canary-bob-${kind}`), `bob sees his own ${kind}`);
    for (const name of ["ana", "bob", "olga"])
      assert.ok(seen.olga.includes(`canary-${name}-${kind}`), `olga sees ${kind} of ${name}`);
  }
  assert.doesNotMatch(seen.ana, /canary-(bob|olga)/);
  assert.doesNotMatch(seen.bob, /canary-(ana|olga)/);
  assert.doesNotMatch(seen.stranger + seen.nobody, /canary/);
  const refusals = await rig.store.run(() => listAudit(500, { action: "look" }));
  assert.ok(refusals.some(({ name, outcome }) => name === "ana" && outcome === "refused"));
});

it("lists conversations of every channel with what goes on in them, and whose they are", async (t) => {
  const rig = await crowded(t);
  const { conversations } = await rig.views.conversations(await rig.caller("ana"));
  assert.deepEqual(
    conversations.map(({ kind, whose, state, chat }) => ({ kind, whose, state, chat })),
    [
      { kind: "direct", whose: null, state: "waiting", chat: null },
      { kind: "group", whose: null, state: "idle", chat: null },
    ],
  );
  const all = (await rig.views.conversations(await rig.caller("olga"))).conversations;
  assert.deepEqual(all.map(({ whose }) => whose).sort(), ["ana", "ana", "bob", "bob", null, null]);
  assert.deepEqual(
    all.map(({ lastAt }) => lastAt),
    all.map(({ lastAt }) => lastAt).toSorted((a, b) => b - a),
  );
});

it("tells a conversation in order, with cards as they stand now, and what waits with its place", async (t) => {
  const rig = await crowded(t, ["ana"]);
  const ana = await rig.caller("ana");
  const [direct] = (await rig.views.conversations(ana)).conversations;
  const history = await rig.views.history(ana, direct?.id ?? "");
  assert.ok(history);
  assert.equal(history.work?.state, "waiting");
  assert.equal(history.earlier, false);
  const texts = history.entries.map(({ is, text }) => `${is} ${text.split("\n")[0]}`);
  assert.match(texts[0] ?? "", /^posted Welcome, ana/);
  assert.equal(texts[1], "said canary-ana-direct");
  assert.equal(texts[2], "posted canary-ana-direct");
  assert.match(texts.at(-1) ?? "", /^said canary-ana-waiting/);
  assert.deepEqual(history.entries.filter(({ is }) => is === "said").at(-1), {
    ...history.entries.at(-1),
    mine: true,
    place: 1,
  });
  const cards = history.entries.filter((one) => one.is === "posted" && one.question);
  assert.equal(cards.length, 2);
  assert.match(cards[0]?.text ?? "", /⛔ Denied by ana/);
  assert.doesNotMatch(cards[1]?.text ?? "", /Buttons, or/, "nobody presses it here");
  assert.ok(cards.every((card) => card.is === "posted" && card.buttons.length === 0));
  assert.ok(cards.every((card) => card.is === "posted" && card.format === "markdown"));
});

it("gives older pages without a gap or a repetition", async (t) => {
  const rig = await viewsRig(t, { fake: "echo" });
  await rig.join("1", "ana");
  for (let index = 0; index < 70; index += 1) {
    await rig.desk.say("1", `message ${index}.`);
    await rig.desk.until(new RegExp(`^message ${index}\\.`));
  }
  const ana = await rig.caller("ana");
  const id = (await rig.views.conversations(ana)).conversations[0]?.id ?? "";
  const newest = await rig.views.history(ana, id);
  const before = newest?.entries[0]?.at ?? 0;
  const older = await rig.views.history(ana, id, before);
  assert.deepEqual([newest?.earlier, older?.earlier], [true, false]);
  const ids = [...(older?.entries ?? []), ...(newest?.entries ?? [])].map(({ id: one }) => one);
  assert.equal(new Set(ids).size, ids.length);
  const said = [...(older?.entries ?? []), ...(newest?.entries ?? [])].filter(
    ({ is }) => is === "said",
  );
  assert.deepEqual(
    said.map(({ text }) => text),
    Array.from({ length: 70 }, (_, index) => `message ${index}.`),
  );
});

it("answers alike for what is not there and what is somebody else's", async (t) => {
  const rig = await crowded(t, ["bob"]);
  const theirs = await rig.views.conversations(await rig.caller("bob"));
  const open = await rig.views.approvals(await rig.caller("bob"));
  const running = (await rig.views.tasks(await rig.caller("bob"))).tasks[0];
  const question = open.approvals[0]?.id;
  const gets = [`/api/conversations/${theirs.conversations[0]?.id}`, "/api/conversations/none"];
  const answers = await Promise.all([
    ...gets.map((path) => rig.get("ana", path)),
    rig.get("ana", "/api/chats/none"),
    rig.post("ana", `/api/approvals/${question}`, { option: "allow" }),
    rig.post("ana", "/api/approvals/none", { option: "allow" }),
    rig.post("ana", `/api/tasks/${running?.id}/stop`),
    rig.post("ana", "/api/tasks/none/stop"),
  ]);
  for (const answer of answers) assert.deepEqual(answer, { ...answers[0], status: 404 });
  assert.equal(existsSync(join(rig.workspace, "canary-bob-open.txt")), false);
  const refused = await rig.store.run(() => listAudit(50));
  const kinds = refused.filter(({ name }) => name === "ana").map(({ action }) => action);
  for (const action of ["look", "question.answer", "task.stop"])
    assert.ok(kinds.includes(action), `an audit row of ${action}`);
});

it("decides a question of another channel, changes its card there, and says who was first", async (t) => {
  const rig = await crowded(t, ["ana"]);
  const [row] = (await rig.views.approvals(await rig.caller("ana"))).approvals;
  assert.match(row?.body ?? "", /canary-ana-open/);
  const path = `/api/approvals/${row?.id}`;
  assert.equal((await rig.post("ana", path, { option: "no such thing" })).status, 400);
  assert.equal((await rig.post("ana", path, { reason: "none" })).status, 400);
  const decided = await rig.post("olga", path, { option: row?.options[0]?.key });
  assert.deepEqual(decided, { status: 200, body: { decided: true, text: "Allowed." } });
  await rig.desk.until(/✅ Allow once · olga/, "1");
  await rig.desk.until(/answer: once/, "1");
  assert.equal(existsSync(join(rig.workspace, "canary-ana-open.txt")), true);
  const late = await rig.post("ana", path, { option: "deny" });
  assert.deepEqual(late, {
    status: 409,
    body: { problem: "Already decided by olga: Allow once." },
  });
});

it("stops a task for its starter or an owner, once", async (t) => {
  const rig = await crowded(t, ["ana"]);
  const { tasks } = await rig.views.tasks(await rig.caller("ana"));
  const open = tasks.find(({ state }) => state === "input-required");
  const path = `/api/tasks/${open?.id}/stop`;
  const [row] = (await rig.views.approvals(await rig.caller("ana"))).approvals;
  assert.equal((await rig.post("ana", path)).status, 200);
  await rig.desk.until(/⌛ Stopped/, "1");
  assert.equal((await rig.post("ana", path)).status, 409);
  const late = await rig.post("ana", `/api/approvals/${row?.id}`, { option: "allow" });
  assert.equal(late.status, 409);
  assert.match(late.body.problem, /expired: nothing was run/);
});

it("shows an operator listeners, pairings, tasks, open questions and the audit", async (t) => {
  const rig = await crowded(t, ["ana"]);
  const { status, body } = await rig.get("olga", "/api/operator");
  assert.equal(status, 200);
  assert.deepEqual(
    body.listeners.map(({ id, channel, health }: typeof body) => [id, channel, health.state]),
    [
      ["desk", "desk", "connected"],
      ["other", "desk", "connected"],
    ],
  );
  assert.deepEqual(
    body.pairings.map(({ name, accounts }: typeof body) => [name, accounts.length]),
    [
      ["ana", 1],
      ["bob", 1],
      ["olga", 1],
    ],
  );
  assert.equal(body.approvals.length, 1);
  assert.equal(body.running, 1);
  assert.ok(
    body.audit.some(
      ({ action, name }: typeof body) => action === "question.deny" && name === "ana",
    ),
  );
  assert.equal((await rig.get("ana", "/api/operator")).status, 403);
});
