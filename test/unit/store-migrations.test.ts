// A state that an older version wrote opens with all that is in it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import Database from "better-sqlite3";
import { Kysely, SqliteDialect } from "kysely";
import { addInvite } from "../../src/access/codes.ts";
import { first } from "../../src/store/migration-1.ts";
import { findPairing, listPairings } from "../../src/store/pairings.ts";
import type { Tables } from "../../src/store/schema.ts";
import { addSession, sessionByHash } from "../../src/store/sessions.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";

const now = Date.parse("2026-03-01T12:00:00Z");

/** As the first version left it, with somebody in it. */
function firstState(t: TestContext): string {
  const path = join(temporaryFolder(t), "server.db");
  const database = new Database(path);
  const { schema } = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
  for (const step of first(schema)) database.exec(step.compile().sql);
  database.pragma("user_version = 1");
  const run = (sql: string, ...values: unknown[]) => database.prepare(sql).run(...values);
  run("insert into pairings values ('p1', 'ana', 'owner', 'person', 'h', ?)", now);
  run("insert into accounts values ('telegram', '7', 'p1', 'Ana', ?)", now);
  run(
    "insert into conversations values ('c1','k','telegram','7',null,'direct','p:p1',null,null,1,1)",
  );
  run(
    "insert into inbox values (1,'telegram','m1','prompt','done',null,null,null,'c1',null,null,null,1,1)",
  );
  run(
    "insert into inbox values (2,'telegram','m2','prompt','done',null,null,null,null,null,null,null,1,1)",
  );
  database.close();
  return path;
}

it("brings a state of the first version to the newest, with its rows", async (t) => {
  const path = firstState(t);
  for (const opened of ["once", "again"]) {
    const store = openSqlite(path);
    const ana = await store.run(() => findPairing("ana"));
    assert.deepEqual([ana?.id, ana?.role], ["p1", "owner"], opened);
    const session = { hash: opened, id: opened, pairing: "p1", operator: false };
    await store.run(() => addSession({ ...session, createdAt: now, expiresAt: now + 1000 }, 20));
    const found = await store.run(() => sessionByHash(opened, now));
    assert.equal(found?.pairing.name, "ana");
    const invite = { hmac: opened, name: "bob", role: "authenticated", now } as const;
    assert.ok("expiresAt" in (await store.run(() => addInvite(invite))));
    await store.close();
  }
});

it("gives a new state and one that grew the same tables", async (t) => {
  const grown = firstState(t);
  const fresh = join(temporaryFolder(t), "server.db");
  for (const path of [grown, fresh]) await openSqlite(path).close();
  const [one, other] = [grown, fresh].map((path) => {
    const database = new Database(path, { readonly: true });
    const rows = database.prepare("select type, name, sql from sqlite_master order by name").all();
    const version = database.pragma("user_version", { simple: true });
    database.close();
    return { rows, version };
  });
  assert.deepEqual(one, other);
});

it("refuses a state of a newer version, and leaves it as it is", (t) => {
  const path = firstState(t);
  const database = new Database(path);
  database.pragma("user_version = 99");
  database.close();
  assert.throws(() => openSqlite(path), /newer Sallyport \(schema 99.*--state/s);
});

it("has nobody in a new state", async (t) => {
  const store = openSqlite(join(temporaryFolder(t), "server.db"));
  assert.deepEqual(await store.run(listPairings), []);
  await store.close();
});
