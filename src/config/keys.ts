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
    return `a ${isWhole(schema) ? "whole " : ""}number from ${schema.minValue} to ${schema.maxValue}`;
  if (schema instanceof z.ZodArray)
    return schema.element instanceof z.ZodEnum
      ? `any of ${schema.element.options.join(", ")}`
      : "a list of texts";
  return schema instanceof z.ZodURL ? "a URL" : "a text";
}

function isWhole(schema: z.ZodNumber): boolean {
  return schema.format === "safeint";
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
  const { at = words.join(" "), form = found.allowed } = wrongItem(parsed.error, words);
  const problem = notAllowed(key, at, form);
  // To set it would replace what is in it.
  const how =
    inner instanceof z.ZodArray
      ? "Add one with: sallyport config add"
      : "Set it with: sallyport config set";
  return { ok: false, problem: `${problem} ${how} ${key} VALUE` };
}

/** Which item of a list is not of its form, when the schema says the form in words. */
function wrongItem(error: z.ZodError | undefined, words: readonly string[]) {
  const [issue] = error?.issues ?? [];
  const [index] = issue?.path ?? [];
  const isInWords = issue?.code === "custom" || issue?.code === "invalid_format";
  if (!isInWords || issue.message.startsWith("Invalid")) return {};
  return typeof index === "number" ? { at: words[index] ?? "", form: issue.message } : {};
}

export type ListChange =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly problem: string };

const withoutCase: ReadonlySet<string> = new Set([
  "egress.allow",
  "http.hosts",
  "access.allowEmail",
]);

/** What an item of a list is known by: a folder by its path, a variable by its name. */
function nameOf(key: string, item: string): string {
  if (key === "docker.mounts") return item.replace(/:r[ow]$/, "").replace(/(?<=.)\/+$/, "");
  if (key === "docker.env") return item.replace(/=.*$/s, "");
  return withoutCase.has(key) ? item.toLowerCase() : item;
}

/** A list with words added. One that is known by the same name, as a folder with another mode, is replaced. */
export function withWords(key: string, list: unknown, given: readonly string[]): ListChange {
  const words = itemsOf(key, given);
  if (words === undefined) return noList(key);
  const before = listed(list);
  const names = new Set(words.map((word) => nameOf(key, word)));
  const kept = before.filter((item) => !names.has(nameOf(key, item)) || words.includes(item));
  const added = [...new Set(words)].filter((word) => !kept.includes(word));
  if (added.length > 0) return { ok: true, words: [...kept, ...added] };
  const problem = `${words.join(", ")} ${words.length > 1 ? "are" : "is"} in ${key} already.`;
  return { ok: false, problem };
}

/** A list without the items that the words name; each has to be there. */
export function withoutWords(key: string, list: unknown, given: readonly string[]): ListChange {
  const words = itemsOf(key, given);
  if (words === undefined) return noList(key);
  const before = listed(list);
  const names = new Set(words.map((word) => nameOf(key, word)));
  const missing = [...names].filter((name) => !before.some((item) => nameOf(key, item) === name));
  if (missing.length === 0)
    return { ok: true, words: before.filter((item) => !names.has(nameOf(key, item))) };
  const problem = `${missing.join(", ")} ${missing.length > 1 ? "are" : "is"} not in ${key}. See: sallyport config get ${key}`;
  return { ok: false, problem };
}

function listed(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

/** Undefined: the key is no list. */
function itemsOf(key: string, words: readonly string[]): readonly string[] | undefined {
  const found = findKey(key);
  const { inner } = unwrap(found?.schema ?? z.unknown());
  return inner instanceof z.ZodArray ? listed(toType(inner, words)) : undefined;
}

function noList(key: string): ListChange {
  const found = findKey(key);
  if (!found) return { ok: false, problem: unknownKey(key) };
  const problem =
    found.schema instanceof z.ZodUnknown
      ? `${key} is known to the channel only, and is set as a whole. Several are written with commas: sallyport config set ${key} a.example.org, b.example.org`
      : `${key} is not a list. Set it with: sallyport config set ${key} VALUE`;
  return { ok: false, problem };
}

function toType(schema: z.ZodType, words: readonly string[]): unknown {
  const [word = ""] = words;
  if (schema instanceof z.ZodArray) {
    const items =
      schema.element instanceof z.ZodEnum ? words.flatMap((one) => one.split(",")) : words;
    return items.map((one) => one.trim()).filter((one) => one !== "" && one !== "[]");
  }
  // A channel's own: a list, or a text with blanks.
  if (schema instanceof z.ZodUnknown && words.length > 0) return words.join(" ");
  if (words.length !== 1) return undefined;
  if (schema instanceof z.ZodBoolean) return booleans[word.toLowerCase()];
  if (schema instanceof z.ZodNumber) {
    const form = isWhole(schema) ? /^-?\d+$/ : /^-?\d+(?:\.\d+)?$/;
    return form.test(word) ? Number(word) : undefined;
  }
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
  return `${notAllowed(key, value, allowed)} Set it with: sallyport config set ${key} VALUE`;
}

function notAllowed(key: string, value: string, allowed: string): string {
  return `${key} cannot be ${JSON.stringify(value)}: it is ${allowed}.`;
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

/** What a gateway is started with: the agent, and what it runs in. All else acts at once. */
export function countsFromNextStart(key: string): boolean {
  return ["agent", "command", "sandbox"].includes(key) || key.startsWith("docker.");
}
