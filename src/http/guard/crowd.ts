// How many requests are open: strangers get a share of them each, and never all.

export type Crowded = "address" | "server";

export interface Place {
  /** Why there was no room for a stranger when it came. */
  readonly crowded: Crowded | undefined;
  /** There was no room for anybody. */
  readonly full: boolean;
  /** It is from somebody we know: it takes no stranger's place any more. */
  known(): void;
  leave(): void;
}

export interface Crowd {
  enter(address: string): Place;
  /** From now on there is no room. */
  close(): void;
  /** Resolves when nothing is open. */
  empty(): Promise<void>;
}

export function createCrowd(most: { open: number; openPerStranger: number }): Crowd {
  const strangers = new Map<string, number>();
  const waiting = new Set<() => void>();
  const forStrangers = most.open - Math.ceil(most.open / 4);
  let [open, unknown, closed] = [0, 0, false];
  const forget = (address: string) => {
    unknown -= 1;
    const left = (strangers.get(address) ?? 1) - 1;
    if (left === 0) strangers.delete(address);
    else strangers.set(address, left);
  };
  return {
    enter(address) {
      const full = closed || open >= most.open;
      const ofIt = strangers.get(address) ?? 0;
      const crowded =
        full || unknown >= forStrangers
          ? "server"
          : ofIt >= most.openPerStranger
            ? "address"
            : undefined;
      open += 1;
      unknown += 1;
      strangers.set(address, ofIt + 1);
      let [isStranger, isHere] = [true, true];
      const known = () => {
        if (isStranger && isHere) forget(address);
        isStranger = false;
      };
      return {
        crowded,
        full,
        known,
        leave() {
          if (!isHere) return;
          known();
          isHere = false;
          open -= 1;
          if (open === 0) for (const done of waiting) done();
        },
      };
    },
    close() {
      closed = true;
    },
    empty: () =>
      open === 0 ? Promise.resolve() : new Promise((resolve) => waiting.add(() => resolve())),
  };
}
