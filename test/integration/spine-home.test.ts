// The page that a platform keeps for each person: who they are, what waits for them, their latest tasks, and nobody else's.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import type { Part } from "../../src/core/channel.ts";
import { createDesk } from "../fakes/desk.ts";
import { startSpine } from "../fakes/spine.ts";

function deskWithHomes() {
  const desk = createDesk();
  const shown: { account: string; text: string }[] = [];
  const showHome = async (account: string, parts: readonly Part[]) => {
    shown.push({ account, text: parts.map(({ plain }) => plain).join("\n") });
  };
  let opened = 0;
  const open = async (account: string) => {
    const chat = { id: account, kind: "direct" } as const;
    const sender = { account, name: `name of ${account}` };
    opened += 1;
    const key = `home ${opened}`;
    await desk.send([{ kind: "home", key, at: Date.now(), chat, sender }]);
    while (shown.length < opened) await new Promise((resolve) => setTimeout(resolve, 5));
    return shown.at(-1)?.text ?? "";
  };
  return { desk: { ...desk, listener: { ...desk.listener, showHome } }, open };
}

it("shows each person theirs, short, and a stranger how to come in", async (t) => {
  const { desk, open } = deskWithHomes();
  const { workspace, join: pair } = await startSpine(t, { desk });
  await pair("1", "olga", "owner");
  await pair("2", "ana", "authenticated");
  await pair("3", "bob", "authenticated");
  for (const text of ["one", "two", "three", "four", "five", "six"]) {
    await desk.say("2", text);
    await desk.until(new RegExp(`^${text}`), "2");
  }
  await desk.say("2", `do ${join(workspace, "canary.txt")}`);
  await desk.until(/Create canary/, "2");
  const anas = await open("2");
  assert.match(anas, /^You are \*\*ana\*\*, authenticated\. This account is `2` on `desk`\./);
  assert.match(anas, /## Waiting for you\n\n- \*\*Create canary\.txt\*\*, for: do /);
  assert.match(anas, /\n\nSend me \/approvals in a direct message/);
  assert.match(anas, /## Latest tasks\n\n- waits for an answer · do .*\n(- completed · .*\n){4}\n/);
  assert.doesNotMatch(anas, /did/);
  assert.match(await open("1"), /\*\*Create canary\.txt\*\*, for: do .* \(ana\)/);
  const bobs = await open("3");
  assert.match(bobs, /## Waiting for you\n\nNothing\.\n\n## Latest tasks\n\nNo tasks yet\./);
  assert.doesNotMatch(bobs, /canary|ana/);
  const strangers = await open("9");
  assert.match(strangers, /^I do not know you yet/);
  assert.doesNotMatch(strangers, /canary|ana|`9`/);
});
