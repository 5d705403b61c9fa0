// Stops and starts of the real gateway: drained, often, with messages from meanwhile, with old and renumbered updates.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { startTelegramServer } from "../fakes/telegram-server.ts";
import {
  addChannel,
  eventually,
  type Member,
  type Plant,
  quiet,
  withPlant,
} from "./gateway-process.ts";

it("drains on SIGTERM within 25 s: what can end ends, what is asked or hangs goes on with the next gateway", (t) =>
  withPlant(t, { names: ["ana", "bob", "cyd"] }, async (plant) => {
    const [ends, asks, hangs] = three(plant);
    const gate = (who: Member) => join(plant.cli.workspace, `gate of ${who.name}`);
    const file = join(plant.cli.workspace, "asked for");
    says(ends, `echo nearly\nstall ${gate(ends)}\necho  done`);
    says(asks, `do ${file}`);
    says(hangs, `stall ${gate(hangs)}\necho finally`);
    await plant.until(ends.chat, /^nearly/);
    const card = await plant.until(asks.chat, /Create asked for/);
    await eventually("three turns", () => openTurns(plant) === 3);
    const begun = performance.now();
    const stopped = plant.stop();
    // It no longer polls: the drain has begun.
    await plant.fake.waitFor(({ queue }) => !queue.polling);
    writeFileSync(gate(ends), "");
    assert.equal(await stopped, 0);
    assert.ok(performance.now() - begun < 25_000);
    await plant.until(ends.chat, /^nearly done$/);
    const expired = plant.said(asks.chat).find(({ id }) => id === card.id);
    assert.match(expired?.text ?? "", /Expired by a restart/);
    assert.deepEqual(expired?.buttons, []);
    assert.equal(openTurns(plant), 2);

    await plant.start();
    writeFileSync(gate(hangs), "");
    await plant.until(hangs.chat, /^finally$/);
    const anew = await plant.until(asks.chat, /Create asked for\? \(3\)/);
    asks.person.presses(asks.chat, anew.id, "Allow once");
    await plant.until(asks.chat, /^answer: once$/);
    assert.equal(count(plant, ends, /nearly/), 1);
  }));

it("answers nothing twice over twenty restarts in a row", (t) =>
  withPlant(t, { names: ["ana", "bob"] }, async (plant) => {
    for (const who of plant.members) says(who, "stream 2500");
    for (const who of plant.members) await plant.until(who.chat, / 2500$/);
    await quiet(plant);
    const seen = () => plant.members.map(({ chat }) => plant.fake.transcript(chat));
    const before = seen();
    const turns = plant.rows("select id from turns").length;
    for (let n = 0; n < 20; n += 1) {
      if (n % 2 === 0) await plant.kill();
      else await plant.stop();
      await plant.start();
      await plant.fake.waitFor(({ queue }) => queue.polling);
    }
    assert.deepEqual(seen(), before);
    assert.equal(plant.rows("select id from turns").length, turns);
  }));

it("begins a turn never a third time, and says so", (t) =>
  withPlant(t, { names: ["ana"] }, async (plant) => {
    const [ana] = plant.members;
    assert.ok(ana);
    const roll = join(plant.cli.workspace, "roll");
    const gate = join(plant.cli.workspace, "gate");
    says(ana, `roll ${roll}\nstall ${gate}\necho over`);
    for (const run of [1, 2]) {
      await eventually(`run ${run}`, () => runsIn(plant, run));
      await plant.kill();
      await plant.start();
    }
    const report = await plant.until(ana.chat, /it was cut off twice/);
    writeFileSync(gate, "");
    ana.person.presses(ana.chat, report.id, "Retry");
    await plant.until(ana.chat, /^over$/);
  }));

it("answers what was said while it was down, all of it and in order", (t) =>
  withPlant(t, { names: ["ana", "bob"] }, async (plant) => {
    await plant.kill();
    const words = ["one", "two", "three", "four", "five", "six"];
    for (const word of words) for (const who of plant.members) says(who, `echo ${word} `);
    await plant.start();
    for (const { chat } of plant.members) {
      await plant.until(chat, /six$/);
      const said = plant.said(chat).map(({ text }) => text);
      const answers = said.slice(said.indexOf("answer: no") + 1).join(" ");
      assert.deepEqual(answers.split(/\s+/), words);
    }
  }));

it("answers a message once, however often and under which numbers its update comes", (t) =>
  withPlant(t, { names: ["ana"] }, async (plant) => {
    const [ana] = plant.members;
    assert.ok(ana);
    const raw = { message_id: says(ana, "echo only once"), chat: ana.chat, from: ana.person.user };
    await plant.until(ana.chat, /only once/);
    const message = { ...raw, date: 1_700_000_000, text: "echo only once" };
    const confirmed = () =>
      plant.fake.waitFor(({ queue }) => queue.unconfirmed === 0 && queue.polling);
    for (let n = 0; n < 10; n += 1) {
      await confirmed();
      // As the platform does after a quiet week: upwards, and back to lower numbers.
      plant.fake.renumberUpdates(n % 2 === 0 ? 5_000 + n : 900_000_000 + n);
      plant.fake.push({ message });
      await confirmed();
      if (n % 5 !== 4) continue;
      await quiet(plant);
      await plant.kill();
      await plant.start();
    }
    says(ana, "echo and then");
    await plant.until(ana.chat, /and then/);
    assert.equal(count(plant, ana, /only once/), 1);
    assert.equal(plant.rows("select id from turns").length, 3);
  }));

it("hears a new bot whose updates have lower numbers", (t) =>
  withPlant(t, { names: ["ana"] }, async (plant) => {
    const [ana] = plant.members;
    assert.ok(ana);
    const token = "8000000002:AAanother-token-for-tests-111111111";
    const other = await startTelegramServer({ token, firstUpdateId: 17 });
    try {
      await plant.cli.run(["channel", "rm", "telegram"]);
      await addChannel(plant.cli, other);
      const { id, first_name: name } = ana.person.user;
      const person = other.user({ id, name });
      const chat = other.privateChat(person);
      person.sends(chat, "echo here too");
      await other.waitFor(() => other.messages(chat).some(({ text }) => text === "here too"), {
        timeoutMs: 15_000,
      });
    } finally {
      await plant.kill();
      await other.close();
    }
  }));

function three({ members }: Plant): [Member, Member, Member] {
  const [one, two, three] = members;
  assert.ok(one && two && three);
  return [one, two, three];
}

function says({ person, chat }: Member, text: string): number {
  return person.sends(chat, text).messageId;
}

function openTurns({ rows }: Plant): number {
  return rows("select id from turns where state != 'ended'").length;
}

/** Its agent is at work, for the time that is counted in its row. */
function runsIn({ rows }: Plant, run: number): boolean {
  return rows("select id from turns where state != 'ended' and run = ?", run).length === 1;
}

function count({ said }: Plant, { chat }: Member, pattern: RegExp): number {
  return said(chat).filter(({ text }) => pattern.test(text)).length;
}
