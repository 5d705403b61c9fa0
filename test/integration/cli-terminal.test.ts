// The chat as a person has it at a terminal, on a real gateway; only the terminal itself is played.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { it, type TestContext } from "node:test";
import type { ReadStream, WriteStream } from "node:tty";
import { openInteractive } from "../../src/cli/terminal/interactive.ts";
import { cliRig } from "../fakes/cli-rig.ts";

function terminal(t: TestContext, state: string, cardGuard = 0) {
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => {} });
  const stdout = Object.assign(new PassThrough(), { columns: 80, rows: 40 });
  let written = "";
  const watchers = new Set<() => void>();
  stdout.on("data", (chunk) => {
    written += String(chunk);
    for (const look of watchers) look();
  });
  const leave = new AbortController();
  t.after(() => leave.abort());
  const chat = openInteractive({
    socket: () => join(state, "control.sock"),
    stdin: stdin as unknown as ReadStream,
    stdout: stdout as unknown as WriteStream,
    colour: false,
    greeting: "Welcome.",
    cardGuard,
    signal: leave.signal,
  });
  return {
    chat,
    type: (keys: string) => void stdin.write(keys),
    /** Resolves with all that was written since the last call, once something in it matches. */
    see: (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`Never saw ${pattern} in ${written}`)),
          20_000,
        );
        const look = () => {
          if (!pattern.test(written)) return;
          clearTimeout(timer);
          watchers.delete(look);
          const seen = written;
          written = "";
          resolve(seen);
        };
        watchers.add(look);
        look();
      }),
  };
}

it("answers a card with a key, and shows it in every open chat", async (t) => {
  const cli = cliRig(t);
  await cli.start();
  const one = terminal(t, cli.state);
  const two = terminal(t, cli.state);
  await Promise.all([one.see(/Welcome/), two.see(/Welcome/)]);
  one.type("write a.txt\\\rhello\r");
  await one.see(/\[1\] Allow once {2}\[2\] Allow a\.txt for this task {2}\[3\] Deny/);
  assert.match(await two.see(/\[3\] Deny/), /> write a\.txt/);
  two.type("1");
  await Promise.all([one.see(/Created `a\.txt`/), two.see(/Created `a\.txt`/)]);
  assert.equal(readFileSync(join(cli.workspace, "a.txt"), "utf8"), "hello");
});

it("does not take a digit for a press while something is typed or pasted", async (t) => {
  const cli = cliRig(t);
  await cli.start();
  const { type, see } = terminal(t, cli.state);
  type("run echo hi\r");
  await see(/\[1\] Allow once/);
  type("\u001b[200~1\u001b[201~");
  type(" is a digit");
  await see(/> 1 is a digit/);
  assert.equal(((await cli.json(["approval", "list"])) as unknown[]).length, 1);
  type("\u0015deny 1\r");
  await see(/Denied by local/);
});

it("takes a digit that comes with a new card for text", async (t) => {
  const cli = cliRig(t);
  await cli.start();
  const { type, see } = terminal(t, cli.state, 60_000);
  type("run echo hi\r");
  await see(/\[1\] Allow once/);
  type("1");
  await see(/> 1/);
  assert.equal(((await cli.json(["approval", "list"])) as unknown[]).length, 1);
});

it("leaves at the second Ctrl-C, and at /quit", async (t) => {
  const cli = cliRig(t);
  await cli.start();
  const first = terminal(t, cli.state);
  first.type("\u0003");
  await first.see(/Ctrl-C again/);
  first.type("\u0003");
  await first.chat.ended;
  const second = terminal(t, cli.state);
  second.type("/quit\r");
  await second.chat.ended;
});

it("goes on with a gateway that was away, and says nothing twice", async (t) => {
  const cli = cliRig(t);
  const gateway = await cli.start();
  const { type, see } = terminal(t, cli.state);
  type("say **first**\r");
  await see(/[^*]first/);
  await gateway.stop("SIGKILL");
  await see(/gateway is away/);
  type("say **second**\r");
  await cli.start();
  await see(/[^*]second/);
  const tasks = (await cli.json(["task", "list"])) as { title: string }[];
  assert.deepEqual(tasks.map(({ title }) => title).sort(), ["say **first**", "say **second**"]);
});

it("shows the answer of a turn that ends while the gateway stops", async (t) => {
  const cli = cliRig(t);
  const gateway = await cli.start();
  const { type, see } = terminal(t, cli.state);
  type("run sleep 1; echo finished-late\r");
  await see(/\[1\] Allow once/);
  type("allow 1\r");
  await see(/Allowed/);
  const stopped = gateway.stop();
  // Not the command, which the card shows the same way.
  await see(/(?<!echo )finished-late\r\n.*```/);
  assert.equal(await stopped, 0);
});
