// A real agent in its container, from the command line: asked in the chat, its model's key kept outside, its tools, what it used.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { dockerCli } from "../fakes/docker-cli.ts";
import { withDocker } from "../fakes/docker-rig.ts";
import { startModelApi } from "../fakes/model-api.ts";

const key = "sk-real-0123456789abcdefghij";

it("works for a person from the first message to the file in the chat", withDocker, async (t) => {
  const cli = dockerCli(t);
  const model = await startModelApi(t);
  for (const words of [
    ["config", "set", "model.url", model.url],
    ["config", "set", "model.name", "one"],
    ["secret", "set", "ANTHROPIC_API_KEY"],
  ])
    assert.equal((await cli.run(words, words[0] === "secret" ? key : "")).code, 0);
  const gateway = await cli.start(["--sandbox", "docker", "--agent", "opencode"]);
  const look = "env | grep -c sk-real > made.txt";
  model.play(
    { tool: "bash", input: { command: look, description: "looks for keys" } },
    { tool: "sallyport_send_file", input: { path: "/workspace/made.txt", name: "keys.txt" } },
    { text: "Here it is." },
  );
  const chat = await cli.run(["chat"], "look for keys\nallow 1\n");
  assert.match(chat.out, /Run a command\? \(1\)[\s\S]*allow 1[\s\S]*Here it is\./, chat.err);
  assert.match(chat.out, /keys\.txt/);
  const made = join(cli.workspace, "made.txt");
  assert.equal(readFileSync(made, "utf8").trim(), "0");
  assert.equal(statSync(made).uid, statSync(cli.workspace).uid);
  assert.deepEqual([...model.keys], [key]);
  const [task] = (await cli.json(["task", "list"])) as { id: string }[];
  assert.ok(task);
  const shown = JSON.stringify(await cli.json(["task", "show", task.id]));
  assert.match(shown, /"inputTokens":\d\d/);
  assert.equal(await gateway.stop(), 0);
});
