import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { readEnvironment } from "../../src/config/environment.ts";
import { ensureState, type Place, placeOf } from "../../src/config/paths.ts";
import { confirmProject, readProject } from "../../src/config/project.ts";
import { stateMark } from "../../src/config/secrets.ts";
import { loadSettings, setSetting, unsetSetting } from "../../src/config/settings-file.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";

function placeIn(t: TestContext): Place {
  const folder = temporaryFolder(t);
  const workspace = join(folder, "My project");
  mkdirSync(workspace);
  const placed = placeOf({ workspace }, readEnvironment({ XDG_STATE_HOME: join(folder, "state") }));
  assert.ok(placed.ok);
  ensureState(placed.place.paths);
  return placed.place;
}

it("keeps the state of each project apart, closed to others", (t) => {
  const { paths } = placeIn(t);
  assert.match(paths.dir, /\/state\/sallyport\/My-project-[0-9a-f]{10}$/);
  assert.equal(statSync(paths.dir).mode & 0o777, 0o700);
  chmodSync(paths.secrets, 0o755);
  ensureState(paths);
  assert.equal(statSync(paths.secrets).mode & 0o777, 0o700);
});

it("takes a workspace to look at only for the same one", (t) => {
  const folder = temporaryFolder(t);
  const environment = readEnvironment({ XDG_STATE_HOME: join(folder, "state") });
  mkdirSync(join(folder, "one"));
  mkdirSync(join(folder, "two:ro"));
  const [one, ro, two] = ["one", "one:ro", "two:ro"].map((name) => {
    const placed = placeOf({ workspace: join(folder, name) }, environment);
    assert.ok(placed.ok);
    return placed.place;
  });
  assert.deepEqual(ro, one);
  assert.match(two?.workspace ?? "", /two:ro$/);
});

it("has a default for every setting", async (t) => {
  const loaded = await loadSettings(placeIn(t).paths);
  assert.ok(loaded.ok);
  const { access, budgets, turns, conversations, retention } = loaded.settings;
  assert.deepEqual(
    { access, budgets, turns, conversations, retention },
    {
      access: { public: "nobody", allowEmail: [] },
      budgets: {
        listener: { tasksPerHour: 20, concurrent: 2 },
        caller: { tasksPerHour: 5 },
        tokens: { task: 0, caller: 0, unpaired: 200_000 },
      },
      turns: { concurrent: 4 },
      conversations: { merge: true },
      retention: { days: 90 },
    },
  );
});

it("changes one key and leaves comments alone", async (t) => {
  const { paths } = placeIn(t);
  writeFileSync(paths.settings, "# mine\nturns:\n  concurrent: 2 # few\n");
  assert.deepEqual(await setSetting(paths, "conversations.merge", ["off"]), { ok: true });
  assert.deepEqual(await setSetting(paths, "turns.concurrent", ["3"]), { ok: true });
  const text = readFileSync(paths.settings, "utf8");
  assert.match(text, /# mine\nturns:\n {2}concurrent: 3 # few\nconversations:\n {2}merge: false\n/);
  await unsetSetting(paths, "conversations.merge");
  assert.doesNotMatch(readFileSync(paths.settings, "utf8"), /conversations/);
  assert.equal(statSync(paths.settings).mode & 0o777, 0o600);
});

it("names the key, the value, what is allowed and the command that mends it", async (t) => {
  const { paths } = placeIn(t);
  const cases = [
    [
      "turns:\n  concurrent: lots\n",
      /turns\.concurrent cannot be "lots": it is a whole number from 1 to 1000\. Set it with: sallyport config set turns\.concurrent VALUE/,
    ],
    [
      "access:\n  public: everyone\n",
      /access\.public cannot be "everyone": it is nobody or anyone/,
    ],
    [
      "approvals:\n  auto: [read, everything]\n",
      /approvals\.auto cannot be "everything": it is any of read, edit/,
    ],
    ["acess:\n  public: anyone\n", /no setting "acess".*sallyport config unset acess/],
    [
      "channels:\n  telegram:\n    kind: telegraph\n",
      /channels\.telegram\.kind cannot be "telegraph": it is telegram/,
    ],
    ["a: [\n", /is not readable/],
  ] as const;
  for (const [text, problem] of cases) {
    writeFileSync(paths.settings, text);
    const loaded = await loadSettings(paths);
    assert.ok(!loaded.ok);
    assert.match(loaded.problem, problem);
  }
});

it("lets a wrong key be unset", async (t) => {
  const { paths } = placeIn(t);
  writeFileSync(paths.settings, "acess:\n  public: anyone\n");
  assert.deepEqual(await unsetSetting(paths, "acess"), { ok: true });
  assert.equal((await loadSettings(paths)).ok, true);
});

it("counts what a project asks for only as far as it was confirmed", async (t) => {
  const place = placeIn(t);
  mkdirSync(join(place.workspace, ".sallyport"));
  const file = join(place.workspace, ".sallyport", "config.yaml");
  const write = (text: string) => writeFileSync(file, text);
  write("agent: claude\n");
  const first = await readProject(place);
  assert.deepEqual(first.config, {});
  assert.deepEqual(first.unconfirmed, [{ text: "agent: claude", fresh: true }]);
  assert.equal(confirmProject(place, first), true);
  assert.deepEqual((await readProject(place)).config, { agent: "claude" });
  write("agent: claude\nmounts: [/etc]\n");
  const second = await readProject(place);
  assert.deepEqual(second.config, { agent: "claude" });
  assert.deepEqual(
    second.unconfirmed.map(({ fresh }) => fresh),
    [false, true],
  );
  write("agent: claude\nmounts: [/root]\n");
  assert.equal(confirmProject(place, second), false);
});

it("does not read a project's file through a link, nor what it does not know", async (t) => {
  const place = placeIn(t);
  mkdirSync(join(place.workspace, ".sallyport"));
  const file = join(place.workspace, ".sallyport", "config.yaml");
  writeFileSync(file, "command: rm -rf /\n");
  assert.match((await readProject(place)).problem ?? "", /Unrecognized key/);
  const other = placeIn(t);
  mkdirSync(join(other.workspace, ".sallyport"));
  symlinkSync("/etc/passwd", join(other.workspace, ".sallyport", "config.yaml"));
  assert.match((await readProject(other)).problem ?? "", /is a link/);
});

it("marks a state apart from another at the same path, and always alike", (t) => {
  const [one, other] = [placeIn(t).paths, placeIn(t).paths];
  const mark = stateMark(one);
  assert.match(mark, /^[0-9a-f]{10}$/);
  assert.equal(stateMark(one), mark);
  assert.notEqual(stateMark({ ...other, dir: one.dir }), mark);
});

it("unsets what is not set, and sets below a group that is empty", async (t) => {
  const { paths } = placeIn(t);
  assert.deepEqual(await setSetting(paths, "docker.env", ["A=b"]), { ok: true });
  for (const key of ["docker.env", "docker.secrets", "docker", "channels.none.bot"])
    assert.deepEqual(await unsetSetting(paths, key), { ok: true });
  for (const text of ["docker:\n", "docker: 5\n", "docker:\n  env:\n", "# nothing\n", ""]) {
    writeFileSync(paths.settings, text, { mode: 0o600 });
    assert.deepEqual(await unsetSetting(paths, "docker.secrets"), { ok: true }, text);
    if (text.includes("5")) continue;
    assert.deepEqual(await setSetting(paths, "docker.env", ["A=b"]), { ok: true }, text);
    const loaded = await loadSettings(paths);
    assert.deepEqual(loaded.ok && loaded.settings.docker.env, ["A=b"], text);
  }
});
