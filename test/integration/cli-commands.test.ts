import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { cliRig } from "../fakes/cli-rig.ts";

it("invites somebody with a code, without a gateway", async (t) => {
  const cli = cliRig(t);
  const invited = (await cli.json([
    "pair",
    "invite",
    "--name",
    "ana",
    "--role",
    "owner",
  ])) as Record<string, unknown>;
  assert.match(String(invited.code), /^[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}$/);
  assert.equal(invited.role, "owner");
  assert.equal(invited.join, `join ${invited.code}`);
  const everything = readdirSync(cli.state)
    .filter((name) => statSync(join(cli.state, name)).isFile())
    .map((name) => readFileSync(join(cli.state, name), "latin1"));
  assert.ok(everything.every((text) => !text.includes(String(invited.code))));
  const rows = (await cli.json(["audit", "list"])) as { action: string; target: string }[];
  assert.deepEqual(
    rows.map(({ action, target }) => [action, target]),
    [["pair.invite", "ana"]],
  );
});

it("says what to do next, with exit code 1 for a failure and 2 for a misuse", async (t) => {
  const cli = cliRig(t);
  const cases = [
    { args: ["pair", "rm", "nobody"], code: 1, err: /sallyport pair list/ },
    { args: ["pair", "invite", "--name", "local"], code: 1, err: /Choose another --name/ },
    { args: ["pair", "invite"], code: 2, err: /--name <name>/ },
    { args: ["start", "--port", "banana"], code: 1, err: /0 to 65535/ },
    { args: ["start", "--sandbox", "none"], code: 2, err: /Allowed choices are docker, local/ },
    {
      args: ["start", "--sandbox", "local", "--public-access", "anyone"],
      code: 1,
      err: /--allow-anonymous-on-host/,
    },
    { args: ["start", "--agent", "nosuch"], code: 1, err: /Known ones: workspace/ },
    { args: ["nosuch"], code: 2, err: /unknown command/ },
    {
      args: ["config", "set", "turns.concurrent", "many"],
      code: 1,
      err: /a whole number from 1 to 1000/,
    },
    { args: ["task", "cancel", "x"], code: 1, err: /sallyport start/ },
    { args: ["channel", "test", "telegram"], code: 1, err: /sallyport start/ },
    {
      args: ["channel", "add", "mail"],
      code: 1,
      err: /no kind of channel "mail"\. There are: telegram, discord, slack, email/,
    },
    { args: ["chat"], code: 1, err: /sallyport start/ },
    { args: ["pair", "list", "--workspace", "/nosuch"], code: 1, err: /--workspace DIR/ },
  ];
  for (const { args, code, err } of cases) {
    const ran = await cli.run(args);
    assert.equal(ran.code, code, `${args.join(" ")}: ${ran.err}`);
    assert.match(ran.err, err);
    assert.equal(ran.out, "");
  }
});

it("refuses an old Node with one plain line", async (t) => {
  const old = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.20.2"}})`;
  const ran = await cliRig(t).run(["pair", "list"], "", { node: ["--import", old] });
  assert.equal(ran.code, 1);
  assert.match(ran.err, /^Sallyport needs Node\.js 22\.19 or newer; this is 20\.20\.2\.[^\n]*\n$/);
});

it("keeps settings, and shows them with their defaults", async (t) => {
  const cli = cliRig(t);
  await cli.json(["config", "set", "budgets.caller.tasksPerHour", "7"]);
  await cli.json(["config", "set", "denyTools.commands", "rm *", "sudo *"]);
  assert.deepEqual(await cli.json(["config", "get", "denyTools.commands"]), {
    key: "denyTools.commands",
    value: ["rm *", "sudo *"],
  });
  const rows = (await cli.json(["config", "list"])) as {
    key: string;
    value: unknown;
    default: unknown;
  }[];
  const row = rows.find(({ key }) => key === "budgets.caller.tasksPerHour");
  assert.deepEqual([row?.value, row?.default], [7, 5]);
  await cli.json(["config", "unset", "budgets.caller.tasksPerHour"]);
  assert.deepEqual(await cli.json(["config", "get", "budgets.caller.tasksPerHour"]), {
    key: "budgets.caller.tasksPerHour",
    value: 5,
  });
});

it("takes secrets by file, standard input or flag, and never shows them", async (t) => {
  const cli = cliRig(t);
  const file = join(cli.workspace, "token.txt");
  writeFileSync(file, "123456:from-a-file\n");
  const byFile = await cli.run(["channel", "add", "telegram", "--token-file", file]);
  const byInput = await cli.run(["secret", "set", "other.token", "-"], "from-stdin-1\n");
  const byFlag = await cli.run(["secret", "set", "third.token", "--token", "from-a-flag-1"]);
  const empty = await cli.run(["secret", "set", "fourth.token", "-"], "\n");
  const wrong = await cli.run(["secret", "set", "../x", "-"], "value");
  assert.deepEqual(
    [byFile.code, byInput.code, byFlag.code, empty.code, wrong.code],
    [0, 0, 0, 1, 1],
  );
  assert.match(byFlag.err, /^Warning: .*history/);
  const listed = await cli.run(["secret", "list"]);
  assert.equal(listed.out, "NAME\nother.token\ntelegram.token\nthird.token\n");
  assert.equal(
    readFileSync(join(cli.state, "secrets", "telegram.token"), "utf8"),
    "123456:from-a-file\n",
  );
  const audit = await cli.run(["audit", "list", "--json"]);
  for (const ran of [byFile, byInput, byFlag, listed, audit])
    assert.doesNotMatch(ran.out + ran.err, /from-a-file|from-stdin|from-a-flag/);
  const channels = (await cli.json(["channel", "list"])) as unknown[];
  assert.deepEqual(channels, [
    {
      id: "telegram",
      kind: "telegram",
      state: "not running",
      lastEvent: null,
      lastError: null,
      token: "set",
    },
  ]);
  await cli.json(["channel", "rm", "telegram"]);
  assert.deepEqual(readdirSync(join(cli.state, "secrets")).sort(), ["other.token", "third.token"]);
});

it("finds files that others can read, and closes them", async (t) => {
  const cli = cliRig(t);
  await cli.json(["secret", "set", "a.token", "--token", "value-1"]);
  const secret = join(cli.state, "secrets", "a.token");
  assert.equal(statSync(secret).mode & 0o777, 0o600);
  assert.equal(statSync(cli.state).mode & 0o777, 0o700);
  assert.equal((await cli.run(["doctor"])).code, 0);
  chmodSync(secret, 0o644);
  const sick = await cli.run(["doctor"]);
  assert.equal(sick.code, 1);
  assert.match(sick.out, /WRONG\s+modes .*a\.token.*doctor --fix/);
  assert.equal((await cli.run(["doctor", "--fix"])).code, 0);
  assert.equal(statSync(secret).mode & 0o777, 0o600);
});

it("shows what a project asks for, and lets it count only once it is confirmed", async (t) => {
  const cli = cliRig(t);
  mkdirSync(join(cli.workspace, ".sallyport"));
  writeFileSync(join(cli.workspace, ".sallyport", "config.yaml"), "agent: gemini # \u202Eok\n");
  const doctor = await cli.run(["doctor"]);
  assert.match(doctor.out, /! agent: gemini # ⟨U\+202E⟩ok/);
  assert.equal((await cli.run(["config", "confirm"])).code, 1);
  assert.equal((await cli.run(["config", "confirm", "--yes"])).code, 0);
  assert.match((await cli.run(["doctor"])).out, /asks for nothing unconfirmed/);
});

it("refuses a state inside the workspace", async (t) => {
  const cli = cliRig(t);
  const ran = await cli.run(["pair", "list", "--state", join(cli.workspace, "state")]);
  assert.equal(ran.code, 1);
  assert.match(ran.err, /inside the workspace/);
});
