// The door of HTTP on a real store, with a clock that the test turns.
import type { TestContext } from "node:test";
import { ensureLocal, hashToken, makeToken } from "../../src/access/pairings.ts";
import { addLocalLink } from "../../src/access/sessions.ts";
import type { Visitor } from "../../src/access/visitor.ts";
import { type Attempt, createVisitors, type Visitors } from "../../src/access/visitors.ts";
import { type AccessRig, accessRig, codeKey, start } from "./access-rig.ts";

export const home: Attempt = { address: "127.0.0.1", local: true };

export function away(address = "203.0.113.7"): Attempt {
  return { address, local: false };
}

export interface VisitorRig extends AccessRig {
  readonly visitors: Visitors;
  /** Ms since 1970; the test moves it. */
  readonly time: { now: number };
  /** The owner at the keyboard, as each start makes it; gives its token. */
  startLocal(): Promise<string>;
  /** The secret of a new link for the owner at the keyboard. */
  link(): Promise<string>;
  /** A code for this name, used to sign in; gives the cookie. */
  enter(name: string, role?: "owner" | "authenticated"): Promise<string>;
  seen(cookie: string, local?: boolean): Promise<Visitor | undefined>;
}

export function visitorRig(t: TestContext): VisitorRig {
  const access = accessRig(t);
  const time = { now: start };
  let made = 0;
  const clock = { now: () => time.now };
  const visitors = createVisitors({ run: access.run, clock, key: codeKey });
  return {
    ...access,
    visitors,
    time,
    async startLocal() {
      const token = makeToken();
      const tokenHash = hashToken(token);
      await access.run(() => ensureLocal({ id: tokenHash.slice(0, 20), tokenHash, now: time.now }));
      return token;
    },
    async link() {
      made += 1;
      const secret = `link secret ${made}`;
      await access.run(() => addLocalLink({ hash: hashToken(secret), now: time.now }));
      return secret;
    },
    async enter(name, role = "authenticated") {
      const code = await access.invite(name, time.now, role);
      const signed = await visitors.signIn({ code }, away(`of ${name}`));
      if (signed === "refused") throw new Error(`${name} was refused`);
      return signed.cookie;
    },
    seen: (cookie, local = false) => visitors.byCookie(cookie, { local }),
  };
}
