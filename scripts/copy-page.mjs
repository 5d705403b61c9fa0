// Puts what the page is made of beside its compiled module: the page itself is not compiled.
import { cpSync } from "node:fs";

cpSync("src/http/page", "dist/src/http/page", {
  recursive: true,
  filter: (path) => !/(?:\.ts|tsconfig\.json)$/.test(path),
});
