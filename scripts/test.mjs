// Runs every test, or those whose path contains one of the words given, and ends with one plain line of counts.
import { globSync } from "node:fs";
import { run } from "node:test";
import { spec } from "node:test/reporters";

const words = process.argv.slice(2);
const files = globSync("test/**/*.test.ts")
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
if (files.length === 0) {
  console.error(`No test file matches: ${words.join(" ")}`);
  process.exit(2);
}

const counts = { passed: 0, failed: 0, skipped: 0 };
const skips = [];
const stream = run({ files, concurrency: 2, timeout: 600_000 });
stream.on("test:pass", ({ details, skip, name, file }) => {
  if (details.type === "suite") return;
  if (skip === undefined || skip === false) counts.passed += 1;
  else {
    counts.skipped += 1;
    skips.push(
      `${file?.replace(`${process.cwd()}/`, "")}: ${name} (${skip === true ? "no reason given" : skip})`,
    );
  }
});
stream.on("test:fail", ({ details }) => {
  if (details.type !== "suite") counts.failed += 1;
});
stream.on("end", () => {
  // After the reporter's own summary, so that this is the last line.
  setImmediate(() => {
    for (const skip of skips) console.log(`skipped: ${skip}`);
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    process.exit(counts.failed > 0 || counts.passed === 0 ? 1 : 0);
  });
});
stream.compose(spec).pipe(process.stdout, { end: false });
