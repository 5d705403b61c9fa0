// A stream that ends with an error when more comes through it than fits.

/** `most`: bytes. Rejects with a sentence for the person who sent the file. */
export function bounded(most: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > most) throw new Error(tooLarge(most));
      controller.enqueue(chunk);
    },
  });
}

export function tooLarge(most: number): string {
  return `The file is larger than ${most / 1024 / 1024} MB.`;
}
