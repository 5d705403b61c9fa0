// What went wrong with a mail on its way out, as the six kinds of SendError. The only place that words what the mail
// server and its client say: neither passwords nor tokens get into it.
import { SendError } from "../../src/core/channel.ts";

/** What nodemailer hangs onto its errors. */
interface Failure {
  readonly code: string;
  /** Of the system or of TLS, where `code` is nodemailer's own. */
  readonly cause: string;
  readonly reply: string;
  readonly replyCode: number;
  readonly command: string;
  readonly message: string;
}

export interface Sent {
  /** The whole mail, with its last dot, was handed to the connection: the server may have it. */
  readonly handedOver: boolean;
  /** Never to be seen in a message. */
  readonly secrets: readonly string[];
}

export function toSendError(error: unknown, { handedOver, secrets }: Sent): SendError {
  if (error instanceof SendError) return error;
  const failure = read(error);
  if (failure.code === "EAUTH") return fromSignIn(failure);
  if (failure.replyCode >= 400) return fromReply(failure, secrets);
  if (failure.code === "ESTREAM") return fromFile(failure);
  if (/^Message size larger/.test(failure.message))
    return new SendError("rejected", tooLarge("says so beforehand"));
  const why = networkWhy(failure);
  if (!handedOver) return new SendError("not-sent", `The mail did not go out: ${why}.`);
  return new SendError(
    "unknown",
    `The mail server had the whole mail, but did not say that it took it: ${why}.`,
  );
}

function read(error: unknown): Failure {
  const held: Record<string, unknown> =
    typeof error === "object" && error !== null ? { ...error } : {};
  const { responseCode } = held;
  const text = (name: string) => (typeof held[name] === "string" ? String(held[name]) : "");
  return {
    code: text("code"),
    cause: text("originalCode"),
    reply: text("response"),
    replyCode: typeof responseCode === "number" ? responseCode : 0,
    command: text("command"),
    message: error instanceof Error ? error.message : "",
  };
}

/** What a server answers to a sign-in may repeat what it was given, so none of it is shown. */
function fromSignIn({ replyCode, message }: Failure): SendError {
  if (replyCode >= 400 && replyCode < 500)
    return new SendError("not-sent", `The mail server cannot sign anybody in now (${replyCode}).`);
  const why = replyCode ? `(${replyCode})` : `(${/token/i.test(message) ? "no token" : "no way"})`;
  return new SendError(
    "unauthorised",
    `The mail server did not let us sign in ${why}: set the password or the tokenCommand again.`,
  );
}

function fromReply(failure: Failure, secrets: readonly string[]): SendError {
  const { replyCode: code, reply, command } = failure;
  const said = `The mail server answered "${shown(reply, secrets)}"${command && command !== "CONN" ? ` to ${command}` : ""}`;
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(reply)?.[1] ?? "";
  // About the server as a whole: another mail would be told the same.
  const early = /^(?:CONN|EHLO|HELO|STARTTLS)$/.test(command);
  if (code < 500 || code === 503 || early) {
    if (/^4\.7\.|rate|too (?:many|fast)|throttl|slow down/i.test(early ? "" : afterCode(reply)))
      return new SendError("rate-limited", `${said}.`, { retryAfter: slowDown });
    return new SendError("not-sent", `${said}.`);
  }
  if (code === 530 || code === 538 || code === 535)
    return new SendError("unauthorised", `${said}: set the password or the tokenCommand again.`);
  if (code === 552 && !/^5\.2\.2/.test(enhanced) && !/quota|full/i.test(reply))
    return new SendError("rejected", tooLarge(shown(reply, secrets)));
  if (/^5\.(?:3\.4|2\.3)$/.test(enhanced))
    return new SendError("rejected", tooLarge(shown(reply, secrets)));
  if (command !== "MAIL FROM" && isNobody(enhanced, reply))
    return new SendError("gone", `${said}.`);
  return new SendError("rejected", `${said}.`);
}

const slowDown = 60_000;

function afterCode(reply: string): string {
  return reply.replace(/^\d{3}[ -]/, "");
}

/** A mailbox that is full, closed or wants none of this mail is still somebody's. */
function isNobody(enhanced: string, reply: string): boolean {
  if (enhanced) return /^5\.1\.(?:1|2|3|6|10)$/.test(enhanced);
  return /no such (?:user|mailbox|recipient|address)|(?:user|recipient|mailbox|address) (?:is )?(?:unknown|not found|does(?: not|n't) exist)|unknown (?:user|recipient|mailbox)/i.test(
    reply,
  );
}

function tooLarge(why: string): string {
  return `The mail is larger than the mail server takes (${why}): ask for smaller files, or for a link.`;
}

function fromFile({ cause }: Failure): SendError {
  return new SendError("rejected", `A file cannot be read${cause ? ` (${cause})` : ""}.`);
}

function networkWhy({ code, cause, message }: Failure): string {
  const name = /^[A-Z][A-Z0-9_]{2,60}$/.test(cause) ? cause : "";
  if (code === "EDNS") return "the mail server's name was not found";
  if (code === "ETLS" || /certificate|CERT|TLS|SSL/.test(`${name} ${message}`))
    return `no safe connection (TLS) to the mail server${certificateHint(`${name} ${message}`)}`;
  if (code === "ETIMEDOUT" || code === "EABORT" || name === "ETIMEDOUT") return "no answer in time";
  if (name === "ECONNREFUSED") return "nothing listens there (ECONNREFUSED)";
  if (name) return `the connection failed (${name})`;
  if (code === "ECONNECTION" || code === "ESOCKET") return "the connection broke";
  if (code === "EPROTOCOL") return "what answered is no mail server";
  return /pool was closed/.test(message) ? "the channel stops" : "the mail program failed";
}

function certificateHint(said: string): string {
  if (/self.signed|SELF_SIGNED|UNABLE_TO|unable to/.test(said))
    return ": its certificate is of nobody we trust; for a server of your own set `ca`";
  if (/expired/i.test(said)) return ": its certificate has expired";
  if (/altname|ALTNAME|does not match/.test(said)) return ": its certificate is for another name";
  return "";
}

/** On one line, short, and without what we signed in with. */
function shown(reply: string, secrets: readonly string[]): string {
  let line = reply.replace(/[^\x20-\x7e]+/g, " ");
  for (const secret of secrets)
    for (const form of [secret, Buffer.from(secret).toString("base64")])
      line = line.replaceAll(form, "…");
  // What we said to sign in, in whatever coding.
  line = line.replace(/[\w+/=-]{24,}/g, "…");
  return line.replaceAll('"', "'").trim().slice(0, 200);
}
