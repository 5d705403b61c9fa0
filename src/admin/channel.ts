// Channels: add, list, remove, test.
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import {
  channelSecret,
  readSecret,
  removeSecret,
  secretsOf,
  writeSecret,
} from "../config/secrets.ts";
import {
  channelId,
  channelKinds,
  channelSecrets,
  type Settings,
  secretKeys,
} from "../config/settings.ts";
import { loadSettings, setChannel } from "../config/settings-file.ts";
import type { ListenerHealth } from "../core/channel.ts";
import { dropNotes } from "../store/notes.ts";
import { secretsOfKind } from "./channel-secrets.ts";
import { inWords, named } from "./channel-words.ts";
import { type AdminContext, done, failed, type Outcome, operation, writeNote } from "./context.ts";
import { twinProblem } from "./mailboxes.ts";
import type { OpenListener } from "./running.ts";

const notThere = (id: string) =>
  failed(`There is no channel ${JSON.stringify(id)}. List them with: sallyport channel list`);

const secret = z.string().trim().min(1).max(10_000);

// What has a place of its own in the input, or in the secrets, or is a name of every object.
const notInConfig: readonly string[] = ["kind", "apiRoot", "pace", "constructor", ...secretKeys];

const configKey = z
  .string()
  .regex(/^[a-z][A-Za-z0-9]{0,39}$/, "a key of a channel is a word like folder or idleSeconds")
  .refine((key) => !notInConfig.includes(key), "this key is not set here");
const word = z.string().max(4096);

const own = z
  .record(configKey, z.union([word, z.number(), z.boolean(), z.array(word).max(100)]))
  .refine((config) => Object.keys(config).length <= 40, "at most 40 keys");

/** The kind's own keys. The channel checks them when it is opened. */
const ownConfig = z
  // A record passes over this one in silence.
  .custom<z.infer<typeof own>>(
    (given) => typeof given === "object" && given !== null && !Object.hasOwn(given, "__proto__"),
    "settings of a channel, by their keys",
  )
  .pipe(own);

const addInput = z.strictObject({
  id: channelId,
  kind: z.enum(channelKinds),
  secrets: z.partialRecord(z.enum(secretKeys), secret),
  apiRoot: z.url().optional(),
  pace: z.enum(["on", "off"]).optional(),
  config: ownConfig.optional(),
});

export interface ChannelRow {
  readonly id: string;
  readonly kind: string;
  /** `not running` without a gateway. */
  readonly state: ListenerHealth["state"] | "not running";
  readonly lastEvent: number | null;
  readonly lastError: string | null;
  /** What it signs in with. */
  readonly token: "set" | "missing";
}

export type ChannelGiven = z.infer<typeof addInput>;

export const add = operation(addInput, async (context, input) => {
  const { id, secrets, config, ...common } = input;
  const channel = { ...config, ...common };
  const { paths } = context.place;
  const before = await channelsOf(context);
  if (!before.ok) return before;
  const problem = problemOf(context, input, before.value);
  if (problem) return failed(problem);
  for (const [key, value] of Object.entries(secrets))
    writeSecret(paths, channelSecret(id, key), value);
  const changed = await setChannel(paths, id, withoutAbsent(channel));
  if (!changed.ok) {
    forgetSecrets(context, id);
    return changed;
  }
  await writeNote(context, { action: "channel.add", target: id, why: channel.kind });
  const opened = await context.running?.openChannel(id);
  if (opened && !opened.done) {
    // As if it had not been asked for: a wrong token is typed again, not mended.
    await setChannel(paths, id, undefined);
    await forget(context, id);
    return failed(`${id} could not be opened: ${named(id, inWords(opened.problem))}`);
  }
  const health = context.running?.listeners().find((one) => one.id === id)?.health;
  const trouble =
    health?.state === "connected" ? null : health?.lastError ? named(id, health.lastError) : null;
  return done({ id, kind: channel.kind, open: opened !== undefined, trouble });
});

function problemOf(
  { place: { paths } }: AdminContext,
  { id, kind, secrets, config }: ChannelGiven,
  before: Settings["channels"],
): string | undefined {
  if (Object.hasOwn(before, id))
    return `There is a channel ${id} already. Give it a new secret with: sallyport secret set ${channelSecret(id, secretsOfKind(before[id]?.kind ?? kind)[0])}; or add another with --id ID; or remove it with: sallyport channel rm ${id}`;
  // Two that listen with one token push each other off the line.
  const twin = Object.keys(before).find(
    (other) => secrets.token && readSecret(paths, channelSecret(other)) === secrets.token,
  );
  if (twin) return `${twin} has this token already. Make another bot for ${id}.`;
  const reader = kind === "email" ? twinProblem(before, config ?? {}) : undefined;
  if (reader) return reader;
  const { needs } = channelSecrets[kind];
  const known = secretsOfKind(kind);
  const odd = Object.keys(secrets).find((key) => !known.includes(key));
  if (odd) return `A channel of kind ${kind} has no ${odd}. It takes: ${known.join(", ")}`;
  const missing = needs.find((group) => !group.some((key) => secrets[key]));
  return missing && `A channel of kind ${kind} needs ${missing.join(" or ")}.`;
}

/** Closed, and nothing of it is kept. */
async function forget(context: AdminContext, id: string): Promise<void> {
  await context.running?.closeChannel(id);
  forgetSecrets(context, id);
  const store = await context.store();
  await store.run(() => dropNotes(id));
}

function forgetSecrets({ place: { paths } }: AdminContext, id: string): void {
  for (const key of secretKeys) removeSecret(paths, channelSecret(id, key));
}

function withoutAbsent(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

async function channelsOf({ place }: AdminContext): Promise<Outcome<Settings["channels"]>> {
  const loaded = await loadSettings(place.paths);
  return loaded.ok ? done(loaded.settings.channels) : loaded;
}

export const list = operation(z.strictObject({}), async (context) => {
  const channels = await channelsOf(context);
  if (!channels.ok) return channels;
  const open = new Map((context.running?.listeners() ?? []).map((one) => [one.id, one]));
  const rows = Object.entries(channels.value).map(([id, entry]) =>
    toRow(context, { ...entry, id }, open.get(id)),
  );
  const builtIn = [...open.values()].filter(({ id }) => !channels.value[id]);
  return done([...rows, ...builtIn.map((one) => toRow(context, one, one))]);
});

function toRow(
  { place, running }: AdminContext,
  entry: Entry,
  open: OpenListener | undefined,
): ChannelRow {
  const { id, kind } = entry;
  return {
    id,
    kind,
    state: open?.health.state ?? (running ? "stopped" : "not running"),
    lastEvent: open?.health.lastEvent ?? null,
    lastError: open?.health.lastError === undefined ? null : named(id, open.health.lastError),
    token: signsIn(place, entry) ? "set" : "missing",
  };
}

interface Entry {
  readonly id: string;
  readonly kind: string;
  readonly tokenCommand?: unknown;
}

function signsIn({ paths }: AdminContext["place"], { id, kind, tokenCommand }: Entry): boolean {
  const known = channelKinds.find((one) => one === kind);
  const secrets = known && secretsOf(paths, { id, kind: known });
  if (secrets === undefined || typeof secrets === "string") return secrets === undefined;
  return kind !== "email" || Boolean(secrets.password ?? tokenCommand);
}

export const remove = operation(z.strictObject({ id: z.string() }), async (context, { id }) => {
  const channels = await channelsOf(context);
  if (!channels.ok) return channels;
  if (!channels.value[id]) return notThere(id);
  const changed = await setChannel(context.place.paths, id, undefined);
  if (!changed.ok) return changed;
  await forget(context, id);
  await writeNote(context, { action: "channel.rm", target: id });
  return done({ id, removed: true });
});

const testPatience = 15_000;

export const test = operation(z.strictObject({ id: z.string() }), async (context, { id }) => {
  const { running } = context;
  if (!running)
    return failed("No gateway runs, so nothing is connected. Start it with: sallyport start");
  const find = () => running.listeners().find((one) => one.id === id);
  const until = context.clock.now() + testPatience;
  while (find()?.health.state === "starting" && context.clock.now() < until) await sleep(50);
  const found = find();
  if (!found) return notThere(id);
  const { state, lastError } = found.health;
  if (state === "connected") return done({ id, kind: found.kind, state });
  const why = (lastError && named(id, lastError)) ?? "it has not heard from its platform yet";
  return failed(`${id} is ${state}: ${why.replace(/\.$/, "")}. See also: sallyport doctor`);
});
