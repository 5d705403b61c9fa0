// What goes wrong between here and a mail server while it is set up, in words that say what to do.
import { kindOfGreeting } from "./set-up-greeting.ts";
import { placeOf } from "./set-up-place.ts";

export interface End {
  readonly does: "read" | "sent";
  /** As it was given: imaps://imap.example.org:993 */
  readonly url: string;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
  readonly naming: Naming;
}

/** How whoever reads it sets something: a flag while the mailbox is added, a command later. */
export type Naming = (key: keyof typeof flags) => string;

const flags = {
  imap: "--imap",
  smtp: "--smtp",
  ca: "--ca",
  folder: "--folder",
  tokenCommand: "--token-command",
  password: "--password-file",
  dkimKey: "--dkim-key-file",
} as const;

export const byFlag: Naming = (key) => flags[key];

export function bySetting(id: string): Naming {
  return (key) =>
    key === "password" || key === "dkimKey"
      ? `sallyport secret set ${id}.${key}`
      : `sallyport config set channels.${id}.${key}`;
}

interface Provider {
  readonly host: RegExp;
  readonly hint: string;
}

// Where the password of the account is not what a mail program signs in with.
const providers: readonly Provider[] = [
  {
    host: /(?:^|\.)(?:gmail|googlemail|google)\.com$/,
    hint: "Gmail wants an app password (16 letters, made at https://myaccount.google.com/apppasswords), not the password of the account.",
  },
  {
    host: /(?:^|\.)(?:outlook|office365|hotmail|live)\.com$/,
    hint: "Microsoft takes no passwords from mail programs any more: use --token-command with a command that prints an OAuth2 token.",
  },
  {
    host: /(?:^|\.)(?:mail\.me|icloud|me)\.com$/,
    hint: "iCloud wants an app-specific password, made at https://account.apple.com, not the password of the account.",
  },
  {
    host: /(?:^|\.)fastmail\.com$/,
    hint: "Fastmail wants an app password with access to IMAP and SMTP (Settings, Privacy & Security), not the password of the account.",
  },
  {
    host: /(?:^|\.)yahoo\.com$/,
    hint: "Yahoo wants an app password (Account security), not the password of the account.",
  },
  {
    host: /(?:^|\.)(?:gmx\.(?:net|com|de|at|ch)|web\.de)$/,
    hint: "GMX and web.de let mail programs in only when it is switched on (Settings, POP3/IMAP); with two-factor sign-in they want an app password.",
  },
];

/** For whoever is about to type a password; undefined where it is the usual one. */
export function passwordHint(url: string): string | undefined {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  return providers.find((one) => one.host.test(host))?.hint;
}

interface MailError extends Error {
  readonly code?: string;
  readonly authenticationFailed?: boolean;
  readonly tlsFailed?: boolean;
  readonly responseText?: string;
  readonly response?: unknown;
  readonly cause?: unknown;
}

/** A server's own words are cut, on one line, and without what it was signed in to with. */
export function troubleWith(end: End, thrown: unknown): string {
  const error = (thrown instanceof Error ? thrown : new Error(String(thrown))) as MailError;
  const { host, port } = placeOf(end.url);
  const flag = end.naming(end.does === "read" ? "imap" : "smtp");
  const where = `${host}, port ${port}`;
  const text = `${error.code ?? ""} ${error.message} ${causeOf(error)}`;
  const greeted = mixedUp(end, where, kindOfGreeting(String(error.response ?? "")));
  if (greeted !== undefined) return greeted;
  if (/Unsupported authentication mechanism/i.test(text))
    return `${host} does not take ${end.token === undefined ? "passwords" : "OAuth2 tokens"}. Use instead: ${end.naming(end.token === undefined ? "tokenCommand" : "password")}`;
  if (error.authenticationFailed || error.code === "EAUTH") return refused(end, host, error);
  if (/ENOTFOUND|EAI_NODATA|EAI_NONAME/.test(text))
    return `There is no server ${host}. Look up the right name at your provider and give it with ${flag}.`;
  if (/EAI_AGAIN|EDNS/.test(text))
    return `Nothing could be found out about ${host}: DNS gave no answer. Is this machine online? Try again.`;
  if (/ECONNREFUSED/.test(text))
    return `Nobody listens at ${where}. Look up the right server and port at your provider and give them with ${flag}.`;
  return (
    tlsTrouble(end, { text, where, host, flag }, error) ?? otherTrouble(end, { text, where }, error)
  );
}

/** The other server was named, where it said so. */
export function mixedUp(
  end: Pick<End, "does" | "url" | "naming">,
  where: string,
  greets: "IMAP" | "SMTP" | undefined,
): string | undefined {
  const [wanted, does] = end.does === "read" ? ["IMAP", "read"] : ["SMTP", "sent"];
  if (greets === undefined || greets === wanted) return undefined;
  const flag = end.naming(end.does === "read" ? "imap" : "smtp");
  return `At ${where} is an ${greets} server, but mail is ${does} by way of an ${wanted} server. Give its name and port with ${flag}.`;
}

interface Where {
  readonly text: string;
  readonly where: string;
  readonly host: string;
  readonly flag: string;
}

function tlsTrouble(
  end: End,
  { text, where, host, flag }: Where,
  error: MailError,
): string | undefined {
  const isPlain = /^(?:imap|smtp):/.test(end.url);
  if (/CERT_HAS_EXPIRED|certificate has expired/i.test(text))
    return `The certificate of ${where} has expired. Whoever runs the server has to renew it.`;
  if (/ALTNAME|does not match certificate/i.test(text))
    return `The certificate of ${where} is for another name than ${host}. Give the name that it is for with ${flag}.`;
  if (/SELF_SIGNED|self[- ]signed|UNABLE_TO_|unable to (?:verify|get)/i.test(text))
    return `The certificate of ${where} is of nobody that this machine trusts. If the server is your own, name the file with its certificate or authority: ${end.naming("ca")} FILE. If not, do not go on: somebody may be in between.`;
  if (isPlain && (error.tlsFailed || error.code === "ETLS" || /STARTTLS/i.test(text)))
    return `${where} does not offer encryption (STARTTLS), and a password is never sent without. Try ${flag} ${end.does === "read" ? "imaps://HOST:993" : "smtps://HOST:465"}, or switch it on at the server.`;
  if (!isPlain && /WRONG_VERSION|wrong version|packet length|EPROTO|unexpected message/i.test(text))
    return `${where} does not speak TLS from the first byte. It may want STARTTLS: ${flag} ${end.url.replace("s://", "://")}`;
  return undefined;
}

function otherTrouble(
  end: End,
  { text, where }: Pick<Where, "text" | "where">,
  error: MailError,
): string {
  if (/TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|timed? ?out/i.test(text))
    return `${where} does not answer. A firewall may be in between, or the port may be another: 993 and 465 with TLS (imaps://, smtps://), 143 and 587 with STARTTLS (imap://, smtp://).`;
  const said = ownWords(end, error) || oneLine(error.message);
  return `${where} could not be used: ${said}. Look at its name and port, and try again.`;
}

function refused(end: End, host: string, error: MailError): string {
  const own = ownWords(end, error);
  const said = own ? ` It said: ${own}.` : "";
  if (end.token !== undefined)
    return `${host} does not take this name and token.${said} Look at what the token command prints, for which user, and whether it may be used for IMAP and SMTP.`;
  const hint =
    passwordHint(end.url) ??
    "Look at the name (often the whole address) and the password. Many providers want an app password, or IMAP switched on first.";
  return `${host} does not take this name and password.${said} ${hint}`;
}

/** What a server answers may repeat what it was given. */
function ownWords({ password, token }: End, { responseText, response }: MailError): string {
  const own = responseText ?? (typeof response === "string" ? response : "");
  const secrets = [password, token].filter((one) => one !== undefined && one !== "");
  const forms = secrets.flatMap((one = "") => [one, Buffer.from(one).toString("base64")]);
  return oneLine(forms.reduce((text, form) => text.replaceAll(form, "…"), own));
}

function causeOf({ cause }: MailError): string {
  return cause instanceof Error ? `${(cause as MailError).code ?? ""} ${cause.message}` : "";
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim().replace(/\.$/, "");
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
