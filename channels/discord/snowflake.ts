// Discord's ids hold the time they were made at, so that they can be compared and made for a time.

const epoch = 1_420_070_400_000;

/** Ms since 1970. */
export function timeOf(id: string): number {
  return Number(BigInt(id) >> 22n) + epoch;
}

/** The least id of that time. */
export function idAt(time: number): string {
  return String(BigInt(Math.max(0, Math.floor(time) - epoch)) << 22n);
}

export function isNewer(id: string, than: string): boolean {
  return BigInt(id) > BigInt(than);
}

export function newest(one: string, other: string | undefined): string {
  return other === undefined || isNewer(one, other) ? one : other;
}

/** The one just before it. */
export function before(id: string): string {
  return String(BigInt(id) - 1n);
}
