// For what anybody can repeat as fast as they like: said once in a while, and kept count of within bounds.

export interface SeldomOptions {
  /** Different things of one group in that time. */
  readonly most: number;
  readonly everyMs?: number;
}

/** True: this is to be said. Each thing once a minute, and of a group no more than `most`. */
export function createSeldom({ most, everyMs = 60_000 }: SeldomOptions) {
  const groups = new Map<string, Set<string>>();
  let since = performance.now();
  return (group: string, thing: string): boolean => {
    const now = performance.now();
    if (now - since >= everyMs) {
      groups.clear();
      since = now;
    }
    const said = groups.get(group) ?? new Set<string>();
    groups.set(group, said);
    if (said.has(thing) || said.size >= most) return false;
    said.add(thing);
    return true;
  };
}
