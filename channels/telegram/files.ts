// Files that people sent: from the Bot API's file address, or from the disk of a Bot API server on this machine.
import { createReadStream } from "node:fs";
import { realpath } from "node:fs/promises";
import { Readable } from "node:stream";
import type { Api } from "grammy";
import type { ChannelContext } from "../../src/core/channel.ts";
import type { FileRef } from "../../src/core/events.ts";
import { bounded } from "../shared/bounded.ts";
import type { TelegramConfig } from "./config.ts";
import { fileMost } from "./content.ts";
import { describe } from "./errors.ts";

export interface FilePorts {
  readonly api: Api;
  readonly config: TelegramConfig;
  readonly context: ChannelContext;
}

/** Rejects with a sentence; what came in until then is thrown away by whoever gave the stream. */
export async function fetchFile(
  ports: FilePorts,
  file: FileRef,
  into: WritableStream<Uint8Array>,
): Promise<void> {
  try {
    const { file_path: path } = await ports.api.getFile(file.id);
    if (!path) throw new Error("Telegram does not hand this file out.");
    await (await open(ports, path)).pipeThrough(bounded(fileMost)).pipeTo(into);
  } catch (error) {
    await into.abort(error).catch(() => undefined);
    throw new Error(describe(error, ports.config.token));
  }
}

async function open(ports: FilePorts, path: string): Promise<ReadableStream<Uint8Array>> {
  const { apiRoot, token } = ports.config;
  if (path.startsWith("/")) return await openLocal(path, ports.config);
  const fetch = ports.context.fetchFrom(apiRoot);
  const address = path.split("/").map(encodeURIComponent).join("/");
  const response = await fetch(`${apiRoot}/file/bot${token}/${address}`);
  if (!response.ok || !response.body)
    throw new Error(`Telegram did not hand the file out (${response.status}).`);
  return response.body;
}

/** A server in local mode names a file of its own disk, in a folder named like the token; no other file is read. */
async function openLocal(path: string, { apiRoot, token }: TelegramConfig) {
  const loopback = /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(new URL(apiRoot).hostname);
  const real = await realpath(path).catch(() => undefined);
  if (!loopback || !real?.includes(`/${token}/`))
    throw new Error("The Bot API server named a file that cannot be reached from here.");
  return Readable.toWeb(createReadStream(real)) as ReadableStream<Uint8Array>;
}
