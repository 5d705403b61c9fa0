// sallyport link: opens the page in a browser, signed in.
import type { Command } from "commander";
import { readEnvironment } from "../../config/environment.ts";
import { linkText } from "../link-text.ts";
import { report } from "../operator.ts";

export function addLink(root: Command): void {
  root
    .command("link")
    .description("a link that opens the page signed in as the owner; once, within 5 minutes")
    .action((_, command: Command) =>
      report(command, { name: "link", input: {} }, (made) => linkText(made, readEnvironment().ssh)),
    );
}
