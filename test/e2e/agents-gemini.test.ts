// The real gemini in its container: it asks whatever it finds there, and goes on after its process was ended.
import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { boxed } from "../fakes/agents-box.ts";
import { playInBox } from "../fakes/agents-play.ts";

/** It begins a session's file anew when it loads it in the minute in which it was opened: that minute is made an earlier one. */
function makeOlder(home: string): void {
  const folder = join(home, ".gemini/tmp/workspace/chats");
  for (const name of readdirSync(folder)) {
    const older = name.replace(/T\d\d-\d\d-/, "T00-00-");
    renameSync(join(folder, name), join(folder, older));
  }
}

it(
  "gemini in a container asks, does what is allowed and nothing else, and never has the key",
  boxed("gemini"),
  (t) => playInBox(t, "gemini", { between: ({ home }) => makeOlder(home) }),
);
