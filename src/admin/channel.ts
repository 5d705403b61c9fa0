// Channels: add, list, remove, test.
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { channelSecret, readSecret, removeSecret, writeSecret } from "../config/secrets.ts";
import { channelId, channelKinds, type Settings } from "../config/settings.ts";
import { loadSettings, setChannel } from "../config/settings-file.ts";
import type { ListenerHealth } from "../core/channel.ts";
import { type AdminContext, done, failed, type Outcome, operation, writeNote } from "./context.ts";
import type { OpenListener } from "./running.ts";

const notThere = (id: string) =>
  failed(`There is no channel ${JSON.stringify(id)}. List them with: sallyport channel list`);

const addInput = z.strictObject({
  id: channelId,
  kind: z.enum(channelKinds),
  token: z.string().trim().min(1).max(10_000),
  apiRoot: z.url().optional(),
  pace: z.enum(["on", "off"]).optional(),
});

export interface ChannelRow {
  readonly id: string;
  readonly kind: string;
  /** `not running` without a gateway. */
  readonly state: ListenerHealth["state"] | "not running";
  readonly lastEvent: number | null;
  readonly lastError: string | null;
  readonly token: "set" | "missing";
}

export const add = operation(addInput, async (context, { id, token, ...channel }) => {
  const { paths } = context.place;
  const before = await channelsOf(context);
  if (!before.ok) return before;
  if (before.value[id])
    return failed(
      `There is a channel ${id} already. Give it a new token with: sallyport secret set ${channelSecret(id)}; or add another with --id ID; or remove it with: sallyport channel rm ${id}`,
    );
  // Two that poll with one token push each other off the line.
  const twin = Object.keys(before.value).find(
    (other) => readSecret(paths, channelSecret(other)) === token,
  );
  if (twin) return failed(`${twin} has this token already. Make another bot for ${id}.`);
  writeSecret(paths, channelSecret(id), token);
  const changed = await setChannel(paths, id, withoutAbsent(channel));
  if (!changed.ok) return changed;
  await writeNote(context, { action: "channel.add", target: id, why: channel.kind });
  const opened = await context.running?.openChannel(id);
  if (opened && !opened.done) {
    // As if it had not been asked for: a wrong token is typed again, not mended.
    await setChannel(paths, id, undefined);
    removeSecret(paths, channelSecret(id));
    await context.running?.closeChannel(id);
    return failed(`${id} could not be opened: ${opened.problem}`);
  }
  return done({ id, kind: channel.kind, open: opened !== undefined });
});

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
  const rows = Object.entries(channels.value).map(([id, { kind }]) =>
    toRow(context, { id, kind }, open.get(id)),
  );
  const builtIn = [...open.values()].filter(({ id }) => !channels.value[id]);
  return done([...rows, ...builtIn.map((one) => toRow(context, one, one))]);
});

function toRow(
  { place, running }: AdminContext,
  { id, kind }: { readonly id: string; readonly kind: string },
  open: OpenListener | undefined,
): ChannelRow {
  const needsToken = kind !== "terminal";
  return {
    id,
    kind,
    state: open?.health.state ?? (running ? "stopped" : "not running"),
    lastEvent: open?.health.lastEvent ?? null,
    lastError: open?.health.lastError ?? null,
    token: !needsToken || readSecret(place.paths, channelSecret(id)) ? "set" : "missing",
  };
}

export const remove = operation(z.strictObject({ id: z.string() }), async (context, { id }) => {
  const channels = await channelsOf(context);
  if (!channels.ok) return channels;
  if (!channels.value[id]) return notThere(id);
  const changed = await setChannel(context.place.paths, id, undefined);
  if (!changed.ok) return changed;
  removeSecret(context.place.paths, channelSecret(id));
  await context.running?.closeChannel(id);
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
  const why = lastError ?? "it has not heard from its platform yet";
  return failed(`${id} is ${state}: ${why.replace(/\.$/, "")}. See also: sallyport doctor`);
});
