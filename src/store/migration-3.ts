// The third schema: what tasks and callers used of the model, by day.
import type { Compilable, Kysely } from "kysely";
import type { Tables } from "./schema.ts";

export function third(schema: Kysely<Tables>["schema"]): Compilable[] {
  return [
    schema
      .createTable("usage")
      .addColumn("id", "integer", (c) => c.primaryKey().notNull())
      .addColumn("day", "integer", (c) => c.notNull())
      .addColumn("caller", "text", (c) => c.notNull())
      .addColumn("task", "text", (c) => c.notNull())
      .addColumn("requests", "integer", (c) => c.notNull())
      .addColumn("bytesIn", "integer", (c) => c.notNull())
      .addColumn("bytesOut", "integer", (c) => c.notNull())
      .addColumn("inputTokens", "integer", (c) => c.notNull())
      .addColumn("outputTokens", "integer", (c) => c.notNull())
      .addColumn("uncounted", "integer", (c) => c.notNull())
      .addColumn("guessedTokens", "integer", (c) => c.notNull()),
    schema.createIndex("usageOf").on("usage").columns(["day", "caller", "task"]).unique(),
    schema.createIndex("usageTask").on("usage").column("task"),
  ];
}
