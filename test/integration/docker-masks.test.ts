// Masks in the docker sandbox cannot be lifted from inside, are missed when this machine lifts them, and leave no trace.
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { type Mask, masksFor } from "../../src/sandbox/docker/mask-list.ts";
import { dockerRig, firstLine, makeFolder, shell, withDocker } from "../fakes/docker-rig.ts";

const deep: readonly Mask[] = [
  { root: "workspace", path: "top.json", content: "{}\n" },
  { root: "workspace", path: "a/b/c/settings.json", content: "{}\n" },
  { root: "workspace", path: "a/folder", content: null },
  { root: "home", path: ".config/tool/settings.json", content: "{}\n" },
];

/** Tries that must all fail; what still reads `{}` afterwards is masked. */
const lifting = (path: string) => {
  const parts = path.split("/");
  const parents = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
  const tries = parents.flatMap((place) => [
    `mv ${place} ${place}-away`,
    `mv ${place} /tmp/away`,
    `mkdir evil; mv -T evil ${place}`,
    `echo evil > evil.txt; mv -T evil.txt ${place}`,
    `ln -s /tmp evil-link; mv -T evil-link ${place}`,
    `rm -rf ${place}`,
    `rmdir ${place}`,
    `chmod 777 ${place} && false`,
    `ln ${place} hard-link`,
  ]);
  return [...tries, `echo evil > ${path}`, `echo evil >> ${path}`, `truncate -s 0 ${path}`];
};

const attack = (paths: readonly string[]) => {
  const tries = paths.flatMap(lifting).map((line) => `(${line}) 2>/dev/null`);
  return [...tries, "rm -rf evil evil.txt evil-link", ...paths.map((path) => `cat ${path}`)].join(
    "\n",
  );
};

it(
  "keeps its masks against renames, links, removal and writing at every depth",
  withDocker,
  async (t) => {
    const rig = dockerRig(t, { masks: deep });
    writeFileSync(join(rig.workspace, "top.json"), "the real one");
    const inWorkspace = await rig.run(attack(["top.json", "a/b/c/settings.json"]));
    assert.equal(inWorkspace.out, "{}\n{}");
    const inHome = await rig.run(`cd ~\n${attack([".config/tool/settings.json"])}`);
    assert.equal(inHome.out, "{}");
    assert.equal(readFileSync(join(rig.workspace, "top.json"), "utf8"), "the real one");
    assert.deepEqual(readdirSync(rig.workspace), ["top.json"]);
  },
);

it(
  "shows what an agent could approve itself with as valid and empty, and not what the project says",
  withDocker,
  async (t) => {
    const rig = dockerRig(t);
    const real = '{"permissions":{"allow":["Bash(*)"]}}';
    makeFolder(join(rig.workspace, ".claude"));
    writeFileSync(join(rig.workspace, ".claude", "settings.json"), real);
    mkdirSync(join(rig.workspace, ".sallyport"));
    writeFileSync(join(rig.workspace, ".sallyport", "config.yaml"), "agent: claude\n");
    const { out } = await rig.run(
      "cat .claude/settings.json .mcp.json; ls -A .sallyport .codex .opencode; echo x > .sallyport/y || echo refused; echo note > .claude/mine; cat ~/.claude/settings.json",
    );
    assert.deepEqual(out.split("\n"), [
      "{}",
      '{ "mcpServers": {} }',
      ".codex:",
      "",
      ".opencode:",
      "",
      ".sallyport:",
      "refused",
      "{}",
    ]);
    assert.equal(readFileSync(join(rig.workspace, ".claude", "settings.json"), "utf8"), real);
    // The agent's own file stays, and so does the folder it lies in; of ours nothing does.
    assert.deepEqual(readdirSync(rig.workspace).sort(), [".claude", ".sallyport"]);
    assert.deepEqual(readdirSync(join(rig.workspace, ".claude")).sort(), ["mine", "settings.json"]);
  },
);

it(
  "misses a mask that this machine lifted, and puts it up again for the next agent",
  withDocker,
  async (t) => {
    const rig = dockerRig(t, { masks: deep });
    const real = join(rig.workspace, "top.json");
    writeFileSync(real, "first");
    const agent = await rig.sandbox.spawn(rig.scope(), shell("read go; cat top.json; sleep 600"));
    writeFileSync(real, "written in place");
    assert.equal(await rig.sandbox.intact("p-1"), true);
    writeFileSync(join(rig.workspace, "new"), "replaced, as editors do\n");
    renameSync(join(rig.workspace, "new"), real);
    assert.equal(await rig.sandbox.intact("p-1"), false);
    assert.equal(await rig.sandbox.intact("p-2"), true);
    await agent.stdin.getWriter().write(new TextEncoder().encode("go\n"));
    assert.equal(await firstLine(agent), "replaced, as editors do", "it was lifted indeed");
    await agent.kill();
    assert.equal((await rig.run("cat top.json")).out, "{}");
  },
);

it(
  "misses a folder that was moved away, and one that was removed and made again",
  withDocker,
  async (t) => {
    const rig = dockerRig(t, { masks: deep });
    const folder = join(rig.workspace, "a");
    for (const replace of [
      () => renameSync(folder, `${folder}-away`),
      () => {
        rmSync(folder, { recursive: true });
        mkdirSync(join(folder, "b", "c"), { recursive: true });
      },
    ]) {
      const agent = await rig.sandbox.spawn(rig.scope(), shell("sleep 600"));
      assert.equal(await rig.sandbox.intact("p-1"), true);
      replace();
      assert.equal(await rig.sandbox.intact("p-1"), false);
      await agent.kill();
    }
  },
);

it(
  "takes down what it made only after the last container, and keeps what somebody changed",
  withDocker,
  async (t) => {
    const rig = dockerRig(t, { masks: deep });
    const first = await rig.sandbox.spawn(rig.scope("p-1"), shell("sleep 600"));
    const second = await rig.sandbox.spawn(rig.scope("p-2"), shell("sleep 600"));
    await first.kill();
    assert.equal(await rig.sandbox.intact("p-2"), true);
    assert.deepEqual(readdirSync(rig.workspace).sort(), ["a", "top.json"]);
    writeFileSync(join(rig.workspace, "top.json"), "now the owner's");
    writeFileSync(join(rig.workspace, "a", "folder", "kept"), "");
    await second.kill();
    await rig.sandbox.stop();
    assert.equal(readFileSync(join(rig.workspace, "top.json"), "utf8"), "now the owner's");
    assert.deepEqual(readdirSync(join(rig.workspace, "a")), ["folder"]);
  },
);

it(
  "does not put a mask on a link of the project, and removes one that the agent made at home",
  withDocker,
  async (t) => {
    const rig = dockerRig(t, { masks: deep });
    const outside = join(rig.folder, "outside");
    mkdirSync(outside);
    symlinkSync(outside, join(rig.workspace, "a"));
    await assert.rejects(rig.run("true"), {
      message:
        "The sandbox must cover /workspace/a, but that is a link. The owner should remove it or make it a plain folder.",
      detail: `${join(rig.workspace, "a")} is a link`,
    });
    rmSync(join(rig.workspace, "a"));
    const { home } = rig.scope();
    symlinkSync(outside, join(home, ".config"));
    assert.equal((await rig.run("cat ~/.config/tool/settings.json")).out, "{}");
    assert.deepEqual(readdirSync(outside), []);
    assert.equal(existsSync(join(rig.workspace, "top.json")), false);
  },
);

it("masks a workspace that is read-only, with nothing in it to write to", withDocker, async (t) => {
  const rig = dockerRig(t, { masks: masksFor("command") });
  const { out } = await rig.run(
    "cat .mcp.json; for place in . .claude .sallyport; do echo x > $place/new || echo refused; done",
    rig.scope("anonymous", "ro"),
  );
  assert.deepEqual(out.split("\n"), ['{ "mcpServers": {} }', "refused", "refused", "refused"]);
  assert.deepEqual(readdirSync(rig.workspace), []);
});
