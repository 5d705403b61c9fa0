// The first schema.
import { type Compilable, type CreateTableBuilder, type Kysely, sql } from "kysely";
import type { Tables } from "./schema.ts";

type Schema = Kysely<Tables>["schema"];

/** `name:type` words; `!` = not null, `#` = primary key. */
function table(schema: Schema, name: string, columns: string): CreateTableBuilder<string, string> {
  let builder = schema.createTable(name) as CreateTableBuilder<string, string>;
  for (const column of columns.trim().split(/\s+/)) {
    const [label = "", kind = ""] = column.split(":");
    const type = kind.startsWith("int") ? "integer" : "text";
    builder = builder.addColumn(label, type, (c) => {
      const required = kind.endsWith("!") || kind.endsWith("#") ? c.notNull() : c;
      return kind.endsWith("#") ? required.primaryKey() : required;
    });
  }
  return builder;
}

const serial = "id:int#";

export function first(schema: Schema): Compilable[] {
  return [...access(schema), ...work(schema), ...questions(schema), ...delivery(schema)];
}

function access(schema: Schema): Compilable[] {
  return [
    table(schema, "meta", "key:text# value:text!"),
    table(
      schema,
      "pairings",
      "id:text# name:text! role:text! kind:text! tokenHash:text createdAt:int!",
    )
      .addUniqueConstraint("pairingName", ["name"])
      .addUniqueConstraint("pairingToken", ["tokenHash"]),
    table(
      schema,
      "accounts",
      "listener:text! account:text! pairing:text! name:text! linkedAt:int!",
    ).addPrimaryKeyConstraint("accountKey", ["listener", "account"]),
    table(
      schema,
      "codes",
      "hmac:text# name:text! role:text! createdAt:int! expiresAt:int! usedAt:int usedBy:text",
    ),
    table(schema, "attempts", "key:text# failures:int! blockedUntil:int! at:int!"),
    table(schema, "buckets", "key:text# tokens:int! at:int!"),
    table(schema, "hints", "key:text# at:int!"),
    table(
      schema,
      "chats",
      "listener:text! chat:text! title:text! enabled:int! changedAt:int!",
    ).addPrimaryKeyConstraint("chatKey", ["listener", "chat"]),
    table(
      schema,
      "audit",
      `${serial} at:int! who:text! name:text! place:text! action:text! target:text! outcome:text! why:text!`,
    ),
    schema.createIndex("auditAt").on("audit").column("at"),
    schema.createIndex("accountPairing").on("accounts").column("pairing"),
  ];
}

function work(schema: Schema): Compilable[] {
  return [
    table(
      schema,
      "conversations",
      "id:text# key:text! listener:text! chat:text! thread:text kind:text! caller:text! session:text note:text createdAt:int! lastAt:int!",
    ).addUniqueConstraint("conversationKey", ["key"]),
    table(
      schema,
      "inbox",
      `${serial} listener:text! key:text! kind:text! state:text! outcome:text caller:text role:text conversation:text turn:text album:text bodyJson:text at:int! receivedAt:int!`,
    ).addUniqueConstraint("inboxKey", ["listener", "key"]),
    schema
      .createIndex("inboxOpen")
      .on("inbox")
      .columns(["conversation", "id"])
      .where(sql.ref("state"), "!=", sql.lit("done")),
    schema.createIndex("inboxReceived").on("inbox").column("receivedAt"),
    schema.createIndex("inboxTurn").on("inbox").column("turn"),
    table(
      schema,
      "tasks",
      "id:text# conversation:text! caller:text! callerName:text! title:text! state:text! reason:text createdAt:int! updatedAt:int!",
    ),
    schema.createIndex("taskCaller").on("tasks").columns(["caller", "createdAt"]),
    schema.createIndex("taskAt").on("tasks").column("createdAt"),
    schema.createIndex("taskConversation").on("tasks").columns(["conversation", "createdAt"]),
    table(
      schema,
      "turns",
      "id:text# task:text! conversation:text! caller:text! role:text! state:text! asks:int! effects:int! epoch:int! run:int! end:text startedAt:int! endedAt:int",
    ),
    schema
      .createIndex("turnOpen")
      .on("turns")
      .columns(["conversation"])
      .where(sql.ref("state"), "!=", sql.lit("ended")),
    schema.createIndex("turnTask").on("turns").column("task"),
  ];
}

function questions(schema: Schema): Compilable[] {
  return [
    table(
      schema,
      "questions",
      "id:text# turn:text! task:text! conversation:text! caller:text! kind:text! state:text! outcome:text epoch:int! title:text! body:text! optionsJson:text! createdAt:int! expiresAt:int! decidedAt:int decidedBy:text decidedName:text answer:text reason:text",
    ),
    schema
      .createIndex("questionOpen")
      .on("questions")
      .column("turn")
      .where(sql.ref("state"), "=", sql.lit("pending")),
    schema.createIndex("questionTask").on("questions").column("task"),
    table(
      schema,
      "cards",
      "id:text# question:text! person:text! number:int! listener:text chat:text thread:text outbox:int",
    ),
    schema.createIndex("cardQuestion").on("cards").column("question"),
    schema.createIndex("cardPerson").on("cards").columns(["person", "number"]),
    table(
      schema,
      "buttons",
      "token:text# card:text inbox:int option:text! listener:text! chat:text! createdAt:int!",
    ),
    table(
      schema,
      "grants",
      "task:text! kind:text! target:text! byCaller:text! at:int!",
    ).addPrimaryKeyConstraint("grantKey", ["task", "kind", "target"]),
  ];
}

function delivery(schema: Schema): Compilable[] {
  return [
    table(
      schema,
      "outbox",
      `${serial} kind:text! state:text! turn:text question:text seq:int! listener:text! chat:text! thread:text body:text plain:text! buttonsJson:text fileJson:text replyToJson:text refJson:text attempts:int! error:text createdAt:int! sentAt:int`,
    ),
    schema
      .createIndex("outboxOpen")
      .on("outbox")
      .columns(["listener", "id"])
      .where(sql.ref("state"), "in", [sql.lit("pending"), sql.lit("sending")]),
    schema.createIndex("outboxTurn").on("outbox").columns(["turn", "seq"]),
    schema.createIndex("outboxCreated").on("outbox").column("createdAt"),
  ];
}
