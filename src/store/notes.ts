// What is kept over restarts for listeners, and for people on them: short texts by name.
import type { ListenerId } from "../core/words.ts";
import { type Op, query } from "./query.ts";

const get = query((db, p: { listener: string; name: string }) =>
  db
    .selectFrom("notes")
    .select("value")
    .where("listener", "=", p.listener)
    .where("name", "=", p.name),
);
const put = query((db, p: { listener: string; name: string; value: string }) =>
  db
    .insertInto("notes")
    .values({ listener: p.listener, name: p.name, value: p.value })
    .onConflict((conflict) =>
      conflict
        .columns(["listener", "name"])
        .doUpdateSet((eb) => ({ value: eb.ref("excluded.value") })),
    ),
);
const drop = query((db, p: { listener: string; name: string }) =>
  db.deleteFrom("notes").where("listener", "=", p.listener).where("name", "=", p.name),
);
const within = query((db, p: { listener: string; from: string; to: string }) =>
  db
    .selectFrom("notes")
    .select(["name", "value"])
    .where("listener", "=", p.listener)
    .where("name", ">=", p.from)
    .where("name", "<", p.to)
    .orderBy("name"),
);
const all = query((db, p: { listener: string }) =>
  db.deleteFrom("notes").where("listener", "=", p.listener),
);

export function* readNote(listener: ListenerId, name: string): Op<string | undefined> {
  return (yield* get({ listener, name }))[0]?.value;
}

export function* writeNote(
  listener: ListenerId,
  name: string,
  value: string | undefined,
): Op<void> {
  if (value === undefined) yield* drop({ listener, name });
  else yield* put({ listener, name, value });
}

export interface Note {
  readonly name: string;
  readonly value: string;
}

/** All whose name begins so, by name. */
export function* notesFrom(listener: ListenerId, prefix: string): Op<Note[]> {
  return yield* within({ listener, from: prefix, to: `${prefix}\uFFFF` });
}

/** The channel is removed. */
export function* dropNotes(listener: ListenerId): Op<void> {
  yield* all({ listener });
}
