// Covers a secret in bytes that pass, also where it is cut in two, without changing their number.

export interface Veil {
  /** What may go on now: all but an end that may be the secret's beginning. */
  take(chunk: Buffer): Buffer;
  rest(): Buffer;
}

/** What is shorter is a word such as "none", which answers may hold for other reasons. */
const shortest = 12;

function cover(bytes: Buffer, secret: Buffer): void {
  for (let at = bytes.indexOf(secret); at >= 0; at = bytes.indexOf(secret, at))
    bytes.fill("*", at, at + secret.length);
}

function beginningAtEnd(bytes: Buffer, secret: Buffer): number {
  for (let length = Math.min(secret.length - 1, bytes.length); length > 0; length--)
    if (bytes.subarray(-length).equals(secret.subarray(0, length))) return length;
  return 0;
}

export function isVeiled(secret: string | undefined): secret is string {
  return secret !== undefined && secret.length >= shortest;
}

export function createVeil(text: string | undefined): Veil {
  const secret = isVeiled(text) ? Buffer.from(text) : undefined;
  let held: Buffer = Buffer.alloc(0);
  return {
    take(chunk) {
      if (secret === undefined) return chunk;
      const bytes = Buffer.concat([held, chunk]);
      cover(bytes, secret);
      const goes = bytes.length - beginningAtEnd(bytes, secret);
      held = bytes.subarray(goes);
      return bytes.subarray(0, goes);
    },
    rest: () => held,
  };
}
