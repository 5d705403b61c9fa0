// People whom mail lets in, as the operator sees them: the list, its warnings, removal, links by hand, and changed files.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { letIn } from "../../src/access/mail.ts";
import { addAudit } from "../../src/store/audit.ts";
import { addEntry } from "../../src/store/inbox.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { addTask } from "../../src/store/tasks.ts";
import { addTurn } from "../../src/store/turns.ts";
import { type CliRig, cliRig } from "../fakes/cli-rig.ts";
import { message } from "../fakes/desk.ts";

const ana = "ana@example.org";
const reason = "DKIM example.org, DMARC pass";

interface PairingRow {
  readonly name: string;
  readonly kind: string;
  readonly accounts: readonly { listener: string; account: string; most: string | null }[];
}

const pairings = async (cli: CliRig) => (await cli.json(["pair", "list"])) as PairingRow[];
const names = async (cli: CliRig) => (await pairings(cli)).map(({ name }) => name);

/** A state in which these have written already. */
async function stateWith(t: TestContext, settings: string, addresses: readonly string[]) {
  const cli = cliRig(t);
  mkdirSync(cli.state, { mode: 0o700, recursive: true });
  writeFileSync(join(cli.state, "settings.yaml"), settings, { mode: 0o600 });
  const store = openSqlite(join(cli.state, "server.db"));
  for (const address of addresses)
    await store.run(() =>
      letIn({
        listener: "email",
        sender: { account: address, name: "", proof: { address, reason } },
        entries: [address],
        now: Date.now(),
        id: `id-${address.replace(/\W/g, "")}`,
      }),
    );
  await store.close();
  return cli;
}

const mailbox = "channels:\n  email:\n    kind: email\n    address: agent@example.org\n";

it("shows people whom mail let in, makes none an owner, and says which entry lets a removed one in again", async (t) => {
  const cli = await stateWith(t, 'access:\n  allowEmail: [example.org, "*.net"]\n', [ana]);
  const wrong = await cli.run(["pair", "list"]);
  assert.equal(wrong.code, 0, wrong.err);
  assert.match(wrong.out, /email:ana@example\.org +authenticated +email +email:ana@example\.org/);
  assert.match((await cli.run(["config", "list"])).err, /access\.allowEmail cannot be "\*\.net"/);
  await cli.run(["config", "set", "access.allowEmail", "example.org", "bob@example.net"]);
  const name = `email:${ana}`;
  const store = openSqlite(join(cli.state, "server.db"));
  const row = { at: Date.now(), who: "p:id-anaexampleorg", name, place: "email", target: "x" };
  await store.run(() => addAudit({ ...row, action: "test", outcome: "ok", why: "" }));
  await store.close();
  for (const who of [name, row.who]) {
    const rows = (await cli.json(["audit", "list", "--who", who])) as { action: string }[];
    assert.ok(
      rows.some(({ action }) => action === "test"),
      who,
    );
  }
  const role = await cli.run(["pair", "set", name, "--role", "owner"]);
  assert.notEqual(role.code, 0);
  assert.match(role.err, /a pairing of kind email is at most authenticated/);
  const removed = await cli.run(["pair", "rm", name]);
  assert.equal(removed.code, 0, removed.err);
  assert.match(removed.out, /as long as access\.allowEmail has example\.org\. Take that out with/);
  assert.deepEqual(await names(cli), []);
});

it("warns when everybody is let in, refuses what is nobody's domain, and tells doctor", async (t) => {
  const cli = await stateWith(t, mailbox, []);
  const open = await cli.run(["config", "set", "access.allowEmail", "gmail.com"]);
  assert.equal(open.code, 0, open.err);
  assert.match(open.out, /anyone can get an address at gmail\.com/);
  const refused = await cli.run(["config", "add", "access.allowEmail", "github.io"]);
  assert.match(refused.err, /"github\.io": it is an address, or a domain with one owner/);
  const invited = await cli.run(["pair", "invite", "--name", "kim", "--role", "owner"]);
  assert.match(
    invited.out,
    /Or by mail to agent@example\.org, as the first line\. By mail it makes at most authenticated\./,
  );
  const alike = await cli.run(["config", "add", "access.allowEmail", "аna@example.org"]);
  assert.match(alike.err, /it is a@example\.org, example\.org or \*\.example\.org, in ASCII/);
  const { findings } = (await cli.json(["doctor"])) as { findings: { text: string }[] };
  assert.ok(findings.some(({ text }) => /anyone can get an address at gmail\.com/.test(text)));
  const dropped = await cli.run(["config", "drop", "access.allowEmail", "GMail.com"]);
  assert.equal(dropped.code, 0, dropped.err);
  assert.doesNotMatch(dropped.out, /anyone/);
});

it("links an address by hand, whatever its case, and drops the pairing that mail had made of it", async (t) => {
  const cli = await stateWith(t, `${mailbox}access:\n  allowEmail: [example.org]\n`, [ana]);
  const linked = await cli.run(["pair", "link", "ana", "email", "Ana@Example.org"]);
  assert.match(
    linked.out,
    /ana@example\.org on email is ana now.*no longer email:ana@example\.org/,
  );
  const [only, ...others] = await pairings(cli);
  assert.deepEqual(
    only?.accounts.map(({ account, most }) => [account, most]),
    [[ana, null]],
  );
  assert.equal(others.length, 0);
  const odd = await cli.run(["pair", "link", "ana", "email", "123456"]);
  assert.match(odd.err, /123456 is no account of email: those look like ana@example\.org/);
});

it("ends whom no entry covers any more, when it starts and while it runs", async (t) => {
  const bob = "bob@example.net";
  const kim = "kim@example.com";
  const list = `access:\n  allowEmail: [${ana}, example.com]\n`;
  const cli = await stateWith(t, list, [ana, bob, kim]);
  await cli.start();
  assert.deepEqual((await names(cli)).sort(), [`email:${ana}`, `email:${kim}`, "local"]);
  assert.equal((await cli.run(["config", "drop", "access.allowEmail", ana])).code, 0);
  assert.deepEqual((await names(cli)).sort(), [`email:${kim}`, "local"]);
  assert.equal((await cli.run(["config", "unset", "access.allowEmail"])).code, 0);
  assert.deepEqual(await names(cli), ["local"]);
  const rows = (await cli.json(["audit", "list", "--action", "pair.rm"])) as { target: string }[];
  assert.deepEqual(
    rows.map(({ target }) => target),
    [`email:${kim}`, `email:${ana}`, `email:${bob}`],
  );
});

it("tells from whom a task is, and what proved it", async (t) => {
  const cli = await stateWith(t, "", []);
  const store = openSqlite(join(cli.state, "server.db"));
  const sender = { account: ana, name: ana, proof: { address: "Ana@example.org", reason } };
  const body = message(ana, "hello", { id: "1", more: { sender } });
  const at = Date.now();
  const whose = { caller: "p:ana", conversation: "c" };
  const as = { role: "authenticated", ...whose } as const;
  await store.run(function* () {
    yield* addTask({ id: "task1", ...whose, callerName: "ana", title: "hello", at });
    const turn = { id: "turn1", task: "task1", asks: true, epoch: 1, startedAt: at };
    yield* addTurn({ ...turn, ...as });
    const entry = { listener: "email", key: "1", kind: "prompt", album: null, turn: "turn1" };
    yield* addEntry({ ...entry, ...as, state: "done", outcome: "ok", body, at, receivedAt: at });
  });
  await store.close();
  const shown = await cli.run(["task", "show", "task1"]);
  assert.match(shown.out, /^from +Ana@example\.org — DKIM example\.org, DMARC pass$/m, shown.err);
});
