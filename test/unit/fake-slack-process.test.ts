// The fake Slack works in a process of its own, and for a person at a keyboard or a script.
import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { it, type TestContext } from "node:test";
import { echoApp } from "../fakes/slack-app.ts";
import { startSlackProcess } from "../fakes/slack-remote.ts";

it("takes orders in a process of its own, and ends with its parent's channel", async (t) => {
  const remote = await startSlackProcess({ record: false });
  t.after(() => remote.close());
  const app = await echoApp(remote);
  await remote.order("connected", { timeoutMs: 5_000 });
  const people = await remote.order("people", { count: 3 });
  const chats = people.map(({ chat }) => chat);
  const [first = ""] = chats;
  assert.ok((await remote.order("roundTrip", { chat: first, text: "hi" })) > 0);
  await remote.order("sayMany", { chats, text: "number {n}", count: 9 });
  assert.equal(await remote.order("sent", { count: 10, timeoutMs: 5_000 }), 10);
  const texts = await remote.order("texts", { chat: first });
  assert.ok(texts.some(({ byBot, text }) => byBot && text === "echo number 6"));
  await remote.order("fault", { method: "auth.test", fault: { kind: "drop" } });
  await assert.rejects(app.web.auth.test());
  await assert.rejects(remote.order("say", { chat: "D1", text: "x" }), /no person has/);
  await app.stop();
  await remote.close();
  await assert.rejects(remote.order("counters", null));
});

it("is played by a script: lines in, the conversation out", async (t) => {
  const { play, output, url, token, appToken } = await startPlay(t);
  const app = await echoApp({ url, token, appToken });
  const lines = [
    "is 1 < 2?",
    ":wait echo is 1 < 2?",
    "/ask me",
    ":wait only you",
    ":chat team",
    "ask",
    ":wait Allow?",
    ":press 1",
    ":wait Allowed",
    ":as bob",
    ":reply 5 and this?",
    ":wait echo and this?",
  ];
  play.stdin.write(`${lines.join("\n")}\n`);
  await output.shows(/echo and this\?\n/);
  await app.stop();
  play.stdin.end(":quit\n");
  const [code] = await once(play, "exit");
  assert.equal(code, 0, output.text());
  const shown = output.text();
  assert.match(shown, /1 Ana: is 1 < 2\?\n2 Sallyport: echo is 1 < 2\?\n/);
  assert.match(shown, /3 Sallyport \(only Ana sees this\): only you see \/ask me\n/);
  assert.match(shown, /\d Sallyport: Allow\?\n {3}\[1 Yes\]\n/);
  assert.match(shown, /\d Sallyport \(edited\): Allowed\n/);
  assert.match(shown, /Bob \(in the thread of 5\): and this\?\n/i);
});

async function startPlay(t: TestContext) {
  const play = spawn(process.execPath, ["test/fakes/slack-play.ts", "--port", "0"], {
    cwd: `${import.meta.dirname}/../..`,
  });
  t.after(() => play.kill());
  const output = collect(play);
  await output.shows(/:quit\n/);
  const of = (pattern: RegExp) => pattern.exec(output.text())?.[1] ?? "";
  const url = of(/Fake Slack at (http:[^\s,]+)/);
  assert.ok(output.text().includes(`channel add slack --api-root ${url}/api`));
  const token = of(/Bot token: (\S+)/);
  return { play, output, url, token, appToken: of(/App-level token: (\S+)/) };
}

function collect(child: ChildProcessWithoutNullStreams) {
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return {
    text: () => text,
    async shows(pattern: RegExp): Promise<void> {
      while (!pattern.test(text)) await once(child.stdout, "data");
    },
  };
}
