// The API methods that move files: sendDocument and sendPhoto take them, getFile and the download give them.
import { readCaption } from "./telegram-content.ts";
import { type MethodCall, post } from "./telegram-messages.ts";
import { textParam } from "./telegram-params.ts";
import { ApiFailure, badRequest, type FakeMessage } from "./telegram-types.ts";
import type { StoredFile, World } from "./telegram-world.ts";

const DOWNLOAD_LIMIT = 20 * 1024 * 1024;
const UPLOAD_LIMIT = 50 * 1024 * 1024;
const PHOTO_LIMIT = 10 * 1024 * 1024;

export function sendDocument(call: MethodCall): FakeMessage {
  return sendFile(call, "document", (file) => ({ document: describe(file) }));
}

export function sendPhoto(call: MethodCall): FakeMessage {
  return sendFile(call, "photo", (file) => {
    if (file.size > PHOTO_LIMIT) throw badRequest("too big for a photo");
    if (file.bytes && !isImage(file.bytes)) throw badRequest("IMAGE_PROCESS_FAILED");
    return { photo: photoSizes(file) };
  });
}

function sendFile(
  call: MethodCall,
  field: "document" | "photo",
  show: (file: StoredFile) => Partial<FakeMessage>,
): FakeMessage {
  const { text, entities } = readCaption(call.params);
  return post(call, () => {
    const file = findFile(call, field);
    return {
      ...show(file),
      ...(text !== "" && { caption: text }),
      ...(entities.length > 0 && { caption_entities: entities }),
      file,
    };
  });
}

/** An upload comes as a part of that name, or as attach://part; a known file by its id. */
function findFile({ world, params, uploads }: MethodCall, field: string): StoredFile {
  const given = textParam(params, field) ?? "";
  const part = given.startsWith("attach://") ? given.slice("attach://".length) : field;
  const upload = uploads.get(part);
  if (!upload) {
    if (given === "") throw badRequest(`there is no ${field} in the request`);
    const known = world.files.get(given);
    if (known) return known;
    throw badRequest("wrong file identifier/HTTP URL specified");
  }
  if (upload.bytes.length === 0) throw badRequest("file must be non-empty");
  if (upload.bytes.length > UPLOAD_LIMIT) throw new ApiFailure(413, "Request Entity Too Large");
  const { name, mime, bytes } = upload;
  return world.addFile({ name, mime, bytes, size: bytes.length, folder: `${field}s` });
}

export function describe(file: StoredFile): Record<string, unknown> {
  return {
    file_id: file.id,
    file_unique_id: file.uniqueId,
    file_name: file.name,
    mime_type: file.mime,
    file_size: file.size,
  };
}

/** Real photos come in several sizes, smallest first, without a name. */
export function photoSizes(file: StoredFile): Record<string, unknown>[] {
  const ids = { file_id: file.id, file_unique_id: file.uniqueId };
  return [
    { ...ids, file_unique_id: `${file.uniqueId}-s`, width: 90, height: 67, file_size: 1_200 },
    { ...ids, width: 1280, height: 960, file_size: file.size },
  ];
}

export function getFile({ world, params }: MethodCall): Record<string, unknown> {
  const file = world.files.get(textParam(params, "file_id") ?? "");
  if (!file) throw badRequest("wrong file_id or the file is temporarily unavailable");
  if (file.size > DOWNLOAD_LIMIT) throw badRequest("file is too big");
  const { id, uniqueId, size, path } = file;
  return { file_id: id, file_unique_id: uniqueId, file_size: size, file_path: path };
}

export function download(world: World, path: string): Uint8Array {
  for (const file of world.files.values())
    if (file.path === path && file.size <= DOWNLOAD_LIMIT)
      return file.bytes ?? new Uint8Array(file.size);
  throw new ApiFailure(404, "Not Found");
}

function isImage(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  return (
    head.startsWith("\x89PNG") ||
    head.startsWith("\xff\xd8\xff") ||
    head.startsWith("GIF8") ||
    (head.startsWith("RIFF") && head.endsWith("WEBP"))
  );
}
