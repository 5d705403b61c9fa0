// The table of rights, audit rows that cannot mislead, and chats that an owner opened.
import assert from "node:assert/strict";
import { it } from "node:test";
import { audit } from "../../src/access/audit.ts";
import { type Action, may } from "../../src/access/authorise.ts";
import type { Caller, Role } from "../../src/core/words.ts";
import { countAudit } from "../../src/store/audit.ts";
import { isEnabled, moveChat, setEnabled } from "../../src/store/chats.ts";
import { accessRig, start } from "../fakes/access-rig.ts";

function caller(role: Role, id = `p:${role}`): Caller {
  return { id, pairing: role === "anonymous" ? null : role, role, name: role };
}

it("gives each role exactly its rights", () => {
  // Over one's own task / over another's.
  const rights: Record<Action, Record<Role, string>> = {
    talk: { owner: "yes yes", authenticated: "yes yes", anonymous: "yes yes" },
    "see-task": { owner: "yes yes", authenticated: "yes no", anonymous: "yes no" },
    answer: { owner: "yes yes", authenticated: "yes no", anonymous: "no no" },
    "answer-lasting": { owner: "yes yes", authenticated: "no no", anonymous: "no no" },
    "call-contact": { owner: "yes yes", authenticated: "yes yes", anonymous: "no no" },
    schedule: { owner: "yes yes", authenticated: "yes yes", anonymous: "no no" },
    continue: { owner: "yes yes", authenticated: "yes no", anonymous: "yes no" },
    stop: { owner: "yes yes", authenticated: "yes no", anonymous: "yes no" },
    enable: { owner: "yes yes", authenticated: "no no", anonymous: "no no" },
  };
  const word = (right: boolean) => (right ? "yes" : "no");
  for (const [action, roles] of Object.entries(rights) as [Action, Record<Role, string>][])
    for (const [role, expected] of Object.entries(roles) as [Role, string][]) {
      const own = may(caller(role), action, { starter: `p:${role}` });
      const others = may(caller(role), action, { starter: "p:somebody" });
      assert.equal(`${word(own)} ${word(others)}`, expected, `${role} ${action}`);
      assert.equal(may(caller(role), action), others, `${role} ${action} of nobody`);
    }
});

it("gives somebody without a known role nothing", () => {
  const odd = { ...caller("owner"), role: "admin" as Role };
  assert.equal(may(odd, "talk"), false);
  assert.equal(may(odd, "answer", { starter: odd.id }), false);
});

function row(who: string, action: string, outcome: string) {
  return { at: start, who, name: "", place: "telegram 1", action, target: "", outcome, why: "" };
}

it("lists audit rows newest first, by who, what and how it ended, and counts them", async (t) => {
  const { run, audits } = accessRig(t);
  for (let n = 0; n < 5; n += 1) {
    await run(() => audit(row("p:ana", "press", n % 2 ? "refused" : "ok")));
    await run(() => audit(row("a:telegram:7", "code", "refused")));
  }
  const all = await audits();
  assert.equal(all.length, 10);
  assert.deepEqual(
    all.map(({ id }) => id),
    all.map(({ id }) => id).sort((a, b) => b - a),
  );
  const refused = await audits({ who: "p:ana", outcome: "refused" });
  assert.deepEqual(
    refused.map(({ who, action, outcome }) => [who, action, outcome]),
    Array(2).fill(["p:ana", "press", "refused"]),
  );
  assert.equal(await run(() => countAudit({ action: "code" })), 5);
  assert.equal(await run(() => countAudit()), 10);
  assert.equal((await audits({ before: all[3]?.id ?? 0 }))[0]?.id, all[4]?.id);
});

it("keeps audit rows short, and shows what would hide or drive a terminal", async (t) => {
  const { run, audits } = accessRig(t);
  const name = `ana\u202E\u001B[2J\r\nroot\u0000${"x".repeat(100_000)}`;
  await run(() => audit({ ...row("p:ana", "press", "refused"), name, why: name }));
  const [kept] = await audits();
  for (const text of [kept?.name ?? "", kept?.why ?? ""]) {
    assert.ok(text.startsWith("ana⟨U+202E⟩⟨U+001B⟩[2J⟨U+000D⟩⟨U+000A⟩root⟨U+0000⟩xxx"));
    assert.ok(text.length < 600);
  }
});

it("is closed to a chat until an owner opens it, and again when they close it", async (t) => {
  const { run } = accessRig(t);
  const chat = { listener: "telegram", chat: "-7", title: "Team" };
  const open = (id: string, listener = "telegram") => run(() => isEnabled(listener, id));
  assert.equal(await open("-7"), false);
  await run(() => setEnabled({ ...chat, enabled: true, at: start }));
  assert.equal(await open("-7"), true);
  assert.equal(await open("-7", "telegram-2"), false);
  await run(() => setEnabled({ ...chat, enabled: false, at: start + 1 }));
  assert.equal(await open("-7"), false);
});

it("keeps a chat open when it moves, opens nothing that was closed, and closes the old place", async (t) => {
  const { run } = accessRig(t);
  const open = (id: string) => run(() => isEnabled("telegram", id));
  const move = (from: string, to: string) =>
    run(() => moveChat({ listener: "telegram", from, to, at: start }));
  await run(() => setEnabled({ listener: "telegram", chat: "-7", enabled: true, at: start }));
  await move("-7", "-1007");
  assert.deepEqual([await open("-7"), await open("-1007")], [false, true]);
  await move("-8", "-1008");
  assert.equal(await open("-1008"), false);
});
