// Two parts alone: what a message costs in the store, beside bare prepared statements, and what rendering costs.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { channel } from "../../channels/telegram/index.ts";
import { ensureConversation } from "../../src/store/conversations.ts";
import { addEntry, finishTurnEntries, isKnown } from "../../src/store/inbox.ts";
import { addPart, markSent } from "../../src/store/outbox.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { addTask, setTaskState } from "../../src/store/tasks.ts";
import { addTurn, endTurn } from "../../src/store/turns.ts";
import { aligned, shown } from "./table.ts";

/** How many messages share a commit. */
const batches = [1, 50];

export async function storeTable(messages: number): Promise<string> {
  const rows = [["", "store", "", "statements", "", "CPU ratio"]];
  for (const batch of batches) {
    // Commits of one message wait for the disk: fewer of them say the same.
    const load = { batch, messages: batch === 1 ? Math.ceil(messages / 10) : messages };
    const ours = await inFolder((path) => throughStore(path, load));
    const bare = await inFolder((path) => throughStatements(path, load));
    const costs = [ours, bare].flatMap(({ rate, cpu }) => [`${shown(rate)}/s`, `${shown(cpu)} µs`]);
    rows.push([`${batch} a commit`, ...costs, (ours.cpu / bare.cpu).toFixed(2)]);
  }
  return aligned(rows);
}

interface Cost {
  /** Messages a second. */
  readonly rate: number;
  /** Microseconds of processor time per message. */
  readonly cpu: number;
}

async function costOf(messages: number, work: () => Promise<void>): Promise<Cost> {
  const begin = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  const rate = messages / ((performance.now() - begin) / 1000);
  return { rate, cpu: (user + system) / messages };
}

interface Load {
  readonly messages: number;
  readonly batch: number;
}

async function inFolder<T>(work: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-store-"));
  try {
    return await work(join(folder, "server.db"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Accepted and begun in one commit, finished in a second, sent in a third, as each message is. */
async function throughStore(path: string, { messages, batch }: Load): Promise<Cost> {
  const store = openSqlite(path);
  const { epoch } = store;
  const to = (n: number) => ({ listener: "telegram", chat: String(n % 100) });
  const together = (work: (n: number) => Promise<unknown>, from: number) =>
    Promise.all(Array.from({ length: batch }, (_, index) => work(from + index)));
  const cost = await costOf(messages, async () => {
    for (let done = 0; done < messages; done += batch) {
      await together((n) => store.run(() => acceptOne(n, to(n), epoch)), done);
      const out: number[] = [];
      await together(async (n) => out.push(await store.run(() => finishOne(n, to(n)))), done);
      const sent = (id: number) => markSent(id, { chat: "1", id: String(id) }, 3);
      await together((n) => store.run(() => sent(out[n - done] ?? 0)), done);
    }
  });
  await store.close();
  return cost;
}

type To = { readonly listener: string; readonly chat: string };

function* acceptOne(n: number, to: To, epoch: number) {
  const key = `${to.chat}:${n}`;
  yield* isKnown(to.listener, key);
  const place = { address: to, kind: "direct" as const, caller: "p:bench" };
  const { id: conversation } = yield* ensureConversation(place, `c${to.chat}`, 1);
  const [task, turn, caller] = [`t${n}`, `u${n}`, "p:bench"];
  yield* addTask({ id: task, conversation, caller, callerName: "bench", title: "hello", at: 1 });
  const role = "owner" as const;
  yield* addTurn({ id: turn, task, conversation, caller, role, asks: true, epoch, startedAt: 1 });
  yield* addEntry({
    ...{ listener: to.listener, key, at: 1, receivedAt: 1, conversation, turn, caller, role },
    ...{ kind: "prompt", state: "started", outcome: null, album: null },
    body: { text: "hello" },
  });
}

function* finishOne(n: number, to: To) {
  yield* endTurn(`u${n}`, "end_turn", 2);
  yield* setTaskState({ id: `t${n}`, state: "completed", at: 2, reason: null });
  yield* finishTurnEntries(`u${n}`, "ok");
  const part = { kind: "reply" as const, state: "sending" as const, turn: `u${n}`, seq: 0 };
  return (yield* addPart({ ...part, plain: "hello", to, buttons: [], at: 2 })).id;
}

/** Ten statements a message on tables of the same weight, in the same three commits. */
async function throughStatements(path: string, { messages, batch }: Load): Promise<Cost> {
  const database = new Database(path);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  for (const table of ["tasks", "turns", "inbox", "outbox"])
    database.exec(
      `CREATE TABLE ${table} (id TEXT PRIMARY KEY, of TEXT, state TEXT, at INTEGER, body TEXT);
       CREATE INDEX ${table}_of ON ${table} (of, state)`,
    );
  const tables = ["tasks", "turns", "inbox", "outbox"].map((table) => ({
    find: database.prepare(`SELECT * FROM ${table} WHERE id = ?`),
    insert: database.prepare(`INSERT INTO ${table} VALUES (?, ?, ?, ?, ?)`),
    settle: database.prepare(`UPDATE ${table} SET state = ?, at = ? WHERE id = ?`),
  }));
  const [tasks, turns, inbox, outbox] = tables as [Table, Table, Table, Table];
  const body = JSON.stringify({ text: "hello" });
  const steps = [
    (n: number) => {
      inbox.find.get(`${n}`);
      turns.find.get(`${n}`);
      for (const table of [tasks, turns, inbox])
        table.insert.run(`${n}`, String(n % 100), "started", 1, body);
    },
    (n: number) => {
      for (const table of [tasks, turns, inbox]) table.settle.run("done", 2, `${n}`);
      outbox.insert.run(`${n}`, String(n % 100), "sending", 2, body);
    },
    (n: number) => outbox.settle.run("sent", 3, `${n}`),
  ].map((step) =>
    database.transaction((from: number) => {
      for (let n = from; n < from + batch; n += 1) step(n);
    }),
  );
  const cost = await costOf(messages, async () => {
    for (let done = 0; done < messages; done += batch)
      for (const step of steps) {
        step.immediate(done);
        // Whoever waits hears of it in a later tick there, so here too.
        await new Promise((resolve) => setImmediate(resolve));
      }
  });
  database.close();
  return cost;
}

interface Table {
  readonly find: Database.Statement;
  readonly insert: Database.Statement;
  readonly settle: Database.Statement;
}

const prose = "Some **bold** text with `code` and a [link](https://example.org/a), and more.\n\n";
const list = "- an item with **bold** words\n  - and one below it\n";
const code = "```js\nconst a = 1;\n```\n\n| a | b |\n|---|---|\n| c | d |\n\n";

/** Each size twice the one before: time that more than doubles is not linear. */
export async function renderTable(smallest: number): Promise<string> {
  const sizes = [smallest, 2 * smallest, 4 * smallest];
  const rows = [["CPU ms to render", ...sizes.map((size) => `${size} kB`), "last / first"]];
  const texts = Object.entries({ prose, list, "code and tables": code, plain: "plain words. " });
  for (const [name, text] of texts) {
    const times: number[] = [];
    for (const size of sizes) times.push(await timeToRender(text, size * 1024));
    const [small = 0, , large = 0] = times;
    rows.push([name, ...times.map(shown), (large / small).toFixed(1)]);
  }
  return aligned(rows);
}

/** The best of three: what else runs can only add. */
async function timeToRender(text: string, size: number): Promise<number> {
  const whole = text.repeat(Math.ceil(size / text.length)).slice(0, size);
  let best = Number.POSITIVE_INFINITY;
  for (let times = 0; times < 3; times += 1) {
    const before = process.cpuUsage();
    await channel.render(whole);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
