// An OAuth2 access token, as the operator's own command prints it; what it prints gets into no log and no error.
import { execFile } from "node:child_process";

const patience = 30_000;
const longest = 16_384;

/** Rejects with what an operator can do. */
export function tokenFrom(command: string): Promise<string> {
  const options = { timeout: patience, maxBuffer: longest, killSignal: "SIGKILL" } as const;
  return new Promise((resolve, reject) => {
    const fail = (why: string) =>
      reject(
        new Error(`The tokenCommand ${why}: try it by hand. It prints one access token, no more.`),
      );
    const child = execFile("/bin/sh", ["-c", command], options, (error, stdout) => {
      const token = stdout.trim();
      if (error?.killed) fail("took longer than 30 s, or printed too much");
      else if (error) fail(`failed (${error.code ?? error.signal ?? "unknown"})`);
      else if (!/^[\x21-\x7e]+$/.test(token)) fail("printed something else than one token");
      else resolve(token);
    });
    child.stdin?.end();
  });
}
