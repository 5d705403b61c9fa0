// A command at a real terminal, as a person has it: what is typed, and what is seen.
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";

export interface AtPty {
  type(keys: string): void;
  /** Resolves with all that was written so far, once it matches. */
  see(pattern: RegExp): Promise<string>;
  /** How it ended, and all that it wrote. */
  ended: Promise<{ readonly code: number | null; readonly text: string }>;
  /** Takes the terminal away from whatever runs at it. */
  hangUp(): void;
}

const patience = 60_000;

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** By util-linux's `script`, which gives what it runs a terminal. */
export function atPty(t: TestContext, argv: readonly string[], cwd: string): AtPty {
  const line = argv.map(quoted).join(" ");
  const child = spawn("script", ["-qec", `stty cols 100 rows 30; exec ${line}`, "/dev/null"], {
    cwd,
    env: { ...process.env, NO_COLOR: "1", XDG_STATE_HOME: cwd },
    stdio: ["pipe", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  let text = "";
  const watchers = new Set<() => void>();
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
    for (const look of watchers) look();
  });
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, text }));
  return {
    type: (keys) => void child.stdin.write(keys),
    see: (pattern) =>
      new Promise((resolve, reject) => {
        const give = () => reject(new Error(`Never saw ${pattern} in ${text}`));
        const timer = setTimeout(give, patience);
        void ended.then(() => (pattern.test(text) ? undefined : give()));
        const look = () => {
          if (!pattern.test(text)) return;
          clearTimeout(timer);
          watchers.delete(look);
          resolve(text);
        };
        watchers.add(look);
        look();
      }),
    ended,
    hangUp: () => void child.kill("SIGKILL"),
  };
}
