// A store operation is a generator that yields queries; the driver decides how they run (ADR 2).
import { type Compilable, type CompiledQuery, type Kysely, sql } from "kysely";
import type { Tables } from "./schema.ts";

type Values = Readonly<Record<string, unknown>>;

/** One statement, built and typed by Kysely, compiled once per driver, with its values of this call. */
export interface Query {
  readonly statement: Statement;
  readonly values: Values;
}

interface Statement {
  readonly build: (db: Kysely<Tables>, values: never) => Compilable;
}

export type Op<T> = Generator<Query, T, readonly unknown[]>;

class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** `const byName = query((db, p: { name: string }) => db.selectFrom(...).where("name", "=", p.name))`, then `yield* byName({ name })`. */
export function query<P extends Values, R>(
  build: (db: Kysely<Tables>, values: P) => Compilable<R>,
): (values: P) => Op<R[]> {
  const statement: Statement = { build };
  return function* (values) {
    return (yield { statement, values }) as R[];
  };
}

export interface Prepared {
  readonly sql: string;
  bind(values: Values): unknown[];
}

/** Compiles with placeholders for every value, so that the SQL text never changes. */
export function prepare(db: Kysely<Tables>, statement: Statement): Prepared {
  const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) });
  const compiled: CompiledQuery = statement.build(db, placeholders as never).compile();
  const parameters = compiled.parameters;
  return {
    sql: compiled.sql,
    bind: (values) =>
      parameters.map((parameter) =>
        parameter instanceof Placeholder ? values[parameter.name] : parameter,
      ),
  };
}

/** A constant as part of the SQL text: an index over some rows only is used when the statement itself says which. */
export function lit(text: string) {
  return sql.lit(text);
}
