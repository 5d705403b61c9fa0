// Looks up keys and policies: with bounds, and telling "there is none" from "no answer".
import { Resolver } from "node:dns/promises";

/** As mailauth wants it; rejects with an error whose `code` is Node's (ENOTFOUND, ENODATA, ESERVFAIL, ...). */
export type Resolve = (name: string, type: string) => Promise<string[][] | string[]>;

/**
 * `dns`: `127.0.0.1:53` or `[::1]:53`; the machine's own servers when absent. Throws when it is no such thing. `timeout`:
 * how long the first of two tries takes, ms.
 */
export function createResolver(dns?: string, timeout = 3000): Resolve {
  const resolver = new Resolver({ timeout, tries: 2 });
  if (dns) resolver.setServers([dns]);
  return (name, type) => resolver.resolve(name, type) as Promise<string[][] | string[]>;
}

/** What one mail may look up. */
export interface Lookups {
  readonly resolve: Resolve;
  /** Names that could not be looked up now, and why. */
  readonly failed: ReadonlyMap<string, string>;
  readonly count: () => number;
  /** It wanted to look up more than a mail may. */
  readonly spent: () => boolean;
}

const mostLookups = 30;
const mostTime = 20_000;
const none = new Set(["ENOTFOUND", "ENODATA"]);

export function lookupsOfOneMail(resolve: Resolve, patience: number = mostTime): Lookups {
  const failed = new Map<string, string>();
  let end: number | undefined;
  let count = 0;
  return {
    failed,
    count: () => count,
    spent: () => count > mostLookups,
    async resolve(name, type) {
      count += isName(name) ? 1 : 0;
      // What no server could know is a definite answer, and so is what is too much for a mail.
      if (!isName(name) || count > mostLookups) throw failure("ENOTFOUND", name);
      end ??= Date.now() + patience;
      try {
        return await inTime(resolve(name, type), end - Date.now());
      } catch (error) {
        const { code = String(error) } = error as { code?: string };
        if (code === "EBADNAME") throw failure("ENOTFOUND", name);
        if (!none.has(code)) failed.set(name.toLowerCase(), code);
        throw error;
      }
    },
  };
}

/** Whether anything is answered at all: about a name of our own, and be it that there is none. */
export async function dnsAnswers(resolve: Resolve, name: string): Promise<boolean> {
  try {
    await inTime(resolve(name, "TXT"), mostTime);
    return true;
  } catch (error) {
    return none.has((error as { code?: string }).code ?? "");
  }
}

function isName(name: string): boolean {
  return (
    name.length <= 253 && name.split(".").every((part) => part.length > 0 && part.length <= 63)
  );
}

function failure(code: string, name: string): Error {
  return Object.assign(new Error(`${code} ${name}`), { code });
}

async function inTime<Value>(answer: Promise<Value>, ms: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(failure("ETIMEOUT", "")), Math.max(0, ms));
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
