// sallyport image: what the sandbox is made of.
import { type Command, Option } from "commander";
import type { Outcome } from "../../admin/context.ts";
import { harmless, visibleLine } from "../../core/visible.ts";
import { Failure, placeFor, wantsJson } from "../operator.ts";
import { print, printJson, table, when } from "../output.ts";

// Written out: reading them from where images are made would load Docker's client for every command.
const presets = ["workspace", "claude", "codex", "opencode", "gemini"] as const;

interface BuildFlags {
  readonly fromHost?: boolean;
  readonly preset?: (typeof presets)[number];
}

export function addImage(root: Command): void {
  const image = root.command("image").description("images that sandboxes are made of");
  image
    .command("build")
    .description("make the image of an agent: from our Dockerfile, or of this machine's own files")
    .option("--from-host", "of this machine's own Node, tools and libraries: needs no registry")
    .addOption(
      new Option("--preset <name>", "the agent in it; the one that is set when not given").choices(
        presets,
      ),
    )
    .action(build);
  image
    .command("list")
    .description("the images that Sallyport has made, the newest first")
    .action(list);
  image
    .command("rm <name>")
    .description("remove an image that Sallyport has made and nothing uses")
    .action(remove);
}

function settled<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Failure(outcome.problem);
  return outcome.value;
}

async function build({ fromHost = false, preset }: BuildFlags, command: Command): Promise<void> {
  const { buildImage } = await import("../../admin/image.ts");
  const place = placeFor(command);
  const onOutput = (text: string) =>
    void process.stderr.write(harmless(text.replaceAll(/\r(?!\n)/g, "\n")));
  const built = settled(await buildImage({ place, fromHost, preset, onOutput }));
  if (wantsJson(command)) return printJson(built);
  print(`${built.image} ${built.isNew ? "is made" : "is there already: nothing has changed"}.`);
  print(built.next);
}

async function list(_: unknown, command: Command): Promise<void> {
  const { listImages } = await import("../../admin/image.ts");
  const rows = settled(await listImages());
  if (wantsJson(command)) return printJson(rows);
  if (rows.length === 0)
    return print("There are no images. Make one with: sallyport image build --from-host");
  print(
    table(rows, [
      { title: "NAME", of: (row) => row.name },
      { title: "MB", of: (row) => String(row.megabytes) },
      { title: "MADE", of: (row) => when(row.made) },
    ]),
  );
}

async function remove(name: string, _: unknown, command: Command): Promise<void> {
  const { removeImage } = await import("../../admin/image.ts");
  const removed = settled(await removeImage(name));
  if (wantsJson(command)) printJson(removed);
  else print(`${visibleLine(removed.name)} is removed.`);
}
