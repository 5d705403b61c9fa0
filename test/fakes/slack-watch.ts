// Waiting for what changes on the fake Slack.

export interface WaitOptions {
  readonly timeoutMs?: number;
  readonly what?: string;
}

export class Watchers {
  readonly #all = new Set<() => void>();
  #due = false;

  /** Calls back soon after every change, until the returned function is called. */
  add(listener: () => void): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  note(): void {
    if (this.#all.size === 0 || this.#due) return;
    this.#due = true;
    setImmediate(() => {
      this.#due = false;
      for (const listener of [...this.#all]) listener();
    });
  }

  /** Resolves with the first truthy value of `look`, which is asked again after every change. */
  until<T>(
    look: () => T | undefined | null | false,
    { timeoutMs = 5_000, what = "the awaited state" }: WaitOptions,
    story: () => string,
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
        const error = new Error(`${what} did not come within ${timeoutMs} ms\n${story()}`);
        end(() => reject(error));
      }, timeoutMs);
      const stop = this.add(check);
      check();
    });
  }
}
