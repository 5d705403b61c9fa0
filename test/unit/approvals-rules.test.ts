// What asks, what is shown, and which of the agent's options an answer becomes.
import assert from "node:assert/strict";
import { it } from "node:test";
import { effectOf } from "../../src/approvals/effect.ts";
import {
  approvalOptions,
  isForOwners,
  narrowestAllow,
  replyFor,
} from "../../src/approvals/options.ts";
import { grantTarget, type Policy, verdict } from "../../src/approvals/verdict.ts";
import type { PermissionOption, ToolCall } from "../../src/core/agent.ts";

const policy: Policy = {
  readable: ["/workspace", "/home/agent"],
  cwd: "/workspace",
  auto: [],
  deny: { kinds: [], commands: [] },
};

function call(change: Partial<ToolCall>): ToolCall {
  return {
    id: "1",
    title: "t",
    kind: "other",
    status: "pending",
    locations: [],
    diffs: [],
    ...change,
  };
}

const option = (id: string, kind: PermissionOption["kind"], name = id): PermissionOption => ({
  id,
  kind,
  name,
});

it("lets reads inside the workspace and home pass, and asks about every other read", () => {
  const rows: [Partial<ToolCall>, "allow" | "ask"][] = [
    [{ kind: "read", locations: ["/workspace/a.ts"] }, "allow"],
    [{ kind: "search", locations: ["src", "/home/agent/inbox/x"] }, "allow"],
    [{ kind: "think" }, "allow"],
    [{ kind: "read", locations: ["/workspace/../etc/passwd"] }, "ask"],
    [{ kind: "read", locations: ["/workspace-evil/a"] }, "ask"],
    [{ kind: "read", locations: ["/workspace/a", "/etc/shadow"] }, "ask"],
    [{ kind: "read" }, "ask"],
    [{ kind: "read", locations: ["/workspace/a"], command: "cat a; rm b" }, "ask"],
    [{ kind: "search", locations: ["/workspace"], url: "https://example.org/?q=secret" }, "ask"],
    [{ kind: "read", locations: ["a"], diffs: [{ path: "a", before: "x", after: "y" }] }, "ask"],
    [{ kind: "edit", locations: ["/workspace/a"] }, "ask"],
    [{ kind: "execute" }, "ask"],
    [{ kind: "fetch" }, "ask"],
    [{ kind: "switch_mode" }, "ask"],
    [{ kind: "other" }, "ask"],
  ];
  for (const [change, expected] of rows)
    assert.equal(verdict(call(change), policy).is, expected, JSON.stringify(change));
});

it("forbids by kind and by command pattern before anything else", () => {
  const strict: Policy = {
    ...policy,
    auto: ["execute"],
    deny: { kinds: ["delete"], commands: ["git push*", "sudo"] },
  };
  assert.equal(verdict(call({ kind: "delete" }), strict).is, "deny");
  assert.equal(
    verdict(call({ kind: "execute", command: "git push origin main" }), strict).is,
    "deny",
  );
  assert.equal(verdict(call({ kind: "execute", command: "ls && sudo rm x" }), strict).is, "deny");
  assert.equal(verdict(call({ kind: "other", command: "  git push\n--force" }), strict).is, "deny");
  assert.deepEqual(verdict(call({ kind: "execute", command: "git pull" }), strict), {
    is: "allow",
    why: "approvals.auto",
    changes: true,
  });
});

it("grants for a task only the same kind on exactly the same target", () => {
  assert.notEqual(
    grantTarget(call({ kind: "execute", command: "npm test" })),
    grantTarget(call({ kind: "execute", command: "npm test; rm -rf ." })),
  );
  const one = call({ kind: "edit", diffs: [{ path: "a", before: "", after: "1" }] });
  assert.equal(grantTarget(one), grantTarget({ ...one, title: "another title" }));
});

it("answers with the option the agent offered, byte for byte, and never with the first for a denial", () => {
  const odd = [
    option("approve_für_session ✓", "allow_once"),
    option("deny_always", "reject_always"),
  ];
  assert.deepEqual(replyFor("allow:0", odd), { optionId: "approve_für_session ✓" });
  assert.deepEqual(replyFor("deny", odd), { optionId: "deny_always" });
  assert.deepEqual(replyFor("deny", [...odd, option("no", "reject_once")]), { optionId: "no" });
  assert.equal(replyFor("deny", [option("yes", "allow_once")]), "cancelled");
  assert.equal(replyFor(null, odd), "cancelled");
  assert.equal(replyFor("task", [option("always", "allow_always")]), "cancelled");
});

it("offers a lasting allow only when nothing narrower is there, and then to owners", () => {
  const both = approvalOptions(
    [option("a", "allow_always"), option("o", "allow_once"), option("r", "reject_once")],
    "x",
  );
  assert.deepEqual(
    both.options.map(({ key }) => key),
    ["allow:1", "task", "deny"],
  );
  assert.equal(both.ownersOnly, false);
  const lasting = approvalOptions(
    [option("a", "allow_always", "Yes, forever"), option("r", "reject_once")],
    "x",
  );
  assert.deepEqual(
    lasting.options.map(({ label }) => label),
    ["Always allow (Yes, forever)", "Deny"],
  );
  assert.equal(lasting.ownersOnly, true);
  assert.equal(narrowestAllow(lasting.options), "always:0");
  assert.equal(isForOwners("always:0"), true);
});

it("shows every allow option when several are of one kind", () => {
  const { options } = approvalOptions(
    [option("a", "allow_once", "This file"), option("b", "allow_once", "This folder")],
    "x",
  );
  assert.deepEqual(
    options.map(({ label }) => label),
    ["This file", "This folder", "Allow x for this task", "Deny"],
  );
});

it("shows the whole command with everything hidden made visible and the fence unbroken", async () => {
  const { title, body } = await effectOf(
    call({ kind: "execute", command: "echo \u202Ehi\u200B\n```\n\u001b[31mrm -rf /" }),
  );
  assert.equal(title, "Run a command");
  assert.match(body, /⟨U\+202E⟩hi⟨U\+200B⟩/);
  assert.match(body, /⟨U\+001B⟩\[31mrm -rf \//);
  assert.ok(body.startsWith("````sh\n") && body.endsWith("\n````"));
});

it("shows an edit as a diff and a new file whole", async () => {
  const edit = await effectOf(
    call({ kind: "edit", diffs: [{ path: "src/a.ts", before: "one\ntwo\n", after: "one\n2\n" }] }),
  );
  assert.equal(edit.title, "Change a.ts");
  assert.match(edit.body, /-two\n\+2/);
  const create = await effectOf(
    call({ kind: "edit", diffs: [{ path: "n.md", before: null, after: "# hi" }] }),
  );
  assert.equal(create.title, "Create n.md");
  assert.match(create.body, /# hi/);
});

it("shows the title, paths and input of a call that has neither command nor diff, escaped", async () => {
  const { body } = await effectOf(call({ kind: "other", title: "do `x`\u202E", input: '{"a":1}' }));
  assert.match(body, /`` do `x`⟨U\+202E⟩ ``/);
  assert.match(body, /\{"a":1\}/);
});
