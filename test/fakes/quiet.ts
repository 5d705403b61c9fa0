// Waits until a fake platform has come to rest.

export interface Restless {
  /** Calls `changed` after each change, until the returned function is called. */
  watch(changed: () => void): () => void;
}

/** Resolves when nothing has changed for `quietMs`: somebody may still be answering the last line. After `mostMs` in any case. */
export function quiet(
  platform: Restless,
  { quietMs, mostMs }: { readonly quietMs: number; readonly mostMs: number },
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stop();
      clearTimeout(pause);
      clearTimeout(limit);
      resolve();
    };
    const pause = setTimeout(end, quietMs);
    const limit = setTimeout(end, mostMs);
    const stop = platform.watch(() => void pause.refresh());
  });
}
