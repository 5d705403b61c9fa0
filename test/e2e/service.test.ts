// Stops of a gateway that is at work, as a service manager makes them: in time, with nothing left, and nothing lost.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { readEnvironment } from "../../src/config/environment.ts";
import { placeOf } from "../../src/config/paths.ts";
import { stateMark } from "../../src/config/secrets.ts";
import { agentUser } from "../../src/sandbox/docker/user.ts";
import { imageFromHost } from "../../src/sandbox/image/from-host.ts";
import { imageRemove } from "../../src/sandbox/image/images.ts";
import { ownAgentFolders } from "../../src/sandbox/image/own-agent.ts";
import { docker, withDocker } from "../fakes/docker-rig.ts";
import { eventually, type Member, type Plant, withPlant } from "./gateway-process.ts";

const inTime = 25_000;

it("ends in time with agents in containers that ignore the signal, leaves none, and goes on", {
  ...withDocker,
  timeout: 240_000,
}, async (t) => {
  const options = { names: ["ana", "bob", "cyd"], inside: "/workspace", start: await inDocker(t) };
  await withPlant(t, options, async (plant) => {
    const [ends, asks, hangs] = plant.members;
    assert.ok(ends && asks && hangs);
    says(ends, `echo nearly\nstall ${inside("gate of ana")}\necho  done`);
    says(asks, `do ${inside("asked for")}`);
    says(hangs, `ignorecancel\nstall ${inside("gate of cyd")}\necho finally`);
    await plant.until(ends.chat, /^nearly/);
    await plant.until(asks.chat, /Create asked for/);
    await eventually("three turns", () => openTurns(plant) === 3);
    says(ends, "echo and more");
    await eventually("a message that waits", () => waiting(plant) === 1);
    assert.equal((await containers(plant)).length, 3);

    await stopInTime(plant, () => open(plant, "gate of ana"));
    assert.deepEqual(await containers(plant), []);
    await plant.until(ends.chat, /^nearly done$/);
    assert.match(lastOf(plant, asks)?.text ?? "", /Expired by a restart/);

    await plant.start();
    open(plant, "gate of cyd");
    await plant.until(ends.chat, /^and more$/);
    await plant.until(hangs.chat, /^finally$/);
    const anew = await plant.until(asks.chat, /Create asked for\? \(3\)/);
    asks.person.presses(asks.chat, anew.id, "Allow once");
    await plant.until(asks.chat, /^answer: once$/);
    assert.equal(plant.said(ends.chat).filter(({ text }) => /nearly/.test(text)).length, 1);
  });
});

it("leaves no container when it is stopped while one starts, and answers after the next start", {
  ...withDocker,
  timeout: 120_000,
}, async (t) => {
  const options = { names: ["ana"], inside: "/workspace", start: await inDocker(t) };
  await withPlant(t, options, async (plant) => {
    const [ana] = plant.members;
    assert.ok(ana);
    await plant.stop();
    says(ana, "echo hello again");
    await plant.start();
    await eventually("a turn", () => openTurns(plant) === 1);
    await stopInTime(plant);
    assert.deepEqual(await containers(plant), []);
    await plant.start();
    await plant.until(ana.chat, /^hello again$/);
  });
});

it("does not wait for turns that wait for a place, and however often it stops, cuts none of them off", (t) =>
  withPlant(t, { names: ["ana", "bob"] }, async (plant) => {
    const asked = () =>
      plant.members.filter((who) => (lastOf(plant, who)?.buttons.length ?? 0) > 0);
    for (const who of plant.members) says(who, `do ${join(plant.cli.workspace, "asked for")}`);
    await plant.fake.waitFor(() => asked().length === 2);
    // From the next start on only one of them has a place.
    await plant.cli.run(["config", "set", "turns.concurrent", "1"]);
    for (let stops = 0; stops < 3; stops += 1) {
      const begun = performance.now();
      assert.equal(await plant.stop(), 0);
      assert.ok(performance.now() - begun < 10_000, "nobody was at work");
      assert.deepEqual(asked(), []);
      await plant.start();
      await plant.fake.waitFor(() => asked().length === 1);
      assert.equal(openTurns(plant), 2);
    }
    const first = asked()[0];
    assert.ok(first);
    denies(plant, first);
    const second = plant.members.find((who) => who !== first);
    assert.ok(second);
    await plant.fake.waitFor(() => asked().includes(second));
    denies(plant, second);
    await eventually("both ends", () => openTurns(plant) === 0);
    for (const { chat } of plant.members)
      await plant.fake.waitFor(() => answered(plant, chat) === 2);
  }));

const inside = (name: string) => `/workspace/${name}`;

function open(plant: Plant, gate: string): void {
  writeFileSync(join(plant.cli.workspace, gate), "");
}

/** `drained`: to be done once the drain has begun. */
async function stopInTime(plant: Plant, drained = () => {}): Promise<void> {
  const begun = performance.now();
  const stopped = plant.stop();
  await plant.fake.waitFor(({ queue }) => !queue.polling);
  drained();
  assert.equal(await stopped, 0);
  const took = performance.now() - begun;
  assert.ok(took < inTime, `it took ${Math.round(took)} ms`);
}

/** The fake agent in an image made for it; what it starts with makes it deaf to SIGTERM. */
async function inDocker(t: TestContext): Promise<string[]> {
  const fakes = { from: fileURLToPath(new URL("../fakes", import.meta.url)), to: "/opt/fakes" };
  const folders = [...(await ownAgentFolders()), fakes];
  const user = await agentUser("/");
  const made = await imageFromHost({ docker, repository: "sallyport-test-service", user, folders });
  assert.ok(made.ok, made.ok ? "" : made.problem);
  // Also what a gateway has left that was killed because its test failed.
  t.after(async () => {
    for (const { Id } of await containersOf(made.image))
      await docker.getContainer(Id).remove({ force: true });
    await imageRemove(docker, made.image);
  });
  const agent = `exec node /opt/fakes/acp-agent.ts '{"load":"replay"}'`;
  const line = `sh -c "trap '' TERM; ${agent.replaceAll('"', '\\"')}"`;
  return ["--sandbox", "docker", "--image", made.image, "--command", line];
}

const containersOf = (image: string) =>
  docker.listContainers({ all: true, filters: { ancestor: [image] } });

async function containers({ cli }: Plant) {
  const placed = placeOf({ workspace: cli.workspace, state: cli.state }, readEnvironment());
  assert.ok(placed.ok);
  const label = [`sallyport=${stateMark(placed.place.paths)}`];
  return await docker.listContainers({ all: true, filters: { label } });
}

function says({ person, chat }: Member, text: string): void {
  person.sends(chat, text);
}

function denies(plant: Plant, who: Member): void {
  who.person.presses(who.chat, lastOf(plant, who)?.id ?? 0, "Deny");
}

/** Also the question that let them in. */
function answered({ said }: Plant, chat: Member["chat"]): number {
  return said(chat).filter(({ text }) => text === "answer: no").length;
}

function lastOf({ said }: Plant, { chat }: Member) {
  return said(chat).at(-1);
}

function openTurns({ rows }: Plant): number {
  return rows("select id from turns where state != 'ended'").length;
}

/** Accepted, and behind the turn that runs. */
function waiting({ rows }: Plant): number {
  return rows("select id from inbox where state = 'accepted'").length;
}
