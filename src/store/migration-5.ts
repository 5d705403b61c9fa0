// The fifth schema: links that count for less than their pairing, marks of messages that were seen, files that go along with a message.
import { type Compilable, type Kysely, sql } from "kysely";
import type { Tables } from "./schema.ts";

export function fifth(schema: Kysely<Tables>["schema"]): Compilable[] {
  return [
    schema.alterTable("accounts").addColumn("most", "text"),
    schema.alterTable("outbox").addColumn("along", "integer"),
    schema
      .createIndex("outboxAlong")
      .on("outbox")
      .column("along")
      .where(sql.ref("along"), "is not", null),
    schema
      .createTable("marks")
      .addColumn("listener", "text", (c) => c.notNull())
      .addColumn("mark", "text", (c) => c.notNull())
      .addColumn("at", "integer", (c) => c.notNull())
      .addPrimaryKeyConstraint("marksKey", ["listener", "mark"]),
  ];
}
