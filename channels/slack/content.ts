// What a message carries beside its text: files, what we cannot read, and what it passes on.
import type { FileRef, InboundMessage } from "../../src/core/events.ts";
import { type NameOf, readable } from "./text.ts";
import type { Me, SlackFile, SlackMessage } from "./wire.ts";

/** What we take, each way. */
export const fileMost = 20 * 1024 * 1024;

/** Of a file of another workspace only the id may be told: the rest comes with the download. */
export function filesOf({ files = [] }: SlackMessage): FileRef[] {
  return files.flatMap((file) => {
    if (!file.id || notThere(file)) return [];
    return [
      {
        id: file.id,
        name: file.name || file.title || file.id,
        mime: file.mimetype || "application/octet-stream",
        ...(file.size === undefined ? {} : { size: file.size }),
      },
    ];
  });
}

function notThere({ mode, is_external }: SlackFile): boolean {
  return is_external === true || mode === "tombstone" || mode === "hidden_by_limit";
}

export function unreadableOf(message: SlackMessage): string | undefined {
  const { files = [], attachments = [], text } = message;
  const lost = files.find(notThere);
  if (lost?.is_external) return "a file that is kept outside of Slack";
  if (lost) return "a file that Slack no longer has";
  if (files.length > 0 || text || quoted(message)) return undefined;
  return attachments.length > 0 ? "an attachment" : "a message without text";
}

function quoted({ attachments = [] }: SlackMessage) {
  return attachments.find((one) => one.is_share || one.is_msg_unfurl);
}

/** A message that was passed on with this one. */
export function quoteOf(
  message: SlackMessage,
  me: Me,
  nameOf: NameOf,
): Pick<InboundMessage, "quote"> {
  const found = quoted(message);
  if (!found) return {};
  const { author_id: author = "", author_name: name, text = "" } = found;
  return {
    quote: {
      text: readable(text, nameOf) || "(no text)",
      author: name ?? nameOf(author) ?? author,
      ours: author === me.user,
    },
  };
}
