// Schema versions, applied in order at start; `user_version` holds the last one. Never change a released one: add the next.
import type { Database } from "better-sqlite3";
import type { Compilable, Kysely } from "kysely";
import { first } from "./migration-1.ts";
import { second } from "./migration-2.ts";
import { third } from "./migration-3.ts";
import { fourth } from "./migration-4.ts";
import { fifth } from "./migration-5.ts";
import type { Tables } from "./schema.ts";

type Migration = (schema: Kysely<Tables>["schema"]) => Compilable[];

const migrations: readonly Migration[] = [first, second, third, fourth, fifth];

/** Brings the file to the newest version. Throws when it was written by a newer Sallyport. */
export function migrate(database: Database, schema: Kysely<Tables>["schema"]): void {
  const version = Number(database.pragma("user_version", { simple: true }));
  if (version > migrations.length)
    throw new Error(
      `This state was written by a newer Sallyport (schema ${version}, this one knows ${migrations.length}). Install the newer version again, or choose another folder with --state.`,
    );
  const apply = database.transaction(() => {
    for (const migration of migrations.slice(version))
      for (const step of migration(schema)) database.exec(step.compile().sql);
    database.pragma(`user_version = ${migrations.length}`);
  });
  if (version < migrations.length) apply.immediate();
}
