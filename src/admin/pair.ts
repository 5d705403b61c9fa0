// Pairings: invite, list, change, unlink, remove.
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { addInvite, hmacOf, makeCode } from "../access/codes.ts";
import { linkByHand } from "../access/link.ts";
import { addressOfPairing } from "../access/mail.ts";
import {
  changeRole,
  hashToken,
  type Known,
  knownPairings,
  makeToken,
  removePairing,
  rotateToken,
  unlink,
} from "../access/pairings.ts";
import { codeKey } from "../config/secrets.ts";
import { accountForms } from "../config/settings.ts";
import { loadSettings } from "../config/settings-file.ts";
import { covering } from "../core/mail-list.ts";
import { removeHome } from "../sandbox/set-aside.ts";
import type { Pairing } from "../store/pairings.ts";
import { countSessions } from "../store/sessions.ts";
import { type AdminContext, done, failed, noted, operation } from "./context.ts";

const name = z.string().min(1).max(330);
const role = z.enum(["owner", "authenticated"]);

const noPairing = (wanted: string) =>
  failed(`There is no pairing ${JSON.stringify(wanted)}. List them with: sallyport pair list`);

export interface Invitation {
  readonly code: string;
  readonly name: string;
  readonly role: "owner" | "authenticated";
  readonly expiresAt: number;
  /** What to send to the bot in a direct chat. */
  readonly join: string;
  readonly links: readonly { readonly listener: string; readonly url: string }[];
  /** Where they may mail it to, as the first line. */
  readonly mailboxes: readonly string[];
  /** Where they may type the code instead; null while the page is not served. */
  readonly page: string | null;
}

export const invite = operation(
  z.strictObject({ name, role: role.default("authenticated") }),
  async (context, input) => {
    const code = makeCode();
    const hmac = hmacOf(codeKey(context.place.paths), code);
    const store = await context.store();
    const invited = await store.run(function* () {
      const made = yield* addInvite({ ...input, hmac, now: context.clock.now() });
      const outcome = "problem" in made ? { outcome: "refused", why: made.problem } : {};
      yield* noted(context, { action: "pair.invite", target: input.name, ...outcome });
      return made;
    });
    if ("problem" in invited)
      return failed(`Not invited: ${invited.problem}. Choose another --name.`);
    const links = (context.running?.listeners() ?? []).flatMap(({ id }) => {
      const url = context.running?.joinLink(id, code);
      return url ? [{ listener: id, url }] : [];
    });
    const invitation: Invitation = {
      ...invited,
      code,
      name: input.name,
      join: `join ${code}`,
      links,
      mailboxes: await mailboxes(context),
      page: await pairPage(context),
    };
    return done(invitation);
  },
);

async function mailboxes({ place }: AdminContext): Promise<string[]> {
  const loaded = await loadSettings(place.paths);
  if (!loaded.ok) return [];
  return Object.values(loaded.settings.channels).flatMap(({ kind, address }) =>
    kind === "email" && typeof address === "string" ? [address] : [],
  );
}

async function pairPage({ place, running }: AdminContext): Promise<string | null> {
  const own = running?.pageUrl();
  if (own === undefined) return null;
  const loaded = await loadSettings(place.paths);
  const url = (loaded.ok ? loaded.settings.http.publicUrl : undefined) ?? own;
  return `${url.replace(/\/+$/, "")}/pair`;
}

export interface Listed extends Known {
  /** Browsers that are signed in. */
  readonly sessions: number;
}

export const list = operation(z.strictObject({}), async (context) => {
  const store = await context.store();
  const pairings = await store.run(function* () {
    const all: Listed[] = [];
    for (const one of yield* knownPairings())
      all.push({ ...one, sessions: yield* countSessions(one.id, context.clock.now()) });
    return all;
  });
  return done(pairings);
});

export const set = operation(
  z.strictObject({ name, role: role.optional(), rotate: z.boolean().default(false) }),
  async (context, { name: of, role: wanted, rotate }) => {
    if (!wanted && !rotate) return failed("Nothing to change: give --role ROLE or --rotate.");
    const token = rotate ? makeToken() : undefined;
    const store = await context.store();
    const changed = await store.run(function* () {
      const found = wanted
        ? yield* changeRole(of, wanted)
        : (yield* knownPairings()).find((one) => one.name === of);
      if (!found || "problem" in found) return found;
      if (token) yield* rotateToken(of, hashToken(token));
      const why = [wanted && `role ${wanted}`, token && "token rotated"].filter(Boolean).join(", ");
      yield* noted(context, { action: "pair.set", target: of, why });
      return found;
    });
    if (!changed) return noPairing(of);
    if ("problem" in changed) return failed(`Not changed: ${changed.problem}.`);
    await context.running?.stopCaller(changed.id, "its pairing was changed");
    return done({ name: of, role: wanted ?? changed.role, ...(token ? { token } : {}) });
  },
);

export const unlinkAccounts = operation(
  z.strictObject({ name, channel: name }),
  async (context, { name: of, channel }) => {
    const listeners = await listenersOf(context, channel);
    const store = await context.store();
    const unlinked = await store.run(function* () {
      const found = yield* unlink(of, listeners);
      if (found) {
        const why = `${found.accounts.length} accounts on ${channel}`;
        yield* noted(context, { action: "pair.unlink", target: of, why });
      }
      return found;
    });
    if (!unlinked) return noPairing(of);
    if (unlinked.accounts.length === 0)
      return failed(`${of} has no account on ${channel}. See: sallyport pair list`);
    await context.running?.stopCaller(unlinked.pairing.id, "its account was unlinked");
    return done({ name: of, unlinked: unlinked.accounts.map(({ account }) => account) });
  },
);

export const link = operation(
  z.strictObject({ name, channel: name, account: z.string().regex(/^[\x21-\x7e]{1,320}$/) }),
  async (context, { name: of, channel, account: given }) => {
    const loaded = await loadSettings(context.place.paths);
    if (!loaded.ok) return loaded;
    const kind = loaded.settings.channels[channel]?.kind;
    if (!kind)
      return failed(
        `There is no channel ${JSON.stringify(channel)}. List them with: sallyport channel list`,
      );
    const account = kind === "email" ? given.toLowerCase() : given;
    if (!accountForms[kind].test(account))
      return failed(
        `${account} is no account of ${kind}: those look like ${accountExamples[kind] ?? "123456789012"}. The person sees theirs with whoami in a chat with it.`,
      );
    const store = await context.store();
    const linked = await store.run(function* () {
      const id = randomBytes(9).toString("base64url");
      const now = context.clock.now();
      const made = yield* linkByHand({ name: of, listener: channel, account, id, now });
      if ("problem" in made) return made;
      const moved = made.movedFrom ? `, moved from ${made.movedFrom}` : "";
      const why = `${channel} ${account}${moved}`;
      yield* noted(context, { action: "pair.link", target: of, why });
      return made;
    });
    if ("problem" in linked) return failed(`Not linked: ${linked.problem}.`);
    const { role } = linked.pairing;
    if (linked.left) await context.running?.stopCaller(linked.left.id, "its account was linked");
    else if (linked.movedFrom)
      await context.running?.stopAccounts(
        [{ listener: channel, account }],
        "it was linked to another pairing",
      );
    return done({ name: of, channel, account, role, movedFrom: linked.movedFrom });
  },
);

const accountExamples: Readonly<Record<string, string>> = {
  slack: "T0123ABCD:U0123ABCD",
  email: "ana@example.org",
};

/** A listener's id, or a kind of channel: then all its listeners. */
async function listenersOf({ place }: AdminContext, channel: string): Promise<string[]> {
  const loaded = await loadSettings(place.paths);
  const channels = loaded.ok ? Object.entries(loaded.settings.channels) : [];
  const ofKind = channels.filter(([, { kind }]) => kind === channel).map(([id]) => id);
  return [...new Set([channel, ...ofKind])];
}

export const remove = operation(
  z.strictObject({ name, purge: z.boolean().default(false) }),
  async (context, { name: of, purge }) => {
    const store = await context.store();
    const removed = await store.run(function* () {
      const found = yield* removePairing(of, context.clock.now());
      if (found) yield* noted(context, { action: "pair.rm", target: of });
      return found;
    });
    if (!removed) return noPairing(of);
    const { id } = removed.pairing;
    await context.running?.stopCaller(id, "its pairing was removed");
    const { homes, uploads } = context.place.paths;
    if (purge) {
      await rm(join(uploads, id), { recursive: true, force: true });
      const home = join(homes, `p-${id}`);
      if (!(await removeHome(home)))
        return failed(
          `The pairing is removed, but not all of its home: ${home}. Remove it by hand.`,
        );
    }
    const again = await letsInAgain(context, removed.pairing);
    return done({
      name: of,
      removed: true,
      unlinked: removed.accounts.length,
      purged: purge,
      ...(again.length > 0 ? { again } : {}),
    });
  },
);

/** Entries of access.allowEmail that would make the pairing anew with the next mail. */
async function letsInAgain({ place }: AdminContext, pairing: Pairing): Promise<string[]> {
  const address = addressOfPairing(pairing);
  const loaded = await loadSettings(place.paths);
  return address !== undefined && loaded.ok
    ? covering(loaded.settings.access.allowEmail, address)
    : [];
}
