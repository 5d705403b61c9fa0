// A step that only an owner may allow, put into a running turn from beside the agent: who is asked, and how long an answer counts.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type {
  PermissionOption,
  PermissionReply,
  ToolCall,
  TurnInlet,
} from "../../src/core/agent.ts";
import { findPairing } from "../../src/store/pairings.ts";
import { pendingQuestions } from "../../src/store/questions.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { pressOf } from "../fakes/desk.ts";
import { type Spine, type SpineOptions, startSpine } from "../fakes/spine.ts";

const options: readonly PermissionOption[] = [
  { id: "yes", name: "Allow", kind: "allow_once" },
  { id: "no", name: "Deny", kind: "reject_once" },
];
const never = new AbortController().signal;

function fetchOf(url: string): ToolCall {
  const title = `Connect to ${url}`;
  return { id: url, title, kind: "fetch", status: "pending", locations: [], diffs: [], url };
}

interface Asking {
  readonly spine: Spine;
  readonly inlet: TurnInlet;
  ask(url: string, signal?: AbortSignal): Promise<PermissionReply>;
}

/** A turn of `role` 1 is at work; olga, account 9, is an owner. */
async function working(
  t: Parameters<typeof startSpine>[0],
  role: "owner" | "authenticated",
  { steps = "hang", ...more }: SpineOptions & { readonly steps?: string } = {},
): Promise<Asking> {
  const spine = await startSpine(t, more);
  await spine.join("1", "ana", role);
  await spine.join("9", "olga", "owner");
  await spine.desk.say("1", `echo begun\n${steps}`);
  await spine.desk.until(/begun/);
  const { inlets } = spine.gateway.ports.agent;
  const ana = await spine.store.run(() => findPairing("ana"));
  const [inlet] = inlets(`p-${ana?.id}`);
  assert.ok(inlet, "no turn is at work");
  return {
    spine,
    inlet,
    ask: (url, signal = never) => inlet.askOwner(fetchOf(url), options, signal),
  };
}

it("asks an owner in their own chat, tells whose task waits, and lets nobody else decide", async (t) => {
  const { spine, ask } = await working(t, "authenticated");
  const { desk } = spine;
  const answer = ask("https://example.org:443");
  const card = await desk.until(/Reach https:\/\/example\.org/, "9");
  await desk.until(/An owner must allow the next step/, "1");
  assert.doesNotMatch(desk.see("1").join("\n"), /example\.org/);
  await desk.say("1", "allow 1");
  await desk.until(/There is no question 1/, "1");
  const data = card.buttons[0]?.data ?? "";
  await desk.send([pressOf("1", "forged", { data, message: card.ref })]);
  assert.equal(card.buttons.length, 2);
  const [question] = await spine.store.run(() => pendingQuestions());
  const ana = await spine.store.run(() => findPairing("ana"));
  assert.ok(question && ana);
  const by = { id: `p:${ana.id}`, pairing: ana.id, role: ana.role, name: ana.name };
  const choice = { key: question.options[0]?.key ?? "", place: "page" };
  assert.equal(await spine.gateway.ports.approvals.decide(by, question, choice), "not-yours");
  await desk.press("9", "Allow for this task");
  assert.deepEqual(await answer, { optionId: "yes" });
  await desk.until(/✅ Allow for this task · olga/, "9");
});

it("lets a starter who is an owner answer where they asked", async (t) => {
  const { spine, ask } = await working(t, "owner");
  const answer = ask("https://example.org:443");
  await spine.desk.until(/example\.org/, "1");
  await spine.desk.say("1", "deny 1");
  assert.deepEqual(await answer, { optionId: "no" });
  assert.doesNotMatch(spine.desk.see("9").join("\n"), /example\.org/);
});

it("asks once for the same address when it is allowed for the task, and again for another", async (t) => {
  const { spine, ask } = await working(t, "authenticated");
  const first = ask("https://example.org:443");
  await spine.desk.until(/example\.org/, "9");
  await spine.desk.press("9", "Allow for this task");
  assert.deepEqual(await first, { optionId: "yes" });
  assert.deepEqual(await ask("https://example.org:443"), { optionId: "yes" });
  const other = ask("https://example.com:443");
  await spine.desk.until(/example\.com/, "9");
  await spine.desk.press("9", "Deny");
  assert.deepEqual(await other, { optionId: "no" });
});

it("does not take what the starter allowed the agent for an owner's word", async (t) => {
  const call = {
    toolCall: {
      toolCallId: "c",
      title: "Fetch",
      kind: "fetch",
      rawInput: { url: "https://example.org:443" },
    },
    options: [{ optionId: "once", name: "Allow", kind: "allow_once" }],
  };
  const steps = `permit ${JSON.stringify(call)}\nhang`;
  const { spine, ask } = await working(t, "authenticated", { steps });
  await spine.desk.until(/example\.org/, "1");
  await spine.desk.press("1", "Allow this address for this task");
  const answer = ask("https://example.org:443");
  await spine.desk.until(/example\.org/, "9");
  await spine.desk.press("9", "Deny");
  assert.deepEqual(await answer, { optionId: "no" });
});

it("keeps to what the settings forbid, says it once, and takes no kind that is allowed beforehand for a host", async (t) => {
  const gate = join(temporaryFolder(t), "gate");
  const settings = { deny: { kinds: ["fetch"], commands: [] } } as const;
  const { spine, ask } = await working(t, "owner", {
    settings,
    steps: `stall ${gate}\nthe end`,
  });
  assert.deepEqual(await ask("https://example.org:443"), { optionId: "no" });
  assert.deepEqual(await ask("https://example.com:443"), { optionId: "no" });
  writeFileSync(gate, "");
  const { text } = await spine.desk.until(/the end/);
  assert.equal(text.match(/Not run: tool calls of kind/g)?.length, 1);

  const auto = await working(t, "owner", { settings: { auto: ["fetch"] } });
  const asked = auto.ask("https://example.org:443");
  await auto.spine.desk.until(/Reach https:\/\/example\.org:443/);
  await auto.spine.desk.press("1", "Deny");
  assert.deepEqual(await asked, { optionId: "no" });
});

it("does not count as a sign that the agent itself asks", async (t) => {
  const seen: true[] = [];
  const { spine, ask } = await working(t, "owner", { agentAsked: () => void seen.push(true) });
  const answer = ask("https://example.org:443");
  await spine.desk.until(/example\.org/);
  await spine.desk.press("1", "Allow for this task");
  await answer;
  assert.deepEqual(seen, []);
});

it("is taken back by whoever asked, by a stop, and finds no turn afterwards", async (t) => {
  const { spine, ask, inlet } = await working(t, "owner");
  const leave = new AbortController();
  const first = ask("https://example.org:443", leave.signal);
  await spine.desk.until(/example\.org/);
  leave.abort();
  assert.equal(await first, "cancelled");
  await spine.desk.until(/⌛ The agent is gone/);
  const second = ask("https://example.com:443");
  await spine.desk.until(/example\.com/);
  await spine.desk.say("1", "/stop");
  assert.equal(await second, "cancelled");
  await spine.desk.until(/⏹ Stopped/);
  assert.equal(await ask("https://example.net:443"), "cancelled");
  const file = { name: "a", mime: "text/plain", bytes: new Uint8Array(1) };
  assert.match(inlet.sendFile(file) ?? "", /^The turn is over/);
  const form = { message: "?", fields: [] };
  assert.deepEqual(await inlet.askForm(form, never), { action: "cancel" });
});
