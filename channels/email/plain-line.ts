// Text of strangers for a line that an operator reads.

/** One line of visible ASCII, not too long. */
export function plainLine(text: string): string {
  const plain = text.replace(/[^\x21-\x7e]+/g, (run) => (/^\s+$/.test(run) ? " " : "?")).trim();
  return plain.length > 200 ? `${plain.slice(0, 197)}...` : plain;
}
