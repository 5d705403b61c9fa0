// Domains for mails that try to be from somebody else: the one they claim, the attacker's own, and what stands between.
import PostalMime from "postal-mime";
import { authenticate, examine, type Options } from "../../channels/email/authenticity.ts";
import { createResolver } from "../../channels/email/dns.ts";
import { type MailDns, startMailDns } from "./mail-dns.ts";
import { type DomainKey, domainKey, mailDomain } from "./mail-signed.ts";

export const agent = "agent@here.test";

export interface MailWorld {
  readonly dns: MailDns;
  /** By domain; a second selector as `selector@domain`. */
  key(domain: string): DomainKey;
  options(raw: Buffer, more?: Partial<Options>): Promise<Options>;
  verdict(raw: Buffer, more?: Partial<Options>): ReturnType<typeof authenticate>;
  examine(raw: Buffer, more?: Partial<Options>): ReturnType<typeof examine>;
  close(): Promise<void>;
}

export async function startMailWorld(): Promise<MailWorld> {
  const dns = await startMailDns();
  const keys = new Map<string, DomainKey>();
  const add = (key: DomainKey) => keys.set(key.domain, key);
  for (const domain of ["legit.test", "attack.test", "esp.test", "fwd.test", "other.test"]) {
    add(mailDomain(domain, dns));
  }
  addDomains(dns, add);
  const resolve = createResolver(dns.at);
  const options = async (raw: Buffer, more: Partial<Options> = {}): Promise<Options> => ({
    resolve,
    now: Date.now(),
    to: agent,
    arcSealers: [],
    mime: await mimeOf(raw),
    ...more,
  });
  return {
    dns,
    key(domain) {
      const key = keys.get(domain);
      if (!key) throw new Error(`no key of ${domain}`);
      return key;
    },
    options,
    verdict: async (raw, more) => authenticate(raw, await options(raw, more)),
    examine: async (raw, more) => examine(raw, await options(raw, more)),
    close: () => dns.close(),
  };
}

function addDomains(dns: MailDns, add: (key: DomainKey) => void): void {
  add(domainKey("mail.legit.test", {}, dns));
  add(mailDomain("ed.test", dns, { kind: "ed25519" }));
  add(mailDomain("k1024.test", dns, { kind: "rsa1024" }));
  add(mailDomain("weak.test", dns, { kind: "rsa512" }));
  add(mailDomain("testing.test", dns, { tags: "t=y" }));
  add(domainKey("nodmarc.test", {}, dns));
  add(domainKey("mail.nodmarc.test", {}, dns));
  // Says that its relatives do not sign for it.
  dns.txt("_dmarc.reminder3.strict.test", "v=DMARC1; p=reject; adkim=s");
  dns.txt("_dmarc.strict.test", "v=DMARC1; p=reject; adkim=s");
  add(domainKey("reminder.strict.test", {}, dns));
  // A suffix under which strangers live, with a policy of its own.
  dns.txt("_dmarc.github.io", "v=DMARC1; p=none");
  add(domainKey("me.github.io", {}, dns));
  add(domainKey("github.io", {}, dns));
  add(mailDomain("xn--bcher-kva.test", dns));
}

/** As the MIME parser reads it, groups and all. */
export async function mimeOf(raw: Buffer): Promise<Options["mime"]> {
  const mail = await PostalMime.parse(raw);
  const flat = (all: typeof mail.to = []) =>
    all.flatMap((one) => one.group ?? [{ name: one.name, address: one.address ?? "" }]);
  return {
    from: flat(mail.from ? [mail.from] : []),
    to: flat(mail.to),
    cc: flat(mail.cc),
    loose: [],
  };
}
