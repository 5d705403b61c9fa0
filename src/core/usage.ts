// What was used of a model, as sums.

export interface Usage {
  readonly requests: number;
  /** To the model. */
  readonly bytesIn: number;
  /** From it. */
  readonly bytesOut: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Requests that came back without a count. */
  readonly uncounted: number;
  /** What those are taken for. */
  readonly guessedTokens: number;
}

export const noUsage: Usage = {
  requests: 0,
  bytesIn: 0,
  bytesOut: 0,
  inputTokens: 0,
  outputTokens: 0,
  uncounted: 0,
  guessedTokens: 0,
};

export const usageNames = Object.keys(noUsage) as (keyof Usage)[];

export function plus(one: Usage, other: Usage): Usage {
  const sums = usageNames.map((name) => [name, one[name] + other[name]]);
  return Object.fromEntries(sums) as unknown as Usage;
}

export function tokensOf({ inputTokens, outputTokens, guessedTokens }: Usage): number {
  return inputTokens + outputTokens + guessedTokens;
}

/** "12,345 tokens in 3 requests to the model" */
export function usageText(usage: Usage): string {
  const { requests, uncounted } = usage;
  const times = `${thousands(requests)} request${requests === 1 ? "" : "s"} to the model`;
  const guessed = uncounted > 0 ? `, ${thousands(uncounted)} of them guessed by size` : "";
  return `${thousands(tokensOf(usage))} tokens in ${times}${guessed}`;
}

export function thousands(count: number): string {
  return count.toLocaleString("en-US");
}

export const dayMs = 86_400_000;

/** When the day of this moment began, UTC. */
export function dayOf(at: number): number {
  return at - (at % dayMs);
}
