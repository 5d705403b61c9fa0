// What the real agents ask about in their containers: nothing before our own tools, and everything else that they must.
import assert from "node:assert/strict";
import { chownSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { it, type TestContext } from "node:test";
import { makers } from "../../src/agent/presets/makers.ts";
import { presetNamed } from "../../src/agent/presets.ts";
import type { KnownAgentName } from "../../src/core/known-agents.ts";
import { readTurn, sessionOf } from "../fakes/agent-rig.ts";
import { boxed, boxedAgent } from "../fakes/agents-box.ts";
import { agentsChat } from "../fakes/agents-chat.ts";
import { withNamespaces } from "../fakes/agents-names.ts";
import { commandStep, decide, ownToolStep, permissionsIn } from "../fakes/agents-rig.ts";
import { type DockerCli, dockerCli } from "../fakes/docker-cli.ts";
import { startModelApi } from "../fakes/model-api.ts";

const key = "sk-real-0123456789abcdefghij";
/** Whom an agent runs as where the gateway is root. */
const agentUser = 10001;

function putFile(workspace: string): void {
  const path = join(workspace, "made.txt");
  writeFileSync(path, "made\n");
  if (statSync(path).uid === 0)
    for (const owned of [workspace, path]) chownSync(owned, agentUser, agentUser);
}

async function started(t: TestContext, name: KnownAgentName, cli: DockerCli) {
  const api = presetNamed(name)?.model?.api;
  assert.ok(api);
  const scripted = await startModelApi(t);
  const model = name === "codex" ? await withNamespaces(t, scripted) : scripted;
  for (const words of [
    ["config", "set", "model.url", model.url],
    ["config", "set", "model.name", "one"],
    ["secret", "set", makers[api].secret],
  ])
    assert.equal((await cli.run(words, words[0] === "secret" ? key : "")).code, 0);
  const gateway = await cli.start(["--sandbox", "docker", "--agent", name]);
  return { model, gateway };
}

/** Its turn ends in a question of ours, and then in a file and words of the agent's. */
async function sendsAndAsks(t: TestContext, name: KnownAgentName): Promise<void> {
  const cli = dockerCli(t);
  putFile(cli.workspace);
  const { model, gateway } = await started(t, name, cli);
  const step = ownToolStep(name);
  model.play(
    step("send_file", { path: "made.txt", name: "for-you.txt" }),
    // Gemini has a tool of that name itself, and hides ours.
    step(name === "gemini" ? "ask_person" : "ask_user", {
      question: "Which one?",
      options: ["red", "blue"],
    }),
    { text: "That was it." },
  );
  const chat = agentsChat(t, cli.state);
  await chat.say("Send it and ask.");
  assert.deepEqual(chat.asked(), ["red", "blue", "Decline"], chat.seen());
  await chat.press("blue");
  assert.match(chat.seen(), /That was it\./);
  assert.match(chat.seen(), /for-you\.txt/);
  const told = JSON.stringify(model.asked.at(-1)?.body).replaceAll("\\n", " ");
  assert.match(told, /for-you\.txt \(5 bytes\) goes out/, "the agent hears that the file goes");
  const times = (word: string) => told.split(new RegExp(`\\b${word}\\b`)).length;
  assert.equal(times("blue"), times("red") + 1, "the agent hears the answer");
  assert.equal(await gateway.stop(), 0);
}

for (const name of ["claude", "codex", "opencode", "gemini"] as const)
  it(
    `${name} sends a file and asks with our tools, and nobody is asked whether it may`,
    boxed(name),
    (t) => sendsAndAsks(t, name),
  );

/** As a command could that was allowed once: the session's own rules go before ours. */
function plantRule(home: string): void {
  const database = new DatabaseSync(join(home, ".local/share/opencode/opencode.db"));
  const rules = JSON.stringify([{ permission: "*", pattern: "*", action: "allow" }]);
  const { changes } = database.prepare("update session set permission = ?").run(rules);
  database.close();
  assert.equal(Number(changes), 1);
}

it(
  "opencode that no longer asks is ended at its first command, and its session is not used again",
  boxed("opencode"),
  async (t) => {
    const box = await boxedAgent(t, "opencode");
    const { model, workspace } = box;
    model.play({ text: "Hello." });
    const first = sessionOf(await readTurn(box.prompt("Hello.")));
    await box.end();
    plantRule(box.home);

    const command = commandStep.opencode("echo ran >> count; sleep 100; echo ended >> count");
    model.play(command, commandStep.opencode("echo more >> count"));
    const second = await readTurn(box.prompt("Count.", first.id));
    assert.equal(sessionOf(second).resumed, true);
    assert.deepEqual(permissionsIn(second), []);
    const last = second.at(-1);
    assert.match(
      last?.type === "failed" ? last.why : "",
      /^The agent ran "echo ran >> count; .*" without asking/,
    );

    model.play(command, { text: "Not counted." });
    const third = await readTurn(box.prompt("Again.", first.id), decide("reject_once"));
    assert.equal(sessionOf(third).resumed, false);
    assert.equal(permissionsIn(third).length, 1);
    assert.equal(
      readFileSync(join(workspace, "count"), "utf8"),
      "ran\n",
      "what ran was ended, and nothing else ran",
    );
  },
);

it(
  "opencode that truncates a file without a command, about which it does not ask, is ended as well",
  boxed("opencode"),
  async (t) => {
    const box = await boxedAgent(t, "opencode");
    box.model.play(commandStep.opencode("cd /tmp"), commandStep.opencode("> emptied"), {
      text: "Done.",
    });
    const events = await readTurn(box.prompt("Empty it."));
    const last = events.at(-1);
    assert.match(
      last?.type === "failed" ? last.why : "",
      /^The agent ran "> emptied" without asking/,
    );
    const asked = JSON.stringify(box.model.asked.at(-1)?.body);
    assert.match(asked, /cd \/tmp/, "a change of folder is let pass");
  },
);
