// One mail, made of a part, its thread and the key that it is sent under. What strangers wrote stands in no header as it is.
import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { SendMailOptions } from "nodemailer";
import { type OutFile, type Part, SendError } from "../../src/core/channel.ts";
import type { Address } from "../../src/core/words.ts";
import type { EmailConfig } from "./config.ts";
import { mailPage } from "./outbound.ts";
import {
  bareSubject,
  bounded,
  type Echo,
  echoIn,
  isMessageId,
  longestSubject,
  oneLine,
} from "./threads.ts";

/** Of all files of a mail together; on its way it is a third more. */
export const filesMost = 20 * 1024 * 1024;

export interface Letter {
  readonly config: Pick<EmailConfig, "address" | "name">;
  readonly to: Address;
  readonly part: Part;
  readonly messageId: string;
}

/** Rejects with SendError where it can never be sent. */
export async function compose(letter: Letter): Promise<SendMailOptions> {
  const { config, to, part, messageId } = letter;
  const files = [...(part.file ? [part.file] : []), ...(part.along ?? [])];
  if (part.plain.trim() === "" && files.length === 0)
    throw new SendError("rejected", "There is nothing to send.");
  const echo = echoIn(part.replyTo?.echo);
  const address = receiverOf(to, echo);
  const size = await sizeOf(files);
  return {
    from: { name: oneLine(config.name ?? ""), address: config.address },
    to: { name: "", address },
    envelope: { from: config.address, to: [address], size: sizeOnItsWay(part, size) },
    messageId,
    ...threading(part, echo),
    date: new Date(),
    text: part.plain,
    ...(part.body === undefined ? {} : { html: mailPage(part.body) }),
    attachments: files.map(attachmentOf),
    headers: {
      "Auto-Submitted": parentOf(part) ? "auto-replied" : "auto-generated",
      "X-Auto-Response-Suppress": "All",
    },
    textEncoding: "quoted-printable",
    xMailer: false,
    // Whatever a path looks like, it is a file of this machine.
    disableUrlAccess: true,
  };
}

const atoms = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const labels = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** The chat is the account that was proved; the mail may know how its owner writes it. */
function receiverOf({ chat }: Address, echo: Echo | undefined): string {
  const [local = "", domain = "", ...more] = chat.split("@");
  const plain = atoms.test(local) && labels.test(domain) && chat.length <= 254;
  if (!plain || more.length > 0)
    throw new SendError("rejected", "That is no address that a mail can be sent to.");
  return echo?.address.toLowerCase() === chat ? echo.address : chat;
}

/** The mail that it answers. */
function parentOf({ replyTo }: Part): string | undefined {
  return replyTo && isMessageId(replyTo.id) ? replyTo.id : undefined;
}

function threading(
  part: Part,
  echo: Echo | undefined,
): Pick<SendMailOptions, "subject" | "inReplyTo" | "references"> {
  const parent = parentOf(part);
  const subject = echo ? `Re: ${echo.subject || "your mail"}` : ownSubject(part);
  if (parent === undefined) return { subject };
  const before = (echo?.references ?? []).filter((id) => id !== parent);
  return { subject, inReplyTo: parent, references: bounded([...before, parent]) };
}

/** Nobody gave it one: its first words. */
function ownSubject({ plain, file }: Part): string {
  const line = plain.split("\n").find((text) => text.trim() !== "") ?? file?.name ?? "";
  return bareSubject(line, longestSubject) || "A message";
}

function attachmentOf({ path, name, mime }: OutFile) {
  return {
    path,
    filename: fileName(name),
    contentType: mimeOf(mime),
    contentDisposition: "attachment" as const,
    contentTransferEncoding: "base64" as const,
  };
}

/** A name, not a path: no separators, nothing that ends a line or turns it around. */
function fileName(name: string): string {
  const plain = oneLine(name.replaceAll(/[/\\]/g, "_"));
  return plain.slice(0, 150).replace(/[\ud800-\udbff]$/, "") || "file";
}

/** Types that are made of parts would be read as parts of this mail. */
function mimeOf(mime: string): string {
  const plain = /^[a-z0-9][a-z0-9.+-]{0,60}\/[a-z0-9][a-z0-9.+-]{0,90}$/i.test(mime);
  return plain && !/^(?:multipart|message)\//i.test(mime) ? mime : "application/octet-stream";
}

async function sizeOf(files: readonly OutFile[]): Promise<number> {
  let size = 0;
  for (const { path, name } of files) {
    const known = isAbsolute(path) ? await stat(path).catch(() => undefined) : undefined;
    if (!known?.isFile())
      throw new SendError("rejected", `The file ${fileName(name)} cannot be read any more.`);
    size += known.size;
  }
  if (size <= filesMost) return size;
  const megabytes = Math.ceil(size / 1024 / 1024);
  throw new SendError("rejected", `The files are ${megabytes} MB together: a mail takes 20 MB.`);
}

/** What the server is told beforehand (SIZE), so that it can refuse before it is sent in vain. */
function sizeOnItsWay({ plain, body = "" }: Part, files: number): number {
  return Math.ceil((plain.length + body.length) * 1.1 + files * 1.37) + 2000;
}
