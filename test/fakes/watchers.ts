// Waiting for what a fake platform comes to: asked again after every change.

export interface WaitOptions {
  timeoutMs?: number;
  what?: string;
}

export class Watchers {
  readonly #listeners = new Set<() => void>();
  #due = false;

  /** Calls back soon after every change, until the returned function is called. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(): void {
    if (this.#listeners.size === 0 || this.#due) return;
    this.#due = true;
    setImmediate(() => {
      this.#due = false;
      for (const listener of [...this.#listeners]) listener();
    });
  }

  /** Resolves with the first truthy value of `look`; `seen` tells what there was when nothing came. */
  waitFor<T>(
    look: () => T | undefined | null | false,
    seen: () => string,
    { timeoutMs = 5_000, what = "the awaited state" }: WaitOptions = {},
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer);
        stop();
        settle();
      };
      const check = () => {
        try {
          const value = look();
          if (value) end(() => resolve(value));
        } catch (error) {
          end(() => reject(error));
        }
      };
      const timer = setTimeout(() => {
        end(() => reject(new Error(`${what} did not come within ${timeoutMs} ms\n${seen()}`)));
      }, timeoutMs);
      const stop = this.watch(check);
      check();
    });
  }
}
