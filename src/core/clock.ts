// Time and chance as ports, so that tests can hold them still.

export interface Clock {
  /** Ms since 1970. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
