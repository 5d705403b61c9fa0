// How fast it is found out whom a mail is from, against bare mailauth beside it, in turn: `node test/bench/mail.ts [--rounds 5 --quick]`.
import { parseArgs } from "node:util";
import { authenticate as bareMailauth } from "mailauth";
import { authenticate, type Options } from "../../channels/email/authenticity.ts";
import type { Resolve } from "../../channels/email/dns.ts";
import { signedMail } from "../fakes/mail-signed.ts";
import { agent, type MailWorld, startMailWorld } from "../fakes/mail-world.ts";
import { aligned, shown } from "./table.ts";

interface Kind {
  readonly name: string;
  readonly size: number;
  readonly count: number;
}

const kinds: readonly Kind[] = [
  { name: "1 kB", size: 1000, count: 400 },
  { name: "100 kB", size: 100_000, count: 100 },
  { name: "10 MB", size: 10_000_000, count: 3 },
];

type Check = (raw: Buffer) => Promise<boolean>;

/** The MIME parser reads a mail in a worker anyway, so what it reads of the header is no part of this. */
function checks(options: Options): { readonly ours: Check; readonly bare: Check } {
  const { resolve: resolver } = options;
  return {
    ours: async (raw) => (await authenticate(raw, options)).is === "authenticated",
    bare: async (raw) => {
      const { dmarc } = await bareMailauth(raw, { resolver });
      return dmarc !== false && dmarc.status.result === "pass";
    },
  };
}

interface Rate {
  readonly perSecond: number;
  readonly cpuMs: number;
}

/** One after the other, as they come out of a mailbox. */
async function measure(check: Check, mails: readonly Buffer[]): Promise<Rate> {
  const [begun, before] = [performance.now(), process.cpuUsage()];
  for (const mail of mails) if (!(await check(mail))) throw new Error("a good mail was refused");
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { perSecond: mails.length / seconds, cpuMs: (user + system) / 1000 / mails.length };
}

async function compare(world: MailWorld, kind: Kind, rounds: number): Promise<string[][]> {
  const key = world.key("legit.test");
  const line = "A line of a mail as people write them, not too long.\n";
  const text = line.repeat(Math.ceil(kind.size / line.length));
  const parts = { from: "Ana <ana@legit.test>", to: agent, text };
  const mails = await Promise.all(Array.from({ length: kind.count }, () => signedMail(parts, key)));
  const { ours, bare } = checks(await world.options(mails[0] ?? Buffer.alloc(0)));
  await Promise.all([measure(ours, mails.slice(0, 20)), measure(bare, mails.slice(0, 20))]);
  const [our, floor]: [Rate[], Rate[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    our.push(await measure(ours, mails));
    floor.push(await measure(bare, mails));
  }
  const row = (what: string, of: keyof Rate) => {
    const [a, b] = [median(our, of), median(floor, of)];
    return [`${kind.name}, ${what}`, shown(a), shown(b), (a / b).toFixed(2)];
  };
  return [row("mails a second", "perSecond"), row("CPU ms a mail", "cpuMs")];
}

/** The same where an answer of DNS takes as long as from a resolver near by. */
async function compareFar(world: MailWorld, rounds: number, ms: number): Promise<string[][]> {
  const slow = (resolve: Resolve): Resolve => {
    return async (name, type) => {
      await new Promise((resolved) => setTimeout(resolved, ms));
      return resolve(name, type);
    };
  };
  const raw = await signedMail({ from: "ana@legit.test", to: agent }, world.key("legit.test"));
  const options = await world.options(raw);
  const { ours, bare } = checks({ ...options, resolve: slow(options.resolve) });
  const mails = Array.from({ length: 20 }, () => raw);
  const [our, floor]: [Rate[], Rate[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    our.push(await measure(ours, mails));
    floor.push(await measure(bare, mails));
  }
  const [a, b] = [median(our, "perSecond"), median(floor, "perSecond")];
  return [[`DNS ${ms} ms away, mails a second`, shown(a), shown(b), (a / b).toFixed(2)]];
}

function median(rates: readonly Rate[], of: keyof Rate): number {
  const values = rates.map((rate) => rate[of]).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? 0;
}

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    /** Tiny numbers: shows that it runs, measures nothing. */
    quick: { type: "boolean", default: false },
  },
});
const rounds = flags.quick ? 1 : Number(flags.rounds);
const world = await startMailWorld();
try {
  const rows: string[][] = [];
  for (const kind of kinds) {
    const count = flags.quick ? Math.min(kind.count, 2) : kind.count;
    rows.push(...(await compare(world, { ...kind, count }, rounds)));
  }
  rows.push(...(await compareFar(world, rounds, 20)));
  const before = world.dns.asked.length;
  await world.verdict(
    await signedMail({ from: "a@legit.test", to: agent }, world.key("legit.test")),
  );
  console.log(`\nWhom a mail is from, one after the other, medians of ${rounds} rounds\n`);
  console.log(aligned([["", "sallyport", "bare mailauth", "ratio"], ...rows]));
  console.log(`\nDNS was asked ${world.dns.asked.length - before} times for one mail`);
} finally {
  await world.close();
}
