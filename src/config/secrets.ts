// Secrets of this state, one file each (0600). Their values are read by the gateway and never shown.
import { createHmac, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readSmall, writeWhole } from "./files.ts";
import type { StatePaths } from "./paths.ts";
import { channelSecrets, type secretKeys } from "./settings.ts";

type Where = Pick<StatePaths, "secrets">;

const form = /^[A-Za-z0-9][\w-]{0,63}(?:\.[A-Za-z0-9][\w-]{0,31}){0,2}$/;

/** Undefined when the name can be used. */
export function secretNameProblem(name: string): string | undefined {
  return form.test(name)
    ? undefined
    : `A secret cannot be named ${JSON.stringify(name)}: use letters, digits, _, - and at most two dots, e.g. telegram.token or OPENAI_API_KEY`;
}

export function readSecret({ secrets }: Where, name: string): string | undefined {
  return form.test(name) ? readSmall(join(secrets, name))?.trim() : undefined;
}

export function writeSecret({ secrets }: Where, name: string, value: string): void {
  mkdirSync(secrets, { recursive: true, mode: 0o700 });
  writeWhole(join(secrets, name), `${value.trim()}\n`);
}

/** False when there was none. */
export function removeSecret(where: Where, name: string): boolean {
  if (readSecret(where, name) === undefined) return false;
  rmSync(join(where.secrets, name), { force: true });
  return true;
}

export function secretNames({ secrets }: Where): string[] {
  try {
    return readdirSync(secrets)
      .filter((name) => form.test(name))
      .sort();
  } catch {
    return [];
  }
}

/** For redaction. */
export function secretValues(where: Where): string[] {
  return secretNames(where).flatMap((name) => readSecret(where, name) ?? []);
}

/** Where a channel's token is kept, or another secret of its config. */
export function channelSecret(id: string, key = "token"): string {
  return `${id}.${key}`;
}

type ChannelSecrets = Partial<Record<(typeof secretKeys)[number], string>>;

/** All secrets of a channel by the key of its config, or which one is missing. */
export function secretsOf(
  where: Where,
  { id, kind }: { readonly id: string; readonly kind: keyof typeof channelSecrets },
): ChannelSecrets | string {
  const found: ChannelSecrets = {};
  const { needs, may } = channelSecrets[kind];
  for (const key of [...needs.flat(), ...may]) {
    const value = readSecret(where, channelSecret(id, key));
    if (value !== undefined) found[key] = value;
  }
  for (const group of needs)
    if (!group.some((key) => found[key]))
      return `${id} has no ${group.join(" or ")}. Give it one with: ${group.map((key) => `sallyport secret set ${channelSecret(id, key)}`).join(", or: ")}`;
  return found;
}

/** Tells what Docker holds of this state from all else there, also where gateways in containers have the same paths. */
export function stateMark(paths: Pick<StatePaths, "dir" | "codeKey">): string {
  return createHmac("sha256", codeKey(paths)).update(paths.dir).digest("hex").slice(0, 10);
}

/** The key that pairing codes are kept under; made once. */
export function codeKey({ codeKey: path }: Pick<StatePaths, "codeKey">): Uint8Array {
  const known = readSmall(path);
  if (known) return Buffer.from(known.trim(), "hex");
  const made = randomBytes(32);
  writeWhole(path, `${made.toString("hex")}\n`);
  return made;
}
