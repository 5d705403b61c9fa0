import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { cliRig } from "../fakes/cli-rig.ts";
import { startTelegramServer } from "../fakes/telegram-server.ts";

async function platform(t: TestContext) {
  const fake = await startTelegramServer();
  t.after(() => fake.close());
  const ana = fake.user({ name: "Ana" });
  const chat = fake.privateChat(ana);
  const said = (pattern: RegExp) =>
    fake.waitFor(() => fake.messages(chat).find(({ byBot, text }) => byBot && pattern.test(text)), {
      timeoutMs: 15_000,
      what: String(pattern),
    });
  return { fake, ana, chat, said };
}

it("adds a channel to a running gateway, invites somebody by link, and takes it back at once", async (t) => {
  const cli = cliRig(t);
  const { fake, ana, chat, said } = await platform(t);
  await cli.start();
  const add = ["channel", "add", "telegram", "--api-root", fake.url, "--token-file", "-"];
  const added = await cli.run(add, fake.token);
  assert.equal(added.code, 0, added.err);
  assert.match(added.out, /added and open/);
  assert.match((await cli.run(["channel", "test", "telegram"])).out, /connected/);

  const invited = await cli.run(["pair", "invite", "--name", "ana"]);
  const [, code] = /https:\/\/t\.me\/sallyport_bot\?start=([\w-]+)/.exec(invited.out) ?? [];
  assert.ok(code, invited.out);
  ana.sends(chat, `/start ${code}`);
  await said(/ana/);
  const pairs = (await cli.json(["pair", "list"])) as {
    name: string;
    accounts: { listener: string }[];
  }[];
  assert.deepEqual(
    pairs.find(({ name }) => name === "ana")?.accounts.map(({ listener }) => listener),
    ["telegram"],
  );

  ana.sends(chat, "run sleep 60");
  await said(/Run a command/);
  assert.equal(((await cli.json(["approval", "list"])) as unknown[]).length, 1);
  assert.equal((await cli.run(["pair", "rm", "ana", "--purge"])).code, 0);
  assert.deepEqual(await cli.json(["approval", "list"]), []);
  const homes = readdirSync(join(cli.state, "homes"));
  assert.equal(homes.filter((name) => name.startsWith("p-")).length, 0);
  const tasks = (await cli.json(["task", "list"])) as { state: string }[];
  assert.deepEqual(
    tasks.map(({ state }) => state),
    ["canceled"],
  );
});

it("links an account by hand, moves it, and says what is wrong otherwise", async (t) => {
  const cli = cliRig(t);
  const { fake, ana, chat, said } = await platform(t);
  await cli.start();
  const add = ["channel", "add", "telegram", "--api-root", fake.url, "--token-file", "-"];
  assert.equal((await cli.run(add, fake.token)).code, 0);
  const account = String(ana.user.id);
  const linked = await cli.run(["pair", "link", "robot", "telegram", account]);
  assert.match(linked.out, /is robot now \(authenticated\)/);
  ana.sends(chat, "/whoami");
  await said(/robot.*authenticated/);
  const moved = await cli.run(["pair", "link", "local", "telegram", account]);
  assert.match(moved.out, /is local now \(owner\), no longer robot/);
  ana.sends(chat, "/whoami");
  await said(/local.*owner/);
  const nowhere = await cli.run(["pair", "link", "robot", "discord", "1"]);
  assert.match(nowhere.err, /no channel "discord".*channel list/);
  const odd = await cli.run(["pair", "link", "robot", "telegram", "robot"]);
  assert.match(odd.err, /robot is no account of telegram.*whoami/);
  assert.match((await cli.run(["pair", "link", "No!", "telegram", "1"])).err, /a name is/);
});

it("does not keep a channel whose token the platform refuses", async (t) => {
  const cli = cliRig(t);
  const { fake } = await platform(t);
  await cli.start();
  const wrong = `${fake.token.slice(0, -3)}xyz`;
  const add = ["channel", "add", "telegram", "--api-root", fake.url, "--token-file", "-"];
  const refused = await cli.run(add, wrong);
  assert.equal(refused.code, 1);
  assert.doesNotMatch(refused.err + refused.out, /xyz/);
  const channels = (await cli.json(["channel", "list"])) as { id: string }[];
  assert.deepEqual(
    channels.map(({ id }) => id),
    ["terminal", "web"],
  );
  assert.equal(existsSync(join(cli.state, "secrets", "telegram.token")), false);
});

it("finds an agent that does not start", async (t) => {
  const cli = cliRig(t);
  const fake = join(import.meta.dirname, "../fakes/acp-agent.ts");
  await cli.start(["--command", `'${process.execPath}' '${fake}' '{"initialize":"exit"}'`]);
  const doctor = await cli.run(["doctor"]);
  assert.equal(doctor.code, 1);
  assert.match(doctor.out, /WRONG\s+agent command\s+it does not work: The agent ended/);
});

it("takes the local owner's power away, until the next start", async (t) => {
  const cli = cliRig(t);
  const gateway = await cli.start();
  assert.match((await cli.run(["chat"], "/whoami\n")).out, /You are local, owner/);
  assert.equal((await cli.run(["pair", "rm", "local"])).code, 0);
  assert.doesNotMatch((await cli.run(["chat"], "write a.txt\\\nx\n")).out, /Create a\.txt/);
  await gateway.stop();
  await cli.start();
  assert.match((await cli.run(["chat"], "/whoami\n")).out, /You are local, owner/);
});
