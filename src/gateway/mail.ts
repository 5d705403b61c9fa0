// What the command line does with mail: guesses servers, tries a mailbox out, tells whom a mail is from.
import { Resolver } from "node:dns/promises";
import { checkMail as checkRules, type Checked as Found } from "../../channels/email/check.ts";
import { configSchema, type EmailConfig } from "../../channels/email/config.ts";
import { createResolver } from "../../channels/email/dns.ts";
import {
  type BothEnds,
  tryBothEnds as tryEnds,
  tryMailbox as tryOut,
} from "../../channels/email/set-up.ts";
import { bySetting } from "../../channels/email/set-up-words.ts";
import { isNear, type Server, serversOf } from "../../channels/email/srv.ts";

export { passwordHint } from "../../channels/email/set-up-words.ts";

export type ConfigChecked =
  | { readonly ok: true; readonly config: EmailConfig }
  | { readonly ok: false; readonly problem: string };

/** The config of a mailbox that is not there yet, secrets and all; what is wrong is named as the setting it would be. */
export function checkConfig(id: string, given: Readonly<Record<string, unknown>>): ConfigChecked {
  const parsed = configSchema.safeParse(given);
  if (parsed.success) return { ok: true, config: parsed.data };
  const problems = parsed.error.issues.map(({ path, message }) => {
    const key = ["channels", id, ...path].join(".");
    return `${key}: ${message.replaceAll("ID.", `${id}.`)}`;
  });
  return { ok: false, problem: problems.join("\n") };
}

export interface Guess {
  readonly imap: Guessed;
  readonly smtp: Guessed;
  readonly trouble: string | null;
}

/** `near`: on the word of DNS alone a password may go there. */
type Guessed = Server & { readonly near: boolean };

/** What is wrong, where `dns` or the domain is no such thing. */
export async function guessServers(
  domain: string,
  dns: string | undefined,
): Promise<Guess | string> {
  const resolver = resolverFrom(dns);
  if (typeof resolver === "string") return resolver;
  const { imap, smtp, trouble } = await serversOf(domain, resolver);
  const withNear = (server: Server): Guessed => ({
    ...server,
    near: server.is !== "none" && isNear(server.host, domain),
  });
  return { imap: withNear(imap), smtp: withNear(smtp), trouble };
}

/** What is wrong and what to do, or undefined; the mailbox is as it was before. */
export function tryMailbox(
  config: EmailConfig,
  waiting: { say(line: string): void; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { dns, address, arcSealers } = config;
  return tryOut(config, {
    ...waiting,
    judge: async (raw) => {
      const now = Date.now();
      const resolve = createResolver(dns);
      return (await checkRules(raw, { resolve, now, to: address, arcSealers })).verdict;
    },
  });
}

/** Of a mailbox that is there: only that both ends take the name and the password. */
export function tryBothEnds(id: string, config: EmailConfig): Promise<BothEnds> {
  return tryEnds(config, bySetting(id));
}

export interface Asked {
  readonly dns: string | undefined;
  readonly to: string | undefined;
  readonly arcSealers: readonly string[];
}

/** What is wrong, where the question cannot be asked so. */
export async function checkMail(
  raw: Buffer,
  { dns, to, arcSealers }: Asked,
): Promise<Found | string> {
  const problem = dnsProblem(dns) ?? addressProblem(to);
  if (problem !== undefined) return problem;
  const now = Date.now();
  return checkRules(raw, { resolve: createResolver(dns), now, to: to ?? null, arcSealers });
}

function resolverFrom(dns: string | undefined): Resolver | string {
  const problem = dnsProblem(dns);
  if (problem !== undefined) return problem;
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  if (dns !== undefined) resolver.setServers([dns]);
  return resolver;
}

function dnsProblem(dns: string | undefined): string | undefined {
  const wrong = `--dns ${dns} is no address of a DNS server. Give one like 127.0.0.1:53 or [::1]:53`;
  if (!configSchema.shape.dns.safeParse(dns).success) return wrong;
  try {
    if (dns !== undefined) new Resolver().setServers([dns]);
    return undefined;
  } catch {
    return wrong;
  }
}

function addressProblem(to: string | undefined): string | undefined {
  if (to === undefined || configSchema.shape.address.safeParse(to).success) return undefined;
  return `--to ${to} is no address. Give one like agent@example.org`;
}
