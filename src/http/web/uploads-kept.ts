// What is known of each file that was sent up, beside the file itself, so that it survives a restart; and when it goes.
import { randomUUID } from "node:crypto";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const form = z.object({
  name: z.string(),
  mime: z.string(),
  size: z.number(),
  at: z.number(),
  /** When a message first named it. */
  usedAt: z.number().nullable(),
});

export type Kept = z.infer<typeof form>;

const hour = 3_600_000;
/** Long enough for a turn that is tried again a month later. */
const usedFor = 30 * 24 * hour;
/** Of one person: beyond these the ones used longest ago go. */
const used = { files: 300, bytes: 600_000_000 };

/** `folder`: of the file. Undefined: it is not there, or not whole. */
export async function keptOf(folder: string): Promise<Kept | undefined> {
  try {
    return form.parse(JSON.parse(await readFile(join(folder, "meta.json"), "utf8")));
  } catch {
    return undefined;
  }
}

/** Whole or not at all, also when the same is written twice at once. */
export async function writeKept(folder: string, kept: Kept): Promise<void> {
  const next = join(folder, `${randomUUID()}.new`);
  await writeFile(next, JSON.stringify(kept), { mode: 0o600, flush: true });
  await rename(next, join(folder, "meta.json"));
}

export async function sweepAll(folder: string, now: number): Promise<void> {
  for (const name of await namesIn(folder)) await tidy(join(folder, name), now);
}

/** Removes from the folder of one person what is over; says what is there that no message named yet. */
export async function tidy(
  place: string,
  now: number,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const unused = { files: 0, bytes: 0 };
  const usedOnes: { readonly folder: string; readonly kept: Kept; readonly usedAt: number }[] = [];
  for (const name of await namesIn(place)) {
    const folder = join(place, name);
    const kept = name.endsWith(".part") ? undefined : await keptOf(folder);
    if (!kept) await removeLeftover(folder, now);
    else if (kept.usedAt !== null) usedOnes.push({ folder, kept, usedAt: kept.usedAt });
    else if (kept.at < now - hour) await remove(folder);
    else {
      unused.files += 1;
      unused.bytes += kept.size;
    }
  }
  let left = { ...used };
  for (const { folder, kept, usedAt } of usedOnes.sort((a, b) => b.usedAt - a.usedAt)) {
    left = { files: left.files - 1, bytes: left.bytes - kept.size };
    if (left.files < 0 || left.bytes < 0 || usedAt < now - usedFor) await remove(folder);
  }
  return unused;
}

/** Of a gateway that was killed in between; what is younger may still be on its way in. */
async function removeLeftover(folder: string, now: number): Promise<void> {
  const { mtimeMs = now } = (await stat(folder).catch(() => undefined)) ?? {};
  if (mtimeMs < now - hour) await remove(folder);
}

async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}
