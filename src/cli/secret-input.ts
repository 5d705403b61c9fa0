// Reads a secret without showing it: a file, standard input, a hidden prompt; a flag only with a warning.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { Failure } from "./operator.ts";
import { complain } from "./output.ts";

export interface SecretFlags {
  /** `-` is standard input. */
  readonly tokenFile?: string;
  readonly token?: string;
}

const most = 10_000;

/** `flag` names the file that it can come from. */
export async function readSecretInput(
  what: string,
  flags: SecretFlags,
  flag = "--token-file",
): Promise<string> {
  const value = (await rawInput(what, flags)).trim();
  if (value === "")
    throw new Failure(`The ${what} is empty. Give it with ${flag} FILE, or - for standard input.`);
  if (value.length > most)
    throw new Failure(`The ${what} is longer than ${most} characters. Is it the right file?`);
  return value;
}

async function rawInput(what: string, { token, tokenFile }: SecretFlags): Promise<string> {
  if (token !== undefined && token !== "-") {
    complain(
      "Warning: what is given as an argument stays in the shell's history. Use --token-file, or - for standard input.",
    );
    return token;
  }
  if (tokenFile !== undefined && tokenFile !== "-") return fromFile(what, tokenFile);
  if (token === "-" || tokenFile === "-" || !process.stdin.isTTY) return fromStdin(what);
  return prompt(`The ${what} (not shown): `);
}

function fromFile(what: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Failure(`The ${what} could not be read from ${path}: ${(error as Error).message}`);
  }
}

async function fromStdin(what: string): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.length > most * 2) throw new Failure(`The ${what} on standard input is too long.`);
  }
  return text;
}

function prompt(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  // Only now the terminal shows nothing: whoever is asked may type at once.
  process.stderr.write(question);
  return new Promise((resolve, reject) => {
    lines.once("line", (line) => {
      process.stderr.write("\n");
      lines.close();
      resolve(line);
    });
    lines.once("SIGINT", () => {
      lines.close();
      reject(new Failure("Nothing was changed."));
    });
  });
}
