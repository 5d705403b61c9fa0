// Which servers a domain names for its mailboxes (RFC 6186, RFC 8314), or else may have.
import { isIP } from "node:net";

interface SrvRecord {
  readonly name: string;
  readonly port: number;
  readonly priority: number;
  readonly weight: number;
}

/** The part of Node's resolver that is needed; rejects with `ENOTFOUND` or `ENODATA` where there is nothing. */
export interface Lookups {
  resolveSrv(name: string): Promise<readonly SrvRecord[]>;
  resolve4(name: string): Promise<readonly string[]>;
  resolve6(name: string): Promise<readonly string[]>;
}

/** `named`: by the domain itself; `likely`: nothing but a name that many use; `none`: the domain says that there is none. */
export type Server =
  | { readonly is: "named"; readonly url: string; readonly host: string }
  /** `found`: there is something of that name. */
  | { readonly is: "likely"; readonly url: string; readonly host: string; readonly found: boolean }
  | { readonly is: "none" };

export interface Servers {
  readonly imap: Server;
  readonly smtp: Server;
  /** Why nothing could be looked up, where that is so. */
  readonly trouble: string | null;
}

interface Service {
  readonly scheme: string;
  readonly label: string;
}

// What is encrypted from the first byte goes before what becomes so by STARTTLS.
const read: readonly Service[] = [
  { scheme: "imaps", label: "_imaps" },
  { scheme: "imap", label: "_imap" },
];
const sent: readonly Service[] = [
  { scheme: "smtps", label: "_submissions" },
  { scheme: "smtp", label: "_submission" },
];

export async function serversOf(domain: string, lookups: Lookups): Promise<Servers> {
  const troubles: string[] = [];
  const find = async (services: readonly Service[]) => {
    const answers = await Promise.all(services.map((one) => ask(lookups, domain, one)));
    for (const answer of answers) if (answer.is === "failed") troubles.push(answer.why);
    const said = answers.flatMap((answer) =>
      answer.is === "named" || answer.is === "none" ? [answer] : [],
    );
    return said.find(({ is }) => is === "named") ?? said[0];
  };
  const [imap, smtp] = await Promise.all([find(read), find(sent)]);
  return {
    imap: imap ?? (await likely(lookups, domain, ["imaps", 993, ["imap", "mail"]])),
    smtp: smtp ?? (await likely(lookups, domain, ["smtps", 465, ["smtp", "mail"]])),
    trouble: troubles[0] ?? null,
  };
}

type Answer =
  | { readonly is: "named"; readonly url: string; readonly host: string }
  | { readonly is: "none" }
  | { readonly is: "unnamed" }
  | { readonly is: "failed"; readonly why: string };

async function ask(lookups: Lookups, domain: string, service: Service): Promise<Answer> {
  const name = `${service.label}._tcp.${domain}`;
  try {
    const records = (await lookups.resolveSrv(name)).filter(({ port }) => port < 65_536);
    const best = [...records].sort(before)[0];
    if (!best) return { is: "unnamed" };
    const host = best.name.replace(/\.$/, "").toLowerCase();
    if (host === "") return { is: "none" };
    // What is no host name must not become part of an address.
    if (!isHost(host) || best.port < 1) return { is: "unnamed" };
    return { is: "named", host, url: `${service.scheme}://${host}:${best.port}` };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (["ENOTFOUND", "ENODATA"].includes(code)) return { is: "unnamed" };
    return { is: "failed", why: `DNS gave no answer about ${name} (${code || "failed"})` };
  }
}

/** It is written down once, so the heaviest of the first is taken and none by chance. */
function before(a: SrvRecord, b: SrvRecord): number {
  return a.priority - b.priority || b.weight - a.weight;
}

function isHost(host: string): boolean {
  return /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(host);
}

type Common = readonly [scheme: string, port: number, labels: readonly string[]];

async function likely(
  lookups: Lookups,
  domain: string,
  [scheme, port, labels]: Common,
): Promise<Server> {
  const hosts = labels.map((label) => `${label}.${domain}`);
  const there = await Promise.all(hosts.map((host) => exists(lookups, host)));
  const found = hosts.find((_, index) => there[index]);
  const host = found ?? `${labels[0]}.${domain}`;
  return { is: "likely", host, url: `${scheme}://${host}:${port}`, found: found !== undefined };
}

async function exists(lookups: Lookups, host: string): Promise<boolean> {
  const found = await Promise.allSettled([lookups.resolve4(host), lookups.resolve6(host)]);
  return found.some((one) => one.status === "fulfilled" && one.value.length > 0);
}

/**
 * Whether a password may go there on the word of DNS alone, which anybody on the way can forge: below the domain, where
 * the certificate is the domain's own, or on this machine. Else a person has to look at it (RFC 6186, section 6).
 */
export function isNear(host: string, domain: string): boolean {
  const own = domain.toLowerCase();
  const local = host === "localhost" || host.endsWith(".localhost");
  const loopback = (isIP(host) === 4 && host.startsWith("127.")) || host === "::1";
  return local || loopback || host === own || host.endsWith(`.${own}`);
}
