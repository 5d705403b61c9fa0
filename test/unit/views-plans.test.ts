// What pages read is found by indexes: no look goes through a whole table that grows.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import Database from "better-sqlite3";
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { conversations } from "../../src/admin/views/conversations.ts";
import { history, webHistory } from "../../src/admin/views/history.ts";
import { operator } from "../../src/admin/views/operator.ts";
import { approvals, tasks } from "../../src/admin/views/tasks.ts";
import type { Caller } from "../../src/core/words.ts";
import { addCard } from "../../src/store/cards.ts";
import { newsSince, openNow, position } from "../../src/store/changes.ts";
import { ensureConversation } from "../../src/store/conversations.ts";
import { addEntry } from "../../src/store/inbox.ts";
import { addPart } from "../../src/store/outbox.ts";
import { type Op, prepare } from "../../src/store/query.ts";
import { addQuestion } from "../../src/store/questions.ts";
import type { Tables } from "../../src/store/schema.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { addTask } from "../../src/store/tasks.ts";
import { addTurn } from "../../src/store/turns.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { message } from "../fakes/desk.ts";

const ana: Caller = { id: "p:ana", pairing: "ana", role: "authenticated", name: "ana" };
const olga: Caller = { id: "p:olga", pairing: "olga", role: "owner", name: "olga" };

/** A conversation of each kind, with a turn, a question and what was said and posted. */
function* filled(): Op<void> {
  for (const kind of ["direct", "group"] as const) {
    const address = { listener: "desk", chat: kind };
    const caller = ana.id;
    const at = 1;
    const { id: conversation } = yield* ensureConversation({ address, kind, caller }, kind, at);
    yield* addTask({ id: kind, conversation, caller, callerName: "ana", title: kind, at });
    const turn = { id: kind, task: kind, conversation, caller, role: "authenticated" } as const;
    yield* addTurn({ ...turn, asks: true, epoch: 1, startedAt: at });
    yield* addEntry({
      listener: "desk",
      key: kind,
      kind: "prompt",
      state: "accepted",
      outcome: null,
      caller,
      role: "authenticated",
      conversation,
      turn: null,
      album: null,
      body: message("1", "hello", { id: kind }),
      at,
      receivedAt: at,
    });
    const part = { state: "pending", to: address, plain: "hello", at } as const;
    yield* addPart({ ...part, kind: "reply", turn: kind });
    yield* addPart({ ...part, kind: "notice" });
    const card = yield* addPart({ ...part, kind: "card", question: kind });
    yield* addQuestion({
      id: kind,
      turn: kind,
      task: kind,
      conversation,
      caller,
      kind: "approval",
      title: "Run",
      body: "",
      options: [],
      createdAt: at,
      expiresAt: 2,
      epoch: 1,
    });
    const place = { ...address, outbox: card.id };
    yield* addCard({ id: kind, question: kind, person: caller, place });
  }
}

/** As the store writes its placeholders. */
class PlainCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return "+?";
  }
}

/** Runs it, and gives how SQLite finds the rows of each of its statements. */
function plansOf(database: Database.Database, op: Op<unknown>): string[] {
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (one) => new SqliteIntrospector(one),
      createQueryCompiler: () => new PlainCompiler(),
    },
  });
  const plans: string[] = [];
  let step = op.next();
  while (!step.done) {
    const { sql, bind } = prepare(db, step.value.statement);
    const values = bind(step.value.values);
    const plan = database.prepare(`explain query plan ${sql}`).all(...values) as {
      detail: string;
    }[];
    plans.push(...plan.map(({ detail }) => `${detail}  <-  ${sql}`));
    const statement = database.prepare(sql);
    step = op.next(statement.reader ? statement.all(...values) : []);
  }
  return plans;
}

function rig(t: TestContext) {
  const path = join(temporaryFolder(t), "server.db");
  const ports = {
    store: openSqlite(path),
    clock: { now: () => 3_600_000 },
    channelOf: () => "desk",
    isKept: () => true,
    listeners: () => [],
    budgets: () => ({ listenerTasksPerHour: 20, callerTasksPerHour: 5 }),
  };
  const database = new Database(path);
  t.after(async () => {
    database.close();
    await ports.store.close();
  });
  return { ports, database };
}

/** Few rows each, or an index that holds only what is open. */
const small =
  /^SCAN (pairings|CONSTANT ROW|\(|turns USING INDEX turnOpen|questions USING INDEX questionOpen|inbox USING INDEX inboxOpen)/;

it("finds everything that pages and the watcher read by an index", async (t) => {
  const { ports, database } = rig(t);
  await ports.store.run(filled);
  const looks: Record<string, () => Op<unknown>> = {
    conversations: () => conversations(ports, ana),
    "conversations of all": () => conversations(ports, olga),
    direct: () => history(ports, ana, { id: "direct" }),
    group: () => history(ports, ana, { id: "group", before: 100 }),
    foreign: () => history(ports, olga, { id: "group" }),
    "of the page": () => webHistory(ports, ana, { chat: "ana" }),
    tasks: () => tasks(ana),
    "tasks of all": () => tasks(olga),
    approvals: () => approvals(ana),
    operator: () => operator(ports, olga),
    position,
    open: openNow,
    news: () => newsSince({ inbox: 0, outbox: 0 }, 500),
  };
  for (const [name, look] of Object.entries(looks)) {
    const plans = plansOf(database, look());
    assert.ok(plans.length > 0, name);
    const scans = plans.filter((plan) => plan.startsWith("SCAN") && !small.test(plan));
    const inOrder = /^SCAN \w+ USING (COVERING )?INDEX \w+ .* limit \+\?$/;
    assert.deepEqual(
      scans.filter((plan) => !inOrder.test(plan) && !/^SCAN audit .* limit \+\?$/.test(plan)),
      [],
      name,
    );
  }
});
