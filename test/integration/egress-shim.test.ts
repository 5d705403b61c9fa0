// The shim in a real container: the agent's words, signals and exit codes pass through it, and our files are in its home.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { shell, textOf, withDocker } from "../fakes/docker-rig.ts";
import { containerRig } from "../fakes/egress-container.ts";

it("exits as the program exits, or says why it did not start", withDocker, async (t) => {
  const rig = await containerRig(t, {});
  const { code, err } = await rig.run("echo oops >&2; exit 7");
  assert.deepEqual([code, err], [7, "oops"]);
  const missing = await rig.run("", { program: "no-such", args: [] });
  assert.equal(missing.code, 127);
  assert.equal(missing.err, "sallyport: there is no program no-such in this sandbox");
  const folder = await rig.run("", { program: "/workspace", args: [] });
  assert.equal(folder.code, 126);
  assert.match(folder.err, /^sallyport: \/workspace cannot be run in this sandbox \(EACCES\)$/);
  const killed = await rig.sandbox.spawn(rig.scope(), shell("kill -USR1 $$"));
  assert.equal((await killed.ended).signal, "SIGUSR1");
});

it("passes words both ways, and the end of them", withDocker, async (t) => {
  const rig = await containerRig(t, {});
  const agent = await rig.sandbox.spawn(rig.scope(), shell("cat; echo end"));
  const writer = agent.stdin.getWriter();
  await writer.write(new TextEncoder().encode("hello\n"));
  await writer.close();
  assert.equal(await textOf(agent.stdout), "hello\nend\n");
  assert.equal((await agent.ended).code, 0);
});

it("passes SIGTERM on, and lets the program end as it likes", withDocker, async (t) => {
  const rig = await containerRig(t, {});
  const script = "trap 'echo asked to end; exit 3' TERM; echo ready; while :; do sleep 0.1; done";
  const agent = await rig.sandbox.spawn(rig.scope(), shell(script));
  const decoder = new TextDecoder();
  let said = "";
  let killing: Promise<void> | undefined;
  for await (const chunk of agent.stdout) {
    said += decoder.decode(chunk, { stream: true });
    if (said.startsWith("ready\n")) killing ??= agent.kill();
  }
  await killing;
  assert.equal(said, "ready\nasked to end\n");
  assert.equal((await agent.ended).code, 3);
});

it("ends what the program left behind", withDocker, async (t) => {
  const rig = await containerRig(t, {});
  const { code } = await rig.run("setsid sleep 600 >/dev/null 2>&1 & echo gone");
  assert.equal(code, 0);
});

it(
  "writes our files into the home, keeps what is the agent's in JSON, and fills in the model",
  withDocker,
  async (t) => {
    const rig = await containerRig(t, {});
    const { home } = rig.scope();
    mkdirSync(join(home, ".config"), { recursive: true });
    const theirs = { theme: "dark", model: { url: "http://theirs/", keep: [1] }, list: [1, 2] };
    writeFileSync(join(home, ".config", "agent.json"), JSON.stringify(theirs));
    writeFileSync(join(home, ".config", "broken.json"), "{ not json");
    mkdirSync(join(home, "odd.toml"));
    const model = '{ "model": { "url": "{{model.url}}", "key": "{{model.key}}" }, "list": [3] }';
    const files = {
      ".config/agent.json": model,
      ".config/broken.json": '{"a":1}',
      "deep/er/config.toml": 'key = "{{model.key}}"\n',
      "odd.toml": "x = 1\n",
    };
    const env = { BASE: "{{model.url}}/v1", KEY: "{{model.key}}" };
    const { out, err } = await rig.run(
      "echo $BASE; echo $KEY; echo $SALLYPORT_MODEL_KEY; cat ~/deep/er/config.toml",
      {
        files,
        env,
      },
    );
    const [base, key, same, line] = out.split("\n");
    assert.equal(err, "");
    assert.deepEqual([base, same], ["http://127.0.0.1:4000/v1", key]);
    assert.match(key ?? "", /^sallyport-[0-9a-f]{48}$/);
    assert.equal(line, `key = "${key}"`);
    const read = (name: string) => readFileSync(join(home, name), "utf8");
    assert.deepEqual(JSON.parse(read(".config/agent.json")), {
      theme: "dark",
      model: { url: "http://127.0.0.1:4000", keep: [1], key },
      list: [3],
    });
    assert.deepEqual(JSON.parse(read(".config/broken.json")), { a: 1 });
    assert.equal(read("odd.toml"), "x = 1\n");
    const again = await rig.run("cat ~/deep/er/config.toml", { files });
    assert.notEqual(again.out, `key = "${key}"`);
  },
);

it("starts nothing when a file of ours cannot be written", withDocker, async (t) => {
  const rig = await containerRig(t, {});
  writeFileSync(join(rig.workspace, "theirs"), "kept");
  const outside = await rig.run("echo started", { files: { "../../workspace/theirs": "x" } });
  assert.deepEqual([outside.out, outside.code], ["", 125]);
  assert.match(outside.err, /is not in the home/);
  const masked = await rig.run("echo started", { files: { ".codex/config.toml": "x" } });
  assert.deepEqual([masked.out, masked.code], ["", 125]);
  assert.equal(readFileSync(join(rig.workspace, "theirs"), "utf8"), "kept");
});
