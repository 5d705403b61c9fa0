// The gateway against its floor, in turn, in one run: `npm run bench [-- --platform discord --rounds 5 --quick --micro]`.
import { parseArgs } from "node:util";
import { type CrashCounts, crash, crashKinds } from "./crash.ts";
import { measureOnce, type Sample } from "./measure.ts";
import { renderTable, storeTable } from "./micro.ts";
import { isPlatform, type PlatformName, platforms } from "./platforms.ts";
import { othersMost, quiet } from "./processes.ts";
import { floor, gateway } from "./subjects.ts";
import { aligned, ratioTable } from "./table.ts";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    /** Tiny numbers: shows that it runs, measures nothing. */
    quick: { type: "boolean", default: false },
    /** Only the parts alone: store and rendering. */
    micro: { type: "boolean", default: false },
    /** Seconds to wait before each measurement for a machine that does nothing else. */
    patience: { type: "string", default: "0" },
    /** Without kills. */
    calm: { type: "boolean", default: false },
    /** Only the kills. */
    kills: { type: "boolean", default: false },
    /** telegram, discord or slack. */
    platform: { type: "string", default: "telegram" },
  },
});
const on = flags.platform;
if (!isPlatform(on))
  throw new Error(`There is no platform ${on}; there are ${Object.keys(platforms).join(", ")}.`);
const sizes = flags.quick
  ? { chats: 5, roundTrips: 10, messages: 50, idleMs: 0 }
  : { chats: 100, roundTrips: 500, messages: 5000, idleMs: 2000 };
const crashSizes = flags.quick
  ? { chats: 5, messages: 30, kills: 1 }
  : { chats: 20, messages: 200, kills: 5 };

async function compare(on: PlatformName, rounds: number): Promise<void> {
  const { chats, messages, roundTrips } = sizes;
  const [ours, bare] = [await gateway({ on, chats }), await floor({ on, chats })];
  const samples: { gateway: Sample[]; floor: Sample[] } = { gateway: [], floor: [] };
  try {
    for (let round = 1; round <= rounds; round += 1) {
      await quiet(Number(flags.patience) * 1000);
      samples.gateway.push(...(await measureOnce(ours, sizes)));
      await quiet(Number(flags.patience) * 1000);
      samples.floor.push(...(await measureOnce(bare, sizes)));
      console.error(`round ${round} of ${rounds}`);
    }
  } finally {
    await Promise.all([ours.close(), bare.close()]);
  }
  console.log(
    `\n${on}: ${chats} chats, medians of ${rounds} rounds of ${roundTrips} round trips and ${messages} messages`,
  );
  console.log(`(runs in which something else used more than ${othersMost} cores do not count)\n`);
  console.log(ratioTable(samples));
}

async function kill(on: PlatformName): Promise<void> {
  const { messages, kills, chats } = crashSizes;
  console.log(`\n${on}: SIGKILL amid ${messages} messages in ${chats} chats, ${kills} times\n`);
  const columns: readonly (keyof CrashCounts)[] = [
    "lost",
    "runTwice",
    "answeredTwice",
    "outOfOrder",
    "reported",
  ];
  const head = ["", "lost", "run twice", "answered twice", "out of order", "told"];
  const rows: string[][] = [];
  for (const kind of crashKinds) {
    const counts = await crash(kind, { on, ...crashSizes });
    rows.push([kind, ...columns.map((column) => String(counts[column]))]);
  }
  console.log(aligned([head, ...rows]));
}

if (!flags.micro && !flags.kills) await compare(on, flags.quick ? 1 : Number(flags.rounds));
if (!flags.micro && !flags.calm) await kill(on);
if (!flags.kills) {
  console.log(`\n${await storeTable(flags.quick ? 100 : 5000)}`);
  console.log(`\n${await renderTable(flags.quick ? 1 : 16)}`);
}
