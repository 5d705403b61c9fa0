// settings.yaml in the state directory: read and checked whole, changed key by key without losing comments.
import { readSmall, writeWhole } from "./files.ts";
import { findKey, type Read, unknownKey, valueFrom, wrongValue } from "./keys.ts";
import type { StatePaths } from "./paths.ts";
import { type Settings, settingsSchema } from "./settings.ts";

export type Loaded =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problem: string };

type Where = Pick<StatePaths, "settings">;

export async function loadSettings({ settings: path }: Where): Promise<Loaded> {
  const text = readSmall(path);
  if (text === undefined) return { ok: true, settings: settingsSchema.parse({}) };
  const raw = await parseYaml(text, path);
  return raw.ok ? check(raw.value ?? {}, path) : raw;
}

/** YAML is loaded only when there is some. */
async function parseYaml(text: string, path: string): Promise<Read> {
  const { parse } = await import("yaml");
  try {
    return { ok: true, value: parse(text, { maxAliasCount: 0 }) };
  } catch (error) {
    const problem = `${path} is not readable: ${(error as Error).message.split("\n")[0]} Correct it with an editor.`;
    return { ok: false, problem };
  }
}

function check(raw: unknown, path: string): Loaded {
  const parsed = settingsSchema.safeParse(raw);
  if (parsed.success) return { ok: true, settings: parsed.data };
  const [issue] = parsed.error.issues;
  const at = issue?.path.map(String) ?? [];
  if (issue?.code === "unrecognized_keys") {
    const key = [...at, issue.keys[0] ?? ""].join(".");
    return {
      ok: false,
      problem: `${path}: ${unknownKey(key)}. Remove it with: sallyport config unset ${key}`,
    };
  }
  const key = keyAbove(at);
  const value = at.reduce<unknown>(
    (node, name) => (node as Record<string, unknown> | undefined)?.[name],
    raw,
  );
  const shown = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const allowed = findKey(key)?.allowed ?? issue?.message ?? "";
  return { ok: false, problem: `${path}: ${wrongValue(key, shown, allowed)}` };
}

/** The key that can be set: without the index of a list. */
function keyAbove(path: readonly string[]): string {
  const last = path.at(-1) ?? "";
  return (/^\d+$/.test(last) ? path.slice(0, -1) : path).join(".");
}

export type Changed = { readonly ok: true } | { readonly ok: false; readonly problem: string };

export function setSetting(where: Where, key: string, words: readonly string[]): Promise<Changed> {
  const read = valueFrom(key, words);
  return read.ok ? change(where, key, read.value) : Promise.resolve(read);
}

export function unsetSetting(where: Where, key: string): Promise<Changed> {
  return change(where, key, undefined);
}

/** A whole channel; undefined removes it. */
export function setChannel(
  where: Where,
  id: string,
  channel: Readonly<Record<string, unknown>> | undefined,
): Promise<Changed> {
  return change(where, `channels.${id}`, channel);
}

async function change({ settings: path }: Where, key: string, value: unknown): Promise<Changed> {
  const { parseDocument, isMap } = await import("yaml");
  const document = parseDocument(readSmall(path) ?? "");
  const [error] = document.errors;
  if (error)
    return { ok: false, problem: `${path} is not readable: ${error.message.split("\n")[0]}` };
  const at = key.split(".");
  // Above a key there may be nothing, as an editor leaves it.
  for (let depth = 1; depth < at.length; depth += 1)
    if (document.getIn(at.slice(0, depth)) === null) document.deleteIn(at.slice(0, depth));
  if (value !== undefined) document.setIn(at, value);
  else if (document.hasIn(at)) document.deleteIn(at);
  for (let depth = at.length - 1; depth > 0; depth -= 1) {
    const node = document.getIn(at.slice(0, depth));
    if (isMap(node) && node.items.length === 0) document.deleteIn(at.slice(0, depth));
  }
  const checked = check(document.toJS() ?? {}, path);
  // Unsetting is how a wrong file is mended, so it need not be right afterwards.
  if (!checked.ok && value !== undefined) return checked;
  writeWhole(path, document.contents === null ? "" : document.toString());
  return { ok: true };
}

/** As it stands, to be put back if it cannot act. */
export function settingsText({ settings: path }: Where): string | undefined {
  return readSmall(path);
}

export function restoreSettings({ settings: path }: Where, text: string | undefined): void {
  writeWhole(path, text ?? "");
}
