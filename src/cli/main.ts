#!/usr/bin/env node
// The command line's first steps: the Node version, then everything else.
import module from "node:module";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `Sallyport needs Node.js 22.19 or newer; this is ${process.versions.node}. Install it from https://nodejs.org, or use \`npm run -s sallyport -- ...\` in a clone.`,
  );
  process.exit(1);
}
// `sallyport … | head`: whoever reads has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 1);
});
module.enableCompileCache?.();
const { run } = await import("./program.ts");
await run(process.argv);
