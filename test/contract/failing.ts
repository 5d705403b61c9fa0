// The contract of failure: the six kinds of error, and health that says what is wrong.
import assert from "node:assert/strict";
import { it } from "node:test";
import { SendError } from "../../src/core/channel.ts";
import { type Fault, inbox, type Rig, type Setup, withRig } from "./rig.ts";

const kinds: Record<Fault, SendError["kind"]> = {
  "rate-limited": "rate-limited",
  format: "rejected",
  "too-long": "rejected",
  gone: "gone",
  "not-sent": "not-sent",
  unknown: "unknown",
};

export function failing(name: string, setup: Setup): void {
  for (const fault of Object.keys(kinds) as Fault[])
    it(`${name}: reports ${fault} as ${kinds[fault]}`, () =>
      withRig(setup, (rig) => reports(rig, fault)));
  it(`${name}: is connected once it hears, and says when it is deaf`, () => withRig(setup, hears));
  it(`${name}: says that its token no longer counts`, () => withRig(setup, isRevoked));
}

async function reports({ listener, direct, faults }: Rig, fault: Fault) {
  const inject = faults?.[fault];
  if (!inject) return;
  inject();
  const part = { body: "<b>x</b>", plain: "x" };
  const error = await listener.send(direct, part, "x1").then(
    () => undefined,
    (failure: unknown) => failure,
  );
  assert.ok(error instanceof SendError, String(error));
  assert.equal(error.kind, kinds[fault]);
  assert.equal(error.detail.format === true, fault === "format");
  if (fault === "rate-limited") assert.ok((error.detail.retryAfter ?? 0) >= 1000);
}

async function hears({ listener, says, direct, until, deafen }: Rig) {
  const box = inbox();
  assert.equal(listener.health().state, "starting");
  await listener.start(box.accept);
  says(direct, "hello");
  await until("a message", () => box.events.length === 1);
  assert.equal(listener.health().state, "connected");
  assert.ok(Math.abs(Date.now() - (listener.health().lastEvent ?? 0)) < 10_000);
  if (!deafen) return;
  deafen();
  await until("deafness", () => listener.health().state === "deaf");
  await listener.send(direct, { plain: "still writing" }, "d1");
  assert.equal(listener.health().state, "deaf");
}

async function isRevoked({ listener, direct, until, revoke }: Rig) {
  if (!revoke) return;
  await listener.start(inbox().accept);
  revoke();
  await until("the state", () => listener.health().state === "unauthorised");
  const error = await listener.send(direct, { plain: "x" }, "u1").catch((failure) => failure);
  assert.ok(error instanceof SendError);
  assert.equal(error.kind, "unauthorised");
}
