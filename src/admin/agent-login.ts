// Whose home an agent's log-in goes to, the note that it was made, and a home that is started afresh.
import { join } from "node:path";
import { z } from "zod";
import { knownPairings } from "../access/pairings.ts";
import { loadSettings } from "../config/settings-file.ts";
import type { PairingId } from "../core/words.ts";
import { setAside } from "../sandbox/set-aside.ts";
import { type AdminContext, done, failed, noted, operation, writeNote } from "./context.ts";

const name = z.string().min(1).max(200);

export interface LoginHome {
  readonly name: string;
  readonly pairing: PairingId;
  readonly home: string;
  /** Of the gateway that runs; else as it is set. */
  readonly sandbox: "docker" | "local";
}

async function sandboxIn({ running, place }: AdminContext): Promise<"docker" | "local"> {
  if (running?.sandbox !== undefined) return running.sandbox;
  const loaded = await loadSettings(place.paths);
  return (loaded.ok ? loaded.settings.sandbox : undefined) ?? "docker";
}

/** For the operator alone, as everything here: nobody can ask for it in a chat. */
export const home = operation(z.strictObject({ as: name }), async (context, { as }) => {
  const store = await context.store();
  const pairings = await store.run(function* () {
    return yield* knownPairings();
  });
  const found = pairings.find((one) => one.name === as);
  if (!found && as === "local")
    return failed("There is no local owner yet. Start the gateway once: sallyport start");
  if (!found)
    return failed(`There is no pairing ${JSON.stringify(as)}. List them with: sallyport pair list`);
  const { homes } = context.place.paths;
  const sandbox = await sandboxIn(context);
  const value: LoginHome = {
    name: as,
    pairing: found.id,
    home: join(homes, `p-${found.id}`),
    sandbox,
  };
  return done(value);
});

/** After a log-in: its caller's agent ends, so that the next one finds it. */
export const loggedIn = operation(
  z.strictObject({ agent: name, as: name }),
  async (context, { agent, as }) => {
    const store = await context.store();
    const found = await store.run(function* () {
      yield* noted(context, { action: "agent.login", target: as, why: agent });
      return (yield* knownPairings()).find((one) => one.name === as);
    });
    if (found) await context.running?.stopCaller(found.id, "its agent was logged in");
    return done({ agent, as });
  },
);

/** The home is put aside before the agent ends: none can start in the old one meanwhile. */
export const reset = operation(z.strictObject({ of: name }), async (context, { of }) => {
  const found = await home.run(context, { as: of });
  if (!found.ok) return found;
  const { pairing, home: path } = found.value;
  const aside = await setAside(path);
  if (aside === undefined)
    return failed(`${of} has no home yet: there is nothing to start afresh.`);
  await writeNote(context, { action: "agent.reset", target: of });
  await context.running?.stopCaller(pairing, "its home is started afresh");
  return done({ name: of, aside: aside.path, earlierRemoved: await aside.earlierGone });
});
