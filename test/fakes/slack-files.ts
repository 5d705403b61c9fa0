// Files of the fake Slack: the upload in three steps, what a file looks like, and its download with a token.

import { checkBlocks } from "./slack-blocks.ts";
import { type Platform, post } from "./slack-posting.ts";
import { appMessage } from "./slack-pressing.ts";
import { SlackFailure, type SlackMessage, type StoredFile } from "./slack-types.ts";
import type { Params } from "./telegram-types.ts";

/** What a browser without a session is shown: status 200, and no word of a missing right. */
export const loginPage = "<!DOCTYPE html><html><head><title>Sign in | Slack</title></head></html>";

export function describeFile(
  { id, name, mime, title, owner, bytes }: StoredFile,
  { team, url }: { team: string; url: string },
): Record<string, unknown> {
  const place = `${url}/files-pri/${team}-${id}`;
  const shown = encodeURIComponent(name);
  return {
    ...{ id, name, title: title ?? name, mimetype: mime, user: owner, size: bytes.length },
    ...{ filetype: name.split(".").at(-1), mode: "hosted", is_external: false, is_public: false },
    file_access: "visible",
    url_private: `${place}/${shown}`,
    url_private_download: `${place}/download/${shown}`,
  };
}

export function openUpload({ world, url }: Platform, params: Params): Params {
  const { filename, length } = params;
  if (!filename) throw new SlackFailure("invalid_arguments");
  if (!(Number(length) > 0)) throw new SlackFailure("invalid_arguments");
  const file = world.addFile({ name: String(filename), content: "" }, world.me.user);
  file.secret = world.secret();
  return { upload_url: `${url()}/upload/v1/${file.secret}`, file_id: file.id };
}

/** Gives what the upload's address answers. */
export function takeUpload({ world }: Platform, secret: string, bytes: Uint8Array): string {
  const file = [...world.files.values()].find((one) => one.secret === secret);
  if (!file) throw new SlackFailure("upload_not_found", { status: 404 });
  file.bytes = bytes;
  return `OK - ${bytes.length}`;
}

/** The messages that a file came in are not told here: files.info knows them a moment later. */
export function completeUpload(platform: Platform, params: Params): Params {
  const { world, url } = platform;
  const wanted = params.files as { id?: string; title?: string }[] | undefined;
  if (!Array.isArray(wanted) || wanted.length === 0) throw new SlackFailure("invalid_arguments");
  const files = wanted.map(({ id, title }) => uploaded(platform, { id, title }));
  const shown = files.map((file) => describeFile(file, { team: world.me.team, url: url() }));
  const channel = params.channel_id;
  if (channel !== undefined) share(platform, { files, shown, channel, params });
  return { files: shown.map((file) => ({ ...file, shares: {} })) };
}

function uploaded(
  { world }: Platform,
  { id, title }: { id: string | undefined; title: string | undefined },
) {
  const file = world.files.get(id ?? "");
  if (!file || file.secret === undefined || file.bytes.length === 0)
    throw new SlackFailure("file_not_found");
  delete file.secret;
  if (title !== undefined) file.title = title;
  return file;
}

interface Sharing {
  readonly files: readonly StoredFile[];
  readonly shown: Record<string, unknown>[];
  readonly channel: unknown;
  readonly params: Params;
}

function share(platform: Platform, { files, shown, channel, params }: Sharing): void {
  const { world } = platform;
  const room = world.roomOf(channel);
  if (!room.members.has(world.me.user)) throw new SlackFailure("not_in_channel");
  const thread = params.thread_ts === undefined ? undefined : String(params.thread_ts);
  if (thread && !world.find(room, thread)) throw new SlackFailure("thread_not_found");
  const { blocks } = params;
  if (blocks !== undefined) checkBlocks(blocks);
  const text = String(params.initial_comment ?? "");
  const own = appMessage(platform, { text, blocks: blocks as never, thread });
  // Unlike its other messages: nothing but the account says that it is the app's.
  const { bot_id: _, app_id: __, bot_profile: ___, ...rest } = own;
  const message = { ...rest, subtype: "file_share", upload: false, files: shown } as SlackMessage;
  for (const file of files)
    file.shares.push({ channel: room.id, ts: message.ts, public: room.kind === "channel" });
  world.counters.sent += 1;
  post(platform, room, { message, byBot: true });
}

export function fileInfo({ world, url }: Platform, params: Params): Params {
  const file = world.files.get(String(params.file));
  if (!file || file.secret !== undefined) throw new SlackFailure("file_not_found");
  const shares: Record<string, Record<string, { ts: string }[]>> = {};
  for (const one of file.shares) {
    const kind = one.public ? "public" : "private";
    shares[kind] ??= {};
    shares[kind][one.channel] ??= [];
    shares[kind][one.channel]?.push({ ts: one.ts });
  }
  return { file: { ...describeFile(file, { team: world.me.team, url: url() }), shares } };
}

/** Undefined: the login page. */
export function download(platform: Platform, path: string): StoredFile | undefined {
  const id = /^\/files-pri\/[^/]*-(F\w+)\//.exec(path)?.[1];
  const file = platform.world.files.get(id ?? "");
  return platform.scopes.has("files:read") ? file : undefined;
}
