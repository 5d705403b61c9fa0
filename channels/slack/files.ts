// Files that people sent: only Slack's own addresses are given the token, and a login page is no file.
import type { WebClient } from "@slack/web-api";
import type { Fetch } from "../../src/core/channel.ts";
import type { FileRef } from "../../src/core/events.ts";
import { bounded, tooLarge } from "../shared/bounded.ts";
import { isSlackAddress } from "./addresses.ts";
import type { SlackConfig } from "./config.ts";
import { fileMost } from "./content.ts";
import { describe } from "./errors.ts";
import type { SlackFile } from "./wire.ts";

export interface FilePorts {
  readonly client: WebClient;
  readonly config: SlackConfig;
  readonly fetch: Fetch;
}

/** Rejects with a sentence; what came in until then is thrown away by whoever gave the stream. */
export async function fetchFile(
  ports: FilePorts,
  file: FileRef,
  into: WritableStream<Uint8Array>,
): Promise<void> {
  try {
    const { file: info } = await ports.client.files.info({ file: file.id });
    const body = await open(ports, (info ?? {}) as SlackFile);
    await body.pipeTo(into);
  } catch (error) {
    await into.abort(error).catch(() => undefined);
    throw new Error(describe(error));
  }
}

const noPage =
  "Slack gave its login page instead of the file: the app lacks the scope files:read. Add it in the app's settings and install the app again.";

async function open(
  { config, fetch }: FilePorts,
  file: SlackFile,
): Promise<ReadableStream<Uint8Array>> {
  const address = file.url_private_download ?? file.url_private ?? "";
  if (!isSlackAddress(address, config.apiRoot))
    throw new Error("The file is kept outside of Slack, it is not fetched from there.");
  if ((file.size ?? 0) > fileMost) throw new Error(tooLarge(fileMost));
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${config.token}` },
  });
  // Redirects lead to the login page, too.
  const redirected = response.status >= 300 && response.status < 400;
  const page = isPage(response);
  if (redirected || (page && !/html/i.test(file.mimetype ?? ""))) {
    await response.body?.cancel();
    throw new Error(noPage);
  }
  if (!response.ok || !response.body)
    throw new Error(`Slack did not hand the file out (${response.status}).`);
  const body = response.body.pipeThrough(bounded(fileMost));
  return page && file.size !== undefined ? body.pipeThrough(whole(file.size)) : body;
}

/** Status 200 and HTML, whatever the file is. Of a page that somebody sent the type is known, and its size. */
function isPage({ headers }: Response): boolean {
  return /^text\/html\b/i.test(headers.get("content-type") ?? "");
}

/** It must be as long as Slack has said. */
function whole(wanted: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      controller.enqueue(chunk);
    },
    flush() {
      if (size !== wanted) throw new Error(noPage);
    },
  });
}
