// Files that people sent: their address is asked for anew, since it is good for a day only, and fetched without the token.
import type { APIMessage, REST } from "discord.js";
import type { ChannelContext } from "../../src/core/channel.ts";
import type { FileRef } from "../../src/core/events.ts";
import { bounded } from "../shared/bounded.ts";
import { type DiscordConfig, isLoopback } from "./config.ts";
import { fileMost } from "./content.ts";
import { describe } from "./errors.ts";

export interface FilePorts {
  readonly rest: REST;
  readonly config: DiscordConfig;
  readonly context: ChannelContext;
}

/** Rejects with a sentence; what came in until then is thrown away by whoever gave the stream. */
export async function fetchFile(
  ports: FilePorts,
  file: FileRef,
  into: WritableStream<Uint8Array>,
): Promise<void> {
  try {
    const url = checked(await addressOf(ports, file), ports.config);
    const response = await ports.context.fetchFrom(url.origin)(url.href);
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      throw new Error(`Discord did not hand the file out (${response.status}).`);
    }
    await response.body.pipeThrough(bounded(fileMost)).pipeTo(into);
  } catch (error) {
    await into.abort(error).catch(() => undefined);
    throw new Error(describe(error, ports.config.token));
  }
}

async function addressOf({ rest }: FilePorts, { id }: FileRef): Promise<string> {
  const [channel, message, attachment] = /^(\d+)\/(\d+)\/(\d+)$/.exec(id)?.slice(1) ?? [];
  if (!channel) throw new Error("This is no file of Discord.");
  const found = (await rest.get(`/channels/${channel}/messages/${message}`)) as APIMessage;
  const url = found.attachments.find((one) => one.id === attachment)?.url;
  if (url === undefined) throw new Error("The file is gone from its message.");
  return url;
}

const hosts: ReadonlySet<string> = new Set(["cdn.discordapp.com", "media.discordapp.net"]);

/** Discord's own hosts; of a server on this machine, only that machine. */
function checked(address: string, { apiRoot }: DiscordConfig): URL {
  const url = URL.parse(address);
  const root = new URL(apiRoot);
  const own = isLoopback(apiRoot) && url?.hostname === root.hostname;
  if (url && !url.username && (own || (url.protocol === "https:" && hosts.has(url.host))))
    return url;
  throw new Error("Discord named a file that is not on its own servers.");
}
