// What can be told of a mailbox before it is opened: that another channel reads it, that a server's address is none.
import type { Settings } from "../config/settings.ts";

type Given = Readonly<Record<string, unknown>>;

/** Which channel reads it already, in words. */
export function twinProblem(channels: Settings["channels"], config: Given): string | undefined {
  const twin = Object.entries(channels).find(([, one]) => isSameMailbox(one, config))?.[0];
  return (
    twin &&
    `${twin} reads this mailbox already, and each mail is answered once. Remove it with: sallyport channel rm ${twin}; or add another mailbox.`
  );
}

function isSameMailbox(other: Settings["channels"][string], config: Given): boolean {
  const folder = (one: Given) => one.folder ?? "INBOX";
  const address = (one: Given) => String(one.address ?? "").toLowerCase();
  return (
    other.kind === "email" && address(other) === address(config) && folder(other) === folder(config)
  );
}

const examples = { imap: "imaps://imap.example.org:993", smtp: "smtps://smtp.example.org:465" };

export function serverProblem(end: "imap" | "smtp", given: string): string | undefined {
  const { protocol, hostname } = URL.canParse(given)
    ? new URL(given)
    : { protocol: "", hostname: "" };
  return [`${end}:`, `${end}s:`].includes(protocol) && hostname !== ""
    ? undefined
    : `${JSON.stringify(given)} is no server address. Give it like ${examples[end]}`;
}

/** Of a setting that is about to change. */
export function mailSettingProblem(
  channels: Settings["channels"],
  key: string,
  [value = ""]: readonly string[],
): string | undefined {
  const [first, id = "", end = "", ...more] = key.split(".");
  const isMailbox =
    first === "channels" && Object.hasOwn(channels, id) && channels[id]?.kind === "email";
  return isMailbox && more.length === 0 && (end === "imap" || end === "smtp")
    ? serverProblem(end, value)
    : undefined;
}
