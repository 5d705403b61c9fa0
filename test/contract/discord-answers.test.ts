// What the Discord listener answers: presses and commands, in time, and seen by nobody else.
import assert from "node:assert/strict";
import { it } from "node:test";
import { asked, failure, menu, withDiscord } from "./discord-rig.ts";
import { inbox } from "./rig.ts";

const buttons = [{ label: "Allow", data: "t".repeat(64) }];

it("acknowledges a press before anything is done with it, and edits the message however late", () =>
  withDiscord(async ({ fake, rig, ana, general }) => {
    const answers: unknown[] = [];
    const box = inbox(async ([event]) => {
      if (event?.kind === "press") answers.push(fake.interaction(event.press.id).answer);
    });
    await rig.listener.start(box.accept);
    const to = rig.group ?? rig.direct;
    const ref = await rig.listener.send(to, { plain: "May it?", buttons }, "k");
    ana.presses(ref.id, "Allow");
    await rig.until("the press", () => box.events.length === 1);
    assert.deepEqual(answers, [6]);
    fake.expireInteractions();
    await rig.listener.edit?.(ref, { plain: "Ana allowed it." });
    const [press] = box.events;
    assert.ok(press?.kind === "press");
    assert.deepEqual(press.message, ref);
    await rig.listener.answerPress?.(press.press, "Too late for this.");
    assert.deepEqual(
      fake.messages(general).map(({ text }) => text),
      ["builds", "Ana allowed it."],
    );
  }));

it("hears what comes behind a press of which Discord takes no notice", () =>
  withDiscord(async ({ fake, rig, ana }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    const ref = await rig.listener.send(rig.direct, { plain: "May it?", buttons }, "k");
    const held = fake.faults.stallAt("respond");
    ana.presses(ref.id, "Allow");
    await held.arrived;
    rig.says(rig.direct, "and then?");
    await rig.until("both", () => box.events.length === 2);
    assert.deepEqual(
      box.events.map(({ kind }) => kind),
      ["press", "message"],
    );
    held.release();
    // It still waits for that: what came behind did not wait for it to give up.
    await rig.until("the late answer", () =>
      fake.calls.some(({ route, status }) => route === "respond" && (status ?? 0) > 0),
    );
  }));

it("hears a press that Discord gave up on already, and answering it does no harm", () =>
  withDiscord(async ({ fake, rig, ana }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    const ref = await rig.listener.send(rig.direct, { plain: "May it?", buttons }, "k");
    const { interactionId } = ana.presses(ref.id, "Allow", { late: true });
    await rig.until("the press", () => box.events.length === 1);
    await rig.listener.answerPress?.({ id: interactionId }, "Noted.");
    assert.deepEqual(fake.ephemerals(ana), []);
    const only = { account: ana.id, press: { id: interactionId } };
    const error = await failure(rig.listener.whisper?.(rig.direct, only, { plain: "x" }));
    assert.equal(error.kind, "gone");
  }));

it("tells only the presser, leaves the question open, and knows a press after a restart", () =>
  withDiscord(async ({ fake, rig, ben, general }) => {
    const to = { ...rig.direct, chat: general.id };
    const ref = await rig.listener.send(to, { plain: "May it?", buttons }, "k");
    const next = rig.again?.();
    const box = inbox();
    await next?.start(box.accept);
    const { interactionId } = ben.presses(ref.id, "Allow");
    await rig.until("the press", () => box.events.length === 1);
    const [press] = box.events;
    assert.ok(press?.kind === "press");
    assert.deepEqual(
      [press.data, press.sender.account, press.message],
      [buttons[0]?.data, ben.id, ref],
    );
    await next?.answerPress?.(press.press, "Only Ana can answer this.");
    const shown = fake.ephemerals(ben).map(({ text, onlyFor }) => [text, onlyFor?.id]);
    assert.deepEqual(shown, [["Only Ana can answer this.", ben.id]]);
    assert.deepEqual(fake.messages(general).find(({ id }) => id === ref.id)?.text, "May it?");
    assert.equal(fake.interaction(interactionId).failed, false);
    await next?.stop();
  }));

it("offers its commands as slash commands, and hears one with what comes after it", () =>
  withDiscord(async ({ fake, rig, ana, thread, general }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    await rig.listener.setMenu?.(menu);
    const names = fake.commands.map(({ name, dm_permission, options }) => [
      name,
      dm_permission,
      Array.isArray(options),
    ]);
    assert.deepEqual(names, [
      ["stop", true, true],
      ["tasks", true, true],
    ]);
    const { interactionId } = ana.slash(thread, "stop", { text: " rest " });
    await rig.until("the command", () => box.events.length === 1);
    const [message] = box.messages();
    assert.deepEqual(message, {
      ...{ kind: "message", key: `${fake.me.id}:i:${interactionId}`, at: message?.at },
      chat: { id: general.id, kind: "group", thread: thread.id },
      sender: { account: ana.id, name: "Ana" },
      ...{ press: { id: interactionId }, text: "/stop rest", addressed: true, files: [] },
      message: { chat: general.id, id: "", thread: thread.id },
    });
    assert.equal(fake.ephemerals(ana).at(-1)?.thinking, true);
  }));

it("answers a command to the one who gave it: first in place of the waiting, then below", () =>
  withDiscord(async (discord) => {
    const { fake, rig, ana } = discord;
    const only = await asked(discord);
    const to = rig.group ?? rig.direct;
    await rig.listener.whisper?.(to, only, { plain: "one @everyone", buttons });
    await rig.listener.whisper?.(to, only, { plain: "long ".repeat(500).trim() });
    await rig.listener.answerPress?.(only.press);
    const shown = fake.ephemerals(ana);
    assert.deepEqual(
      [shown.length, shown[0]?.text, shown[0]?.thinking],
      [3, "one \\@everyone", false],
    );
    assert.ok(shown.every(({ onlyFor, pings }) => onlyFor?.id === ana.id && !pings.everyone));
    assert.equal(shown[0]?.buttons.flat().length, 1);
  }));

it("takes the waiting of a command away when nothing is to be said, and says when it is too late", () =>
  withDiscord(async (discord) => {
    const { fake, rig, ana } = discord;
    const only = await asked(discord);
    await rig.listener.answerPress?.(only.press);
    assert.deepEqual(fake.ephemerals(ana), []);
    fake.expireInteractions();
    const to = rig.group ?? rig.direct;
    for (const who of [only, { account: ana.id }])
      assert.equal((await failure(rig.listener.whisper?.(to, who, { plain: "x" }))).kind, "gone");
  }));
