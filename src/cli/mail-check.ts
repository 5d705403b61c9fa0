// Reads a mail from a file or standard input, and prints whom it is from and why.
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import type { Command } from "commander";
import { readEnvironment } from "../config/environment.ts";
import { placeOf } from "../config/paths.ts";
import { loadSettings } from "../config/settings-file.ts";
import { visible, visibleLine } from "../core/visible.ts";
import { Failure, wantsJson } from "./operator.ts";
import { print, table } from "./output.ts";

interface CheckFlags {
  readonly dns?: string;
  readonly to?: string;
}

/** What a mailbox takes. */
const most = 25 * 1024 * 1024;

export async function checkMailFile(
  file: string,
  flags: CheckFlags,
  command: Command,
): Promise<void> {
  const raw = file === "-" ? await fromStdin() : fromFile(file);
  const known = await knownMailbox(command);
  const { mail } = await import("../gateway.ts");
  const { checkMail } = await mail();
  const dns = flags.dns ?? known.dns;
  const to = flags.to ?? known.address;
  const arcSealers = known.arcSealers ?? [];
  const checked = await checkMail(raw, { dns, to, arcSealers });
  if (typeof checked === "string") throw new Failure(checked);
  const { verdict, lines } = checked;
  if (wantsJson(command)) printVerdict(verdict);
  else print(shownText(lines, to));
}

interface Line {
  readonly rule: string;
  readonly ok: boolean | null;
  readonly says: string;
}

function shownText(lines: readonly Line[], to: string | undefined): string {
  const rows = table(lines.slice(0, -1), [
    { title: "RULE", of: ({ rule }) => rule },
    { title: "", of: ({ ok }) => (ok ? "holds" : ok === null ? "?" : "FAILS") },
    { title: "FOUND", of: ({ says }) => says },
  ]);
  const notes = [
    ...(to === undefined ? ["Whom it was for was not checked: say it with --to ADDRESS."] : []),
    "Whether a mailbox has seen it before cannot be checked here: it hears each mail once.",
  ];
  return [rows, "", ...lines.slice(-1).map(({ says }) => visibleLine(says)), ...notes].join("\n");
}

interface VerdictShown {
  readonly is: string;
  readonly address: string | null;
  readonly reason: string;
}

/** What others wrote can drive no terminal: all but ASCII is escaped. */
function printVerdict({ is, address, reason }: VerdictShown): void {
  const text = JSON.stringify({ verdict: is, address, reason }, null, 2);
  print(
    text.replace(
      /[\u007f-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  );
}

interface KnownMailbox {
  readonly address?: string;
  readonly dns?: string;
  readonly arcSealers?: readonly string[];
}

/** Of the only mailbox of the settings, where there are settings and one mailbox. */
async function knownMailbox(command: Command): Promise<KnownMailbox> {
  const placed = placeOf(command.optsWithGlobals(), readEnvironment());
  if (!placed.ok) {
    const named = ["workspace", "state"].some(
      (flag) => command.getOptionValueSourceWithGlobals(flag) === "cli",
    );
    if (named) throw new Failure(placed.problem);
    return {};
  }
  const loaded = await loadSettings(placed.place.paths);
  if (!loaded.ok) throw new Failure(loaded.problem);
  const mailboxes = Object.values(loaded.settings.channels).filter(({ kind }) => kind === "email");
  const [only] = mailboxes;
  if (!only || mailboxes.length > 1) return {};
  const { address, dns, arcSealers } = only;
  return {
    ...(typeof address === "string" ? { address } : {}),
    ...(typeof dns === "string" ? { dns } : {}),
    ...(Array.isArray(arcSealers) ? { arcSealers: arcSealers.map(String) } : {}),
  };
}

function fromFile(path: string): Buffer {
  const refuse = (why: string) => new Failure(`${visible(path)} could not be read: ${why}`);
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT")
      throw refuse(
        "there is no such file. Save the mail as .eml in your mail program (often “Save as” or “Show original”), and name that file.",
      );
    throw refuse(code === "EACCES" ? "it is not yours to read. Choose a copy that is." : message);
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw refuse("it is no plain file. Name the saved mail (.eml) itself.");
    if (stat.size > most) throw refuse(tooLarge);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

const tooLarge =
  "it is larger than 25 MB, and a mailbox of Sallyport looks at none so large. Is it one mail?";

async function fromStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > most) throw new Failure(`Standard input could not be read: ${tooLarge}`);
  }
  return Buffer.concat(chunks);
}
