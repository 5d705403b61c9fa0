// Puts what every image of an agent must hold of Sallyport into a folder. Usage: node own-agent.mjs FOLDER
import { cpSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ownAgentFolders } from "../dist/src/sandbox/image/own-agent.js";

const [folder] = process.argv.slice(2);
for (const { from, to } of await ownAgentFolders())
  cpSync(from, join(folder, relative("/opt/sallyport", to)), { recursive: true });

// A gateway that runs from a clone starts the same programs by the names that its sources have.
for (const path of readdirSync(folder, { recursive: true }))
  if (path.endsWith(".js") && !path.startsWith("node_modules")) {
    const file = path.split("/").at(-1);
    writeFileSync(join(folder, path.replace(/js$/, "ts")), `import "./${file}";\n`);
  }
