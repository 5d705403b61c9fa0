// Installs the dependencies when they are missing or older than the lock file. Plain JavaScript: it must run on any Node.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";

const wanted = [22, 19];
const pinnedNode = "24.21.0";

function modified(path) {
  try {
    return statSync(new URL(`../${path}`, import.meta.url)).mtimeMs;
  } catch {
    return 0;
  }
}

function isOldNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  return major < wanted[0] || (major === wanted[0] && minor < wanted[1]);
}

if (modified("node_modules/.package-lock.json") < modified("package-lock.json")) {
  // An old npm-side Node would silently leave out packages that ask for a newer one, so npm itself runs on the pinned Node.
  const install = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
  const args = isOldNode()
    ? ["exec", "--yes", `--package=node@${pinnedNode}`, "--", "npm", ...install]
    : install;
  console.error("Installing dependencies (once) ...");
  const { status, error } = spawnSync("npm", args, {
    cwd: new URL("..", import.meta.url),
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error(
      error?.message ??
        "npm ci failed. Check the network and the npm registry, then run the same command again.",
    );
    process.exit(status || 1);
  }
}
