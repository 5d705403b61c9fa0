// The folder that `npm start` lets the agent work in: made once, in the clone, and never touched again.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const readme = `# Playground

A folder to try Sallyport in. The built-in agent can read and change what is here; before it changes
or runs anything, it asks.

Try:

- \`list\`
- \`read README.md\`
- \`search playground\`
- \`write hello.txt\`, and the text on the next line
- \`run ls -la\`
`;

export function makePlayground(): string {
  const folder = join(root(dirname(fileURLToPath(import.meta.url))), "playground");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "README.md");
  if (!existsSync(file)) writeFileSync(file, readme);
  return folder;
}

/** Of this package: sources and the built files lie at different depths. */
function root(folder: string): string {
  const parent = dirname(folder);
  return existsSync(join(folder, "package.json")) || parent === folder ? folder : root(parent);
}
