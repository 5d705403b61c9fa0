// What we made in people's folders to put masks on: counted while it is used, noted on disk, removed after the last use.
import { readFile, writeFile } from "node:fs/promises";
import { make, type Place, unmake } from "./places.ts";
import type { User } from "./user.ts";

function placesIn(text: string): readonly Place[] {
  try {
    const places: unknown = JSON.parse(text);
    return Array.isArray(places) ? places : [];
  } catch {
    return []; // half-written when its gateway was killed
  }
}

export function createMade(journal: string) {
  const made = new Map<string, { readonly place: Place; users: number }>();

  const note = async () => {
    const places = [...made.values()].map(({ place }) => place);
    await writeFile(journal, JSON.stringify(places), { mode: 0o600 });
  };

  return {
    /** Makes what is missing; one more stands on it, if it is ours. */
    async use(place: Place, missing: boolean, user: User): Promise<void> {
      const known = made.get(place.path);
      if (missing) {
        made.set(place.path, { place, users: known?.users ?? 0 });
        await note(); // first, or a gateway killed now would leave it
        await make(place, user);
      }
      const entry = made.get(place.path);
      if (entry !== undefined) entry.users += 1;
    },
    async leave(places: readonly Place[]): Promise<void> {
      for (const { path } of [...places].reverse()) {
        const entry = made.get(path);
        if (entry === undefined) continue;
        entry.users -= 1;
        if (entry.users > 0) continue;
        await unmake(entry.place);
        made.delete(path);
      }
      await note();
    },
    /** Removes what an earlier gateway made; none of its containers may run any more. */
    async sweep(): Promise<void> {
      const text = await readFile(journal, "utf8").catch(() => "[]");
      const left = placesIn(text).filter(({ path }) => !made.has(path));
      for (const place of [...left].reverse()) await unmake(place);
      if (left.length > 0) await note();
    },
  };
}
