// How much time is spent on taking apart the mails of one sender: whoever sends many that take long holds up only themselves.

export interface Shares {
  /** False: enough was spent on theirs lately. */
  isLeft(account: string): boolean;
  take(account: string, ms: number): void;
}

export interface ShareBounds {
  /** Over which time it is counted, ms. */
  readonly span: number;
  /** For one address, ms in that time. */
  readonly address: number;
  /** For all addresses of one domain: it may be a provider of many people, or one person with many addresses. */
  readonly domain: number;
}

const minute = 60_000;
const usual: ShareBounds = { span: 10 * minute, address: 10_000, domain: 60_000 };
/** What an ordinary mail takes counts as nothing, however many there are. */
const ordinary = 250;
const mostKnown = 10_000;

export function createShares({ span, ...most }: ShareBounds = usual): Shares {
  const spent = new Map<string, number>();
  let until = 0;
  return {
    isLeft(account) {
      if (Date.now() >= until) spent.clear();
      const of = (key: string) => spent.get(key) ?? 0;
      return of(account) < most.address && of(domainOf(account)) < most.domain;
    },
    take(account, ms) {
      if (ms < ordinary) return;
      const now = Date.now();
      if (now >= until || spent.size >= mostKnown) {
        spent.clear();
        until = now + span;
      }
      for (const key of [account, domainOf(account)]) spent.set(key, (spent.get(key) ?? 0) + ms);
    },
  };
}

/** A domain and all below it, roughly. */
function domainOf(account: string): string {
  return `@${account.replace(/^.*@/, "").split(".").slice(-2).join(".")}`;
}
