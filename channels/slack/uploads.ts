// Files on their way out: an address is asked for, the bytes go there, then the file is shown in the conversation.
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { FilesCompleteUploadExternalArguments, WebClient } from "@slack/web-api";
import { type Fetch, type OutFile, type Part, SendError } from "../../src/core/channel.ts";
import type { MessageRef } from "../../src/core/events.ts";
import type { Address } from "../../src/core/words.ts";
import { fileMost } from "./content.ts";
import { toSendError } from "./errors.ts";
import { toMessage } from "./outbound.ts";
import type { SlackFile } from "./wire.ts";

export interface UploadPorts {
  readonly client: WebClient;
  readonly fetch: Fetch;
}

interface Upload {
  readonly file: OutFile;
  readonly comment?: Part;
}

export async function upload(
  ports: UploadPorts,
  to: Address,
  { file, comment }: Upload,
): Promise<MessageRef> {
  const id = await hand(ports, file).catch((error) => {
    throw notShown(error);
  });
  const text = comment && comment.plain.trim() !== "" ? toMessage(comment).text : undefined;
  const place = {
    channel_id: to.chat,
    ...(to.thread === undefined ? {} : { thread_ts: to.thread }),
    ...(text === undefined ? {} : { initial_comment: text }),
    files: [{ id, title: file.name }],
  };
  await ports.client.files.completeUploadExternal(place as FilesCompleteUploadExternalArguments);
  const ts = await shownAs(ports.client, id, to.chat);
  return { chat: to.chat, id: ts, ...(to.thread === undefined ? {} : { thread: to.thread }) };
}

/** Gives the file's id. Nobody sees it yet. */
async function hand({ client, fetch }: UploadPorts, file: OutFile): Promise<string> {
  const bytes = await readFile(file.path).catch((error) => {
    throw new SendError("rejected", `The file cannot be read (${error?.code ?? "unknown"}).`);
  });
  if (bytes.length > fileMost)
    throw new SendError("rejected", `The file is larger than ${fileMost / 1024 / 1024} MB.`);
  if (bytes.length === 0) throw new SendError("rejected", "Slack takes no empty file.");
  const { upload_url: url = "", file_id: id = "" } = await client.files.getUploadURLExternal({
    filename: file.name,
    length: bytes.length,
  });
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body: bytes,
  });
  await response.body?.cancel();
  if (!response.ok) throw new SendError("not-sent", `Slack did not take it (${response.status}).`);
  return id;
}

/** Whatever fails before the file is shown can be tried again. */
function notShown(error: unknown): SendError {
  const failure = toSendError(error);
  return failure.kind === "unknown" ? new SendError("not-sent", failure.message) : failure;
}

const looks = 3;
const lookEvery = 250;

/** Slack tells the message that shows a file only a moment later; without it the message cannot be changed. */
async function shownAs(client: WebClient, file: string, chat: string): Promise<string> {
  for (let look = 1; look <= looks; look += 1) {
    const info = await client.files.info({ file }).catch(() => undefined);
    if (!info) return "";
    const { shares } = info.file as SlackFile;
    for (const kind of Object.values(shares ?? {})) {
      const ts = kind[chat]?.[0]?.ts;
      if (ts) return ts;
    }
    if (look < looks) await sleep(lookEvery);
  }
  return "";
}
