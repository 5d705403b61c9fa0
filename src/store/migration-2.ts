// The second schema: links that sign in, browser sessions, and indexes for what the page looks up.
import { type Compilable, type Kysely, sql } from "kysely";
import type { Tables } from "./schema.ts";

export function second(schema: Kysely<Tables>["schema"]): Compilable[] {
  return [
    schema
      .createTable("links")
      .addColumn("hash", "text", (c) => c.primaryKey().notNull())
      .addColumn("pairing", "text", (c) => c.notNull())
      .addColumn("createdAt", "integer", (c) => c.notNull())
      .addColumn("expiresAt", "integer", (c) => c.notNull())
      .addColumn("usedAt", "integer"),
    schema
      .createTable("sessions")
      .addColumn("hash", "text", (c) => c.primaryKey().notNull())
      .addColumn("id", "text", (c) => c.notNull().unique())
      .addColumn("pairing", "text", (c) => c.notNull())
      .addColumn("operator", "integer", (c) => c.notNull())
      .addColumn("createdAt", "integer", (c) => c.notNull())
      .addColumn("expiresAt", "integer", (c) => c.notNull()),
    schema.createIndex("sessionPairing").on("sessions").column("pairing"),
    schema.createIndex("conversationCaller").on("conversations").columns(["caller", "lastAt"]),
    schema.createIndex("conversationLast").on("conversations").column("lastAt"),
    schema
      .createIndex("inboxConversation")
      .on("inbox")
      .columns(["conversation", "receivedAt"])
      .where(sql.ref("conversation"), "is not", null),
    schema.createIndex("outboxChat").on("outbox").columns(["listener", "chat", "createdAt"]),
    schema.createIndex("cardOutbox").on("cards").column("outbox"),
    schema.createIndex("buttonCard").on("buttons").column("card"),
  ];
}
