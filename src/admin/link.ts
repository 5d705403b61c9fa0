// A link that opens the page in a browser, signed in as the owner at the keyboard: it works once, for five minutes.
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { hashToken } from "../access/pairings.ts";
import { addLocalLink } from "../access/sessions.ts";
import { isLoopback } from "../core/loopback.ts";
import { done, failed, noted, operation } from "./context.ts";

export interface PageLink {
  /** The secret is its fragment, which a browser sends to nobody: no log and no preview gets it. */
  readonly url: string;
  readonly expiresAt: number;
}

export const link = operation(z.strictObject({}), async (context) => {
  if (!context.running)
    return failed(
      "No gateway runs here, so there is no page to open. Start it with: sallyport start",
    );
  const page = context.running.pageUrl();
  if (page === undefined)
    return failed(
      "The page is not served: the gateway is still starting, or could not open its port; its log says why. Try again in a moment, or choose a port with: sallyport config set http.port N",
    );
  if (!isLoopback(new URL(page).hostname.replace(/^\[|\]$/g, "")))
    return failed(
      `The page is served at ${page} alone, and this link counts on 127.0.0.1 alone. Serve it there with: sallyport config unset http.host. Or sign in with a code: sallyport pair invite --name NAME --role owner`,
    );
  const secret = randomBytes(32).toString("base64url");
  const store = await context.store();
  const expiresAt = await store.run(function* () {
    const until = yield* addLocalLink({ hash: hashToken(secret), now: context.clock.now() });
    const outcome =
      until === undefined ? { outcome: "refused", why: "the local pairing was removed" } : {};
    yield* noted(context, { action: "link", target: "local", ...outcome });
    return until;
  });
  if (expiresAt === undefined)
    return failed(
      "The local owner was removed, so there is nobody to sign in as. Start the gateway again: it makes a new one.",
    );
  const made: PageLink = { url: `${page}/#link=${secret}`, expiresAt };
  return done(made);
});
