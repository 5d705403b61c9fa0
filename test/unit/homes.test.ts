// A home has a limit: what counts, when an agent may start in it, and when one that runs is ended.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { measureHome } from "../../src/sandbox/home-size.ts";
import { createHomes } from "../../src/sandbox/homes.ts";
import { memoryLog, temporaryFolder } from "../fakes/agent-rig.ts";

const megabyte = 1024 * 1024;
const bytes = (count: number) => Buffer.alloc(count, 1);

function rig(t: TestContext, { maxMB = 4, everyMs = 20, floodMs = 20 } = {}) {
  const folder = temporaryFolder(t);
  const home = join(folder, "homes", "p-1");
  mkdirSync(home, { recursive: true });
  const limit = { maxMB, asked: 0 };
  const log = memoryLog();
  const homes = createHomes({
    homes: join(folder, "homes"),
    maxMB() {
      limit.asked += 1;
      return limit.maxMB;
    },
    log,
    everyMs,
    floodMs,
  });
  return {
    folder,
    home,
    homes,
    log,
    limit,
    fill: (name: string, megabytes: number) =>
      writeFileSync(join(home, name), bytes(megabytes * megabyte)),
    /** The sentence that comes when it is over. */
    over(): Promise<string> {
      return new Promise((resolve) => {
        t.after(homes.watch(home, resolve));
      });
    },
  };
}

it("counts what lies on the disk: blocks, hard links once, and nothing behind a link", async (t) => {
  const { home, folder } = rig(t);
  mkdirSync(join(home, "deep", "er"), { recursive: true });
  writeFileSync(join(home, "deep", "er", "one"), bytes(megabyte));
  linkSync(join(home, "deep", "er", "one"), join(home, "two"));
  writeFileSync(join(folder, "outside"), bytes(3 * megabyte));
  symlinkSync(join(folder, "outside"), join(home, "three"));
  symlinkSync(folder, join(home, "up"));
  writeFileSync(join(home, "sparse"), "");
  truncateSync(join(home, "sparse"), 1024 * megabyte);
  const size = await measureHome(home, 100 * megabyte);
  assert.equal(size.whole, true);
  assert.ok(size.bytes >= megabyte && size.bytes < 1.2 * megabyte, `${size.bytes} bytes`);
});

it("stops counting above the limit, and takes a home that is not there for empty", async (t) => {
  const { home, fill } = rig(t);
  for (let n = 0; n < 5; n++) fill(`f${n}`, 1);
  const size = await measureHome(home, 2 * megabyte);
  assert.equal(size.whole, false);
  assert.ok(size.bytes > 2 * megabyte && size.bytes <= 3.1 * megabyte, `${size.bytes} bytes`);
  assert.deepEqual(await measureHome(join(home, "no"), 1), { bytes: 0, whole: true });
});

it("takes what is too deep to be looked into for too large", async (t) => {
  const { home, homes } = rig(t);
  const script = `cd "$1" && n=${"d".repeat(250)} && for i in $(seq 20); do mkdir $n && cd -P $n || exit 1; done`;
  execFileSync("sh", ["-c", script, "sh", home]);
  const checked = await homes.check(home);
  assert.match(
    checked.ok ? "" : checked.problem,
    /cannot be measured: .*looked into\. The owner can start it afresh \(sallyport agent reset NAME\)/,
  );
  execFileSync("rm", ["-rf", home]);
});

const deep = `cd "$1" && n=${"d".repeat(200)} && for i in $(seq 40); do mkdir $n && cd -P $n || exit 1; done; cd "$1" && chmod 0 "$n"`;

it("starts the home of strangers afresh when it is of no use, with what they have just sent", async (t) => {
  const { folder, homes, log } = rig(t);
  const all = join(folder, "homes");
  const home = join(all, "anonymous");
  const kept = () => readdirSync(all).filter((name) => name.startsWith("anonymous.full-"));
  const spoil = () => {
    mkdirSync(join(home, "inbox"), { recursive: true });
    writeFileSync(join(home, "inbox", "photo.jpg"), "photo");
    execFileSync("sh", ["-c", deep, "sh", home]);
  };
  spoil();
  assert.deepEqual(await homes.check(home), { ok: true });
  const [first] = kept();
  assert.ok(first);
  assert.deepEqual(readdirSync(home), ["inbox"]);
  assert.equal(readFileSync(join(home, "inbox", "photo.jpg"), "utf8"), "photo");
  assert.match(log.lines.join("\n"), /put aside/);
  await wait(2);
  spoil();
  assert.deepEqual(await homes.check(home), { ok: true });
  while (kept().length > 1) await wait(5);
  assert.notEqual(kept()[0], first);
  writeFileSync(join(home, "big"), bytes(6 * megabyte));
  assert.deepEqual(await homes.check(home), { ok: true });
  assert.deepEqual(readdirSync(home), ["inbox"]);
  while (kept().length > 1) await wait(5);
});

it("lets an agent start in a home a little too large, and in none that is much too large", async (t) => {
  const { home, homes, fill, limit } = rig(t);
  fill("a", 4);
  fill("b", 0.5);
  assert.deepEqual(await homes.check(home), { ok: true });
  fill("c", 2);
  const checked = await homes.check(home);
  assert.match(
    checked.ok ? "" : checked.problem,
    /larger than 4 MB by more than a quarter.*config set homes\.maxMB N.*sallyport doctor/,
  );
  limit.maxMB = 8;
  assert.deepEqual(await homes.check(home), { ok: true });
});

it("tells once of a home that grows too large while an agent runs in it", async (t) => {
  const { fill, over } = rig(t);
  const told = over();
  fill("a", 2);
  fill("b", 3);
  assert.match(await told, /larger than 4 MB, so the agent was ended\. Ask it to delete/);
});

it("bears with one that was too large before, as long as it does not fill the leeway", async (t) => {
  const { home, homes, fill } = rig(t);
  fill("a", 4.5);
  const seen: string[] = [];
  let second = () => {};
  const grew = new Promise<void>((resolve) => {
    second = resolve;
  });
  t.after(
    homes.watch(home, (problem) => {
      seen.push(problem);
      second();
    }),
  );
  // Another look at the same home has come and gone when a later watch has told of its own.
  const other = rig(t);
  other.fill("x", 1);
  const told = other.over();
  other.fill("y", 6);
  await told;
  assert.deepEqual(seen, []);
  fill("b", 1);
  await grew;
  assert.equal(seen.length, 1);
});

it("looks at once when the disk fills up, long before the next look", async (t) => {
  const { home, fill, over, limit } = rig(t, { everyMs: 3_600_000 });
  const told = over();
  // The first look takes as long as one of ours.
  for (let n = 0; n < 50; n++) await measureHome(home, megabyte);
  const before = limit.asked;
  assert.ok(before >= 1);
  fill("a", 64);
  assert.match(await told, /larger than 4 MB/);
  assert.ok(limit.asked > before);
});

it("says nothing any more once it was stopped", async (t) => {
  const { home, homes, fill, over } = rig(t);
  const seen: string[] = [];
  const stop = homes.watch(home, (problem) => seen.push(problem));
  stop();
  const told = over();
  fill("a", 6);
  await told;
  rmSync(join(home, "a"));
  assert.deepEqual(seen, []);
});
