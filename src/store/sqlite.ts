// SQLite under the store: better-sqlite3, WAL, synchronous=FULL, grouped commits (ADR 2).
import { chmodSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { nextEpoch } from "./meta.ts";
import { migrate } from "./migrations.ts";
import { type Op, type Prepared, prepare, type Query } from "./query.ts";
import type { Tables } from "./schema.ts";
import type { Store } from "./store.ts";

interface Waiting {
  readonly op: () => Op<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Done = () => void;

const soonMs = 10;

export function openSqlite(path: string): Store {
  const database = new Database(path);
  chmodSync(path, 0o600);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.pragma("foreign_keys = ON");
  database.pragma("busy_timeout = 5000");
  const db = compileOnly();
  migrate(database, db.schema);
  const runOp = opRunner(database, db);
  const epoch = runOp(nextEpoch) as number;
  const commit = database.transaction((batch: readonly Waiting[]) =>
    batch.map(({ op, resolve }): Done => {
      const value = runOp(op);
      return () => resolve(value);
    }),
  ).immediate;
  let waiting: Waiting[] = [];
  let scheduled: Promise<void> | undefined;
  let soon: NodeJS.Timeout | undefined;

  const flush = () => {
    scheduled = undefined;
    const batch = waiting;
    waiting = [];
    for (const done of commitTogether(commit, batch)) done();
  };
  const flushNow = () =>
    new Promise<void>((resolve) => {
      setImmediate(() => {
        flush();
        resolve();
      });
    });
  const add = <T>(op: () => Op<T>) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ op, resolve: resolve as (value: unknown) => void, reject });
    });
  return {
    epoch,
    run(op) {
      const done = add(op);
      scheduled ??= flushNow();
      return done;
    },
    runSoon(op) {
      const done = add(op);
      soon ??= setTimeout(() => {
        soon = undefined;
        if (waiting.length > 0) scheduled ??= flushNow();
      }, soonMs);
      return done;
    },
    size: () => statSync(path).size,
    async close() {
      clearTimeout(soon);
      if (waiting.length > 0) scheduled ??= flushNow();
      while (scheduled) await scheduled;
      database.close();
    },
  };
}

type Commit = (batch: readonly Waiting[]) => Done[];

/** All in one transaction; if one throws, each alone, so that only the guilty one fails. */
function commitTogether(commit: Commit, batch: readonly Waiting[]): Done[] {
  try {
    return commit(batch);
  } catch (error) {
    const only = batch[0];
    if (batch.length === 1 && only) return [() => only.reject(error)];
    return batch.flatMap((one) => commitTogether(commit, [one]));
  }
}

function opRunner(
  database: Database.Database,
  db: Kysely<Tables>,
): (op: () => Op<unknown>) => unknown {
  const cache = new Map<Query["statement"], Prepared & { run: (args: unknown[]) => unknown[] }>();
  const prepared = (statement: Query["statement"]) => {
    const known = cache.get(statement);
    if (known) return known;
    const compiled = prepare(db, statement);
    const native = database.prepare(compiled.sql);
    const run = native.reader
      ? (args: unknown[]) => native.all(...args)
      : (args: unknown[]) => {
          native.run(...args);
          return [];
        };
    const entry = { ...compiled, run };
    cache.set(statement, entry);
    return entry;
  };
  return (op) => {
    const generator = op();
    let step = generator.next();
    while (!step.done) {
      const { statement, values } = step.value;
      const { bind, run } = prepared(statement);
      step = generator.next(run(bind(values)));
    }
    return step.value;
  };
}

/**
 * Where SQLite sees a bare `?` in a query with ORDER BY, LIMIT or a join, it plans that query anew for each value; the
 * plus, which changes nothing else, hides it: a tenth of the time.
 */
class PlainCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return "+?";
  }
}

function compileOnly(): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new PlainCompiler(),
    },
  });
}
