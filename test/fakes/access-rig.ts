// A store in a folder of its own that can be opened again, and short words for codes and people.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { addInvite, hmacOf, makeCode, type Redeemed, redeemCode } from "../../src/access/codes.ts";
import { identify } from "../../src/access/identify.ts";
import type { Caller, Role, Sender } from "../../src/core/words.ts";
import { type AuditFilter, listAudit } from "../../src/store/audit.ts";
import type { Op } from "../../src/store/query.ts";
import { openSqlite } from "../../src/store/sqlite.ts";

export const codeKey = Buffer.alloc(32, 7);
export const start = Date.parse("2026-03-01T12:00:00Z");
export const second = 1000;
export const minute = 60_000;
export const hour = 3_600_000;

export function person(account: string, listener = "telegram"): Sender {
  return { listener, account, name: `name of ${account}` };
}

export function hmac(code: string): string {
  return hmacOf(codeKey, code);
}

export interface AccessRig {
  run<T>(op: () => Op<T>): Promise<T>;
  /** Closes the store and opens the same file again. */
  restart(): Promise<void>;
  /** All that is on disk, to see what is not. */
  bytes(): string;
  invite(name: string, now: number, role?: Exclude<Role, "anonymous">): Promise<string>;
  redeem(code: string, sender: Sender, now: number): Promise<Redeemed["is"]>;
  who(sender: Sender): Promise<Caller>;
  audits(
    filter?: AuditFilter,
  ): ReturnType<typeof listAudit> extends Op<infer T> ? Promise<T> : never;
}

export function accessRig(t: TestContext): AccessRig {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-access-"));
  const open = () => openSqlite(join(folder, "server.db"));
  let store = open();
  t.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  let made = 0;
  return {
    run: (op) => store.run(op),
    async restart() {
      await store.close();
      store = open();
    },
    bytes: () =>
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), "latin1"))
        .join("\n"),
    async invite(name, now, role = "authenticated") {
      const code = makeCode();
      await store.run(() => addInvite({ hmac: hmac(code), name, role, now }));
      return code;
    },
    async redeem(code, sender, now) {
      made += 1;
      const id = `id${made}`;
      return (await store.run(() => redeemCode({ hmac: hmac(code), sender, now, id }))).is;
    },
    who: (sender) => store.run(() => identify(sender)),
    audits: (filter) => store.run(() => listAudit(1000, filter)),
  };
}
