// Dotted keys of the settings, read from the schema: what there is, what is allowed, what a word means for a key.
import { z } from "zod";
import { settingsSchema } from "./settings.ts";

export interface SettingKey {
  /** `channels.<id>.pace` for what each channel has. */
  readonly key: string;
  readonly description: string;
  /** In words. */
  readonly allowed: string;
  readonly default: unknown;
  readonly schema: z.ZodType;
}

export function settingKeys(): SettingKey[] {
  return keysOf(settingsSchema, "");
}

function keysOf(schema: z.ZodType, prefix: string): SettingKey[] {
  const { inner, otherwise } = unwrap(schema);
  if (inner instanceof z.ZodObject)
    return Object.entries(inner.shape).flatMap(([name, child]) =>
      keysOf(child as z.ZodType, prefix ? `${prefix}.${name}` : name),
    );
  if (inner instanceof z.ZodRecord) return keysOf(inner.valueType as z.ZodType, `${prefix}.<id>`);
  const description = schema.description ?? inner.description ?? "";
  return [{ key: prefix, description, allowed: allowedBy(inner), default: otherwise, schema }];
}

function unwrap(schema: z.ZodType): { inner: z.ZodType; otherwise: unknown } {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return {
      inner: unwrap(schema.unwrap() as z.ZodType).inner,
      otherwise: schema.def.defaultValue,
    };
  if (schema instanceof z.ZodOptional) return unwrap(schema.unwrap() as z.ZodType);
  return { inner: schema, otherwise: undefined };
}

function allowedBy(schema: z.ZodType): string {
  if (schema instanceof z.ZodEnum) return schema.options.join(" or ");
  if (schema instanceof z.ZodBoolean) return "true or false";
  if (schema instanceof z.ZodNumber)
    return `a whole number from ${schema.minValue} to ${schema.maxValue}`;
  if (schema instanceof z.ZodArray)
    return schema.element instanceof z.ZodEnum
      ? `any of ${schema.element.options.join(", ")}`
      : "a list of texts";
  return schema instanceof z.ZodURL ? "a URL" : "a text";
}

/** The key as the schema knows it; undefined when there is none. A channel's own keys are anything plain. */
export function findKey(key: string): SettingKey | undefined {
  const [first, id, ...rest] = key.split(".");
  const general =
    first === "channels" && id && rest.length > 0 ? `channels.<id>.${rest.join(".")}` : key;
  const known = settingKeys().find((one) => one.key === general);
  if (known) return known;
  if (general === key || rest.length !== 1 || !/^[a-z][A-Za-z0-9]{0,40}$/.test(rest[0] ?? ""))
    return undefined;
  const description = "Known to the channel only";
  return { key: general, description, allowed: "a text", default: undefined, schema: z.unknown() };
}

export type Read =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** Words from a command line as this key's value. */
export function valueFrom(key: string, words: readonly string[]): Read {
  const found = findKey(key);
  if (!found) return { ok: false, problem: unknownKey(key) };
  const { inner } = unwrap(found.schema);
  const wanted = toType(inner, words);
  const parsed = found.schema.safeParse(wanted);
  if (parsed.success && wanted !== undefined) return { ok: true, value: wanted };
  return { ok: false, problem: wrongValue(key, words.join(" "), found.allowed) };
}

function toType(schema: z.ZodType, words: readonly string[]): unknown {
  const [word = ""] = words;
  if (schema instanceof z.ZodArray) {
    const items =
      schema.element instanceof z.ZodEnum ? words.flatMap((one) => one.split(",")) : words;
    return items.map((one) => one.trim()).filter((one) => one !== "" && one !== "[]");
  }
  if (words.length !== 1) return undefined;
  if (schema instanceof z.ZodBoolean) return booleans[word.toLowerCase()];
  if (schema instanceof z.ZodNumber) return /^-?\d+$/.test(word) ? Number(word) : undefined;
  return word;
}

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  on: true,
  yes: true,
  false: false,
  off: false,
  no: false,
};

export function wrongValue(key: string, value: string, allowed: string): string {
  return `${key} cannot be ${JSON.stringify(value)}: it is ${allowed}. Set it with: sallyport config set ${key} VALUE`;
}

export function unknownKey(key: string): string {
  const near = settingKeys()
    .map((one) => one.key)
    .find(
      (one) =>
        one.toLowerCase().endsWith(`.${key.toLowerCase()}`) ||
        one.toLowerCase() === key.toLowerCase(),
    );
  return `There is no setting ${JSON.stringify(key)}.${near ? ` Did you mean ${near}?` : ""} List them with: sallyport config list`;
}
