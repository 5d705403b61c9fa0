// So many containers at once; whoever comes when all are taken waits in line.

export interface Slots {
  /** Resolves with what gives the slot back. `onPlace`: 1 is next. Rejects when `signal` aborts. */
  take(signal?: AbortSignal, onPlace?: (place: number) => void): Promise<() => void>;
}

interface Waiter {
  readonly go: () => void;
  readonly onPlace: ((place: number) => void) | undefined;
}

export function createSlots(most: number): Slots {
  let taken = 0;
  const line: Waiter[] = [];

  const tellPlaces = () => {
    for (const [at, { onPlace }] of line.entries()) onPlace?.(at + 1);
  };
  const once = (work: () => void) => {
    let done = false;
    return () => {
      if (!done) work();
      done = true;
    };
  };
  const giveBack = () => {
    const next = line.shift();
    // The slot goes from hand to hand, so that nobody slips in between.
    if (next === undefined) taken -= 1;
    else next.go();
    tellPlaces();
  };
  const stand = (signal?: AbortSignal, onPlace?: (place: number) => void) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        line.splice(line.indexOf(waiter), 1);
        tellPlaces();
        reject(signal?.reason);
      };
      const go = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const waiter: Waiter = { go, onPlace };
      line.push(waiter);
      signal?.addEventListener("abort", leave, { once: true });
      onPlace?.(line.length);
    });

  return {
    async take(signal, onPlace) {
      signal?.throwIfAborted();
      if (taken < most) taken += 1;
      else await stand(signal, onPlace);
      return once(giveBack);
    },
  };
}
