// The body of a message of ours, the same wherever it is sent: nobody is pinged, no preview is shown.
import { readFile, stat } from "node:fs/promises";
import type { RawFile } from "discord.js";
import { type Part, SendError } from "../../src/core/channel.ts";
import { prose } from "../shared/pieces.ts";
import { split } from "../shared/split.ts";
import { fileMost, flags } from "./content.ts";
import { discordDialect, mostButtons, toDiscord, toRows } from "./outbound.ts";

/** Discord has no mode without formatting: plain text is escaped. One text, unless it is too long for a message. */
export function textsOf({ body, plain }: Part): string[] {
  if (body !== undefined && body.length <= discordDialect.limit) return [body];
  const pieces = prose(plain, []);
  const whole = toDiscord(pieces);
  if (whole.length <= discordDialect.limit) return [whole];
  return split(pieces, discordDialect).map((message) => toDiscord(message));
}

export async function bodyOf({ buttons = [], file }: Part, content: string) {
  if (buttons.length > mostButtons)
    throw new SendError("rejected", `Discord takes no more than ${mostButtons} buttons.`);
  const files: RawFile[] = file ? [await read(file)] : [];
  const body = {
    content,
    // Whatever the text holds, and whoever is answered.
    allowed_mentions: { parse: [], replied_user: false },
    flags: flags.suppressEmbeds as number,
    components: toRows(buttons),
  };
  return { body, files };
}

async function read({ path, name, mime }: NonNullable<Part["file"]>): Promise<RawFile> {
  const { size } = await stat(path);
  if (size > fileMost)
    throw new SendError("rejected", `The file is larger than ${fileMost / 1024 / 1024} MB.`);
  return { name, data: await readFile(path), contentType: mime };
}

export function cutTo(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
