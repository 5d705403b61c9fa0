// The fourth schema: what is shown to one account alone, chats that share a conversation, and the notes of listeners.
import { type Compilable, type Kysely, sql } from "kysely";
import type { Tables } from "./schema.ts";

export function fourth(schema: Kysely<Tables>["schema"]): Compilable[] {
  return [
    schema.alterTable("outbox").addColumn("onlyJson", "text"),
    schema.alterTable("chats").addColumn("shared", "integer", (c) => c.notNull().defaultTo(0)),
    schema
      .createIndex("outboxQuestion")
      .on("outbox")
      .column("question")
      .where(sql.ref("question"), "is not", null),
    schema
      .createTable("notes")
      .addColumn("listener", "text", (c) => c.notNull())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("value", "text", (c) => c.notNull())
      .addPrimaryKeyConstraint("notesKey", ["listener", "name"]),
  ];
}
