// What a broken or refused connection means: how the mailbox is, what an operator can do, and when to try again.
// ID stands for the name of the channel, which is not known here.
import type { ListenerHealth } from "../../src/core/channel.ts";
import type { EmailConfig } from "./config.ts";

export interface Trouble {
  readonly state: ListenerHealth["state"];
  /** Without passwords and tokens. */
  readonly why: string;
  /** Ms until the next try. */
  readonly wait: number;
}

interface Failure {
  readonly message?: string;
  readonly code?: string;
  readonly authenticationFailed?: boolean;
  readonly serverResponseCode?: string;
  readonly responseText?: string;
  readonly mailboxMissing?: boolean;
  readonly tlsFailed?: boolean;
}

const longest = 60_000;

/** From half a second, doubling to a minute; the half that chance adds keeps many gateways from coming at once. */
export function backoff(failures: number): number {
  const most = Math.min(longest, 500 * 2 ** Math.min(failures, 20));
  return most / 2 + (Math.random() * most) / 2;
}

export function troubleOf(error: unknown, config: EmailConfig, failures: number): Trouble {
  const failure: Failure = typeof error === "object" && error !== null ? error : {};
  const host = new URL(config.imap).hostname;
  const wait = backoff(failures);
  if (failure.authenticationFailed && !isPassing(failure))
    return {
      state: "unauthorised",
      why: refused(config, host),
      // Nothing but another password helps, and that opens the listener anew; a token is another one each time.
      wait: config.retrySeconds * 10_000,
    };
  return { state: "reconnecting", why: wordsFor(failure, config, host), wait };
}

/** The server cannot sign in anybody now. */
function isPassing({ serverResponseCode = "" }: Failure): boolean {
  return /^(?:UNAVAILABLE|INUSE|SERVERBUG|LIMIT)$/i.test(serverResponseCode);
}

function refused({ tokenCommand, user, address }: EmailConfig, host: string): string {
  const whom = user ?? address;
  if (tokenCommand !== undefined)
    return `${host} does not take the token for ${whom}: see what tokenCommand prints, for which user and for which rights.`;
  return `${host} does not take the password of ${whom}: set it again (sallyport secret set ID.password). Many providers want an app password, and IMAP switched on.`;
}

function wordsFor(failure: Failure, config: EmailConfig, host: string): string {
  const { code = "", message = "", mailboxMissing } = failure;
  const text = `${code} ${message}`;
  if (mailboxMissing)
    return `There is no folder ${config.folder} in the mailbox: make it, or set channels.ID.folder.`;
  const certificate = certificateWords(text, host);
  if (certificate !== undefined) return certificate;
  if (code === "STARTTLS_INJECTION")
    return `Somebody on the way to ${host} put in words before the line was encrypted, so that the password was not sent: set channels.ID.imap to its imaps:// address.`;
  if (failure.tlsFailed || /STARTTLS/i.test(text))
    return `${host} offers no encryption (STARTTLS), so that the password was not sent: set channels.ID.imap to its imaps:// address.`;
  if (/WRONG_VERSION|EPROTO|wrong version|packet length/i.test(text))
    return `${host} does not speak TLS on this port: 993 is usual for imaps://, 143 for imap://.`;
  if (/ENOTFOUND|EAI_AGAIN/.test(text))
    return `The name ${host} cannot be found in DNS: see channels.ID.imap and whether this machine is online.`;
  if (/ECONNREFUSED/.test(text)) return `Nothing listens at ${new URL(config.imap).host}.`;
  if (/TIMEOUT|ETIMEDOUT|Silence|does not answer|Timeout/.test(text))
    return `${host} does not answer.`;
  if (/ECONNRESET|NoConnection|EConnectionClosed|ClosedAfterConnect|closed|EPIPE/.test(text))
    return `${host} closed the connection.`;
  return `${host}: ${oneLine(failure.responseText ?? message)}`;
}

function certificateWords(text: string, host: string): string | undefined {
  if (/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/.test(text))
    return `The certificate of ${host} has expired, or is not valid yet.`;
  if (/ALTNAME/.test(text))
    return `The certificate of ${host} is for another name: set channels.ID.imap to the name that it is for.`;
  if (/SELF_SIGNED|UNABLE_TO_|CERT_UNTRUSTED|self.signed/i.test(text))
    return `The certificate of ${host} is not trusted: set channels.ID.ca to a file with the certificate of its authority, if the server is yours.`;
  return undefined;
}

function oneLine(text: string): string {
  const line = text.replace(/[^\x20-\x7e]+/g, " ").trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line || "the connection failed";
}
