// Settings, secrets, and what a project asks for.
import { z } from "zod";
import {
  countsFromNextStart,
  findKey,
  type ListChange,
  settingKeys,
  unknownKey,
  withoutWords,
  withWords,
} from "../config/keys.ts";
import { confirmProject, readProject } from "../config/project.ts";
import { removeSecret, secretNameProblem, secretNames, writeSecret } from "../config/secrets.ts";
import {
  loadSettings,
  restoreSettings,
  setSetting,
  settingsText,
  unsetSetting,
} from "../config/settings-file.ts";
import { problemWithModelUrl } from "../sandbox/egress/model-url.ts";
import { channelOfSecret } from "./channel-secrets.ts";
import { inWords, named } from "./channel-words.ts";
import { type AdminContext, done, failed, type Outcome, operation, writeNote } from "./context.ts";
import { mailWarnings } from "./mail-warnings.ts";
import { mailSettingProblem } from "./mailboxes.ts";

export interface SettingRow {
  readonly key: string;
  readonly value: unknown;
  readonly default: unknown;
  readonly description: string;
  readonly allowed: string;
}

async function rows({ place }: AdminContext): Promise<Outcome<SettingRow[]>> {
  const loaded = await loadSettings(place.paths);
  if (!loaded.ok) return loaded;
  const { settings } = loaded;
  const keys = settingKeys().flatMap((one) => {
    const { schema: _, ...row } = one;
    if (!one.key.includes("<id>")) return [{ ...row, value: at(settings, one.key) }];
    return Object.keys(settings.channels).map((id) => {
      const key = one.key.replace("<id>", id);
      return { ...row, key, value: at(settings, key) };
    });
  });
  return done(
    keys.map((row) => ({ ...row, value: row.value ?? null, default: row.default ?? null })),
  );
}

function at(settings: unknown, key: string): unknown {
  return key
    .split(".")
    .reduce<unknown>(
      (node, name) => (node as Record<string, unknown> | undefined)?.[name],
      settings,
    );
}

export const list = operation(z.strictObject({}), rows);

export const get = operation(z.strictObject({ key: z.string() }), async (context, { key }) => {
  if (!findKey(key)) return failed(unknownKey(key));
  const loaded = await loadSettings(context.place.paths);
  return loaded.ok ? done({ key, value: at(loaded.settings, key) ?? null }) : loaded;
});

export const set = operation(
  z.strictObject({ key: z.string(), values: z.array(z.string()).max(200) }),
  async (context, { key, values }) => {
    const before = settingsText(context.place.paths);
    const problem = await problemOf(context, key, values);
    if (problem !== undefined) return failed(problem);
    const changed = await setSetting(context.place.paths, key, values);
    return changed.ok
      ? // A command line or a variable may hold a key.
        apply(context, {
          key,
          before,
          action: "config.set",
          why: key === "command" || key === "docker.env" ? "" : values.join(" "),
        })
      : changed;
  },
);

/** What no schema of ours can tell. */
async function problemOf({ place }: AdminContext, key: string, values: readonly string[]) {
  if (key === "model.url") return problemWithModelUrl(values[0] ?? "");
  const loaded = key.startsWith("channels.") ? await loadSettings(place.paths) : undefined;
  return loaded?.ok ? mailSettingProblem(loaded.settings.channels, key, values) : undefined;
}

type Listing = (key: string, list: unknown, words: readonly string[]) => ListChange;

/** Of a setting that is a list: what the words do not name stays. */
function listOperation(action: string, change: Listing) {
  return operation(
    z.strictObject({ key: z.string(), values: z.array(z.string().trim().min(1)).min(1).max(200) }),
    async (context, { key, values }) => {
      const { paths } = context.place;
      const loaded = await loadSettings(paths);
      if (!loaded.ok) return loaded;
      const list = change(key, at(loaded.settings, key), values);
      if (!list.ok) return list;
      const before = settingsText(paths);
      const changed = await setSetting(paths, key, list.words);
      // A variable of the agent may be a secret, though it should not.
      const why = key === "docker.env" ? "" : values.join(" ");
      return changed.ok ? apply(context, { key, before, action, why }) : changed;
    },
  );
}

export const add = listOperation("config.add", withWords);
export const drop = listOperation("config.drop", withoutWords);

export const unset = operation(z.strictObject({ key: z.string() }), async (context, { key }) => {
  if (!findKey(key)) return failed(unknownKey(key));
  const before = settingsText(context.place.paths);
  const changed = await unsetSetting(context.place.paths, key);
  return changed.ok ? apply(context, { key, before, action: "config.unset", why: "" }) : changed;
});

export interface Changed {
  readonly key: string;
  readonly value: unknown;
  /** The gateway that runs goes on as it was started. */
  readonly nextStart: boolean;
  /** As it was asked for, but somebody should know. */
  readonly warnings?: readonly string[];
}

interface Applied {
  readonly key: string;
  readonly before: string | undefined;
  readonly action: string;
  readonly why: string;
}

/** Settings act at once; what a running gateway refuses is taken back. */
async function apply(
  context: AdminContext,
  { key, before, action, why }: Applied,
): Promise<Outcome<Changed>> {
  const { running, place } = context;
  const [first, id] = key.split(".");
  const reloaded = await running?.reload();
  const refused = reloaded && !reloaded.done ? reloaded : undefined;
  const opened =
    !refused && first === "channels" && id ? await running?.openChannel(id) : undefined;
  const problem = refused ?? (opened && !opened.done ? opened : undefined);
  if (problem) {
    restoreSettings(place.paths, before);
    await running?.reload();
    return failed(inWords(problem.problem));
  }
  await writeNote(context, { action, target: key, why });
  const loaded = await loadSettings(place.paths);
  const nextStart = running !== undefined && countsFromNextStart(key);
  if (!loaded.ok) return loaded;
  const warnings = key.startsWith("access.") ? mailWarnings(loaded.settings) : [];
  const value = at(loaded.settings, key) ?? null;
  return done({ key, value, nextStart, ...(warnings.length > 0 ? { warnings } : {}) });
}

export const secretSet = operation(
  z.strictObject({ name: z.string(), value: z.string().trim().min(1).max(10_000) }),
  async (context, { name, value }) => {
    const problem = secretNameProblem(name);
    if (problem) return failed(problem);
    writeSecret(context.place.paths, name, value);
    await writeNote(context, { action: "secret.set", target: name });
    const loaded = await loadSettings(context.place.paths);
    const id = loaded.ok ? channelOfSecret(loaded.settings.channels, name) : undefined;
    const opened = id === undefined ? undefined : await context.running?.openChannel(id);
    if (opened && !opened.done)
      return failed(
        `It is set, but ${id} could not be opened: ${named(id ?? "", inWords(opened.problem))}`,
      );
    return done({ name, set: true });
  },
);

export const secretList = operation(z.strictObject({}), async ({ place }) =>
  done(secretNames(place.paths).map((name) => ({ name }))),
);

export const secretRemove = operation(
  z.strictObject({ name: z.string() }),
  async (context, { name }) => {
    if (!removeSecret(context.place.paths, name))
      return failed(
        `There is no secret ${JSON.stringify(name)}. List them with: sallyport secret list`,
      );
    await writeNote(context, { action: "secret.rm", target: name });
    return done({ name, removed: true });
  },
);

export const project = operation(z.strictObject({}), async ({ place }) =>
  done(await readProject(place)),
);

/** `lines`: exactly what the operator was shown. */
export const confirm = operation(
  z.strictObject({ lines: z.array(z.string()).max(5000) }),
  async (context, { lines }) => {
    const file = await readProject(context.place);
    const same = file.unconfirmed.map((line) => line.text).join("\n") === lines.join("\n");
    if (!same || !confirmProject(context.place, file))
      return failed(
        "The file has changed since it was shown. Look at it again with: sallyport config confirm",
      );
    await writeNote(context, { action: "config.confirm", target: file.path });
    return done({ confirmed: true });
  },
);
