// A real SMTP server on loopback: keeps what it is sent, as bytes and parsed, and fails where a test wants it to.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import PostalMime, { type Email } from "postal-mime";
import {
  SMTPServer,
  type SMTPServerAuthentication,
  type SMTPServerDataStream,
  type SMTPServerSession,
} from "smtp-server";
import { type Certificate, makeCertificate } from "./mail-certificate.ts";
import { makeFaulty, refusal, SmtpFaults } from "./mail-smtp-faults.ts";
import { type WaitOptions, Watchers } from "./slack-watch.ts";

export interface SmtpOptions {
  readonly port?: number;
  /** `implicit`: smtps://. `none`: the server offers no TLS at all. Absent: STARTTLS. */
  readonly tls?: "implicit" | "starttls" | "none";
  readonly certificate?: Certificate;
  /** Name to password. With neither users nor tokens anybody may send. */
  readonly users?: Readonly<Record<string, string>>;
  /** Name to OAuth2 access token. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** Bytes of one mail; larger ones are refused. */
  readonly size?: number;
  /** Called with every mail that was taken, before it is answered: hands it on into a mailbox. */
  readonly deliver?: (mail: SentMail) => Promise<void> | void;
}

export interface SentMail {
  /** Of the envelope. */
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: Buffer;
  readonly parsed: Email;
  /** Who signed in. */
  readonly user?: string;
  readonly secure: boolean;
}

export interface MailSmtp {
  readonly port: number;
  /** For `channels.email.smtp`. */
  readonly url: string;
  /** What a client has to trust, PEM. */
  readonly ca: string;
  readonly mails: SentMail[];
  readonly faults: SmtpFaults;
  /** The names of the commands that came, over all connections. */
  readonly commands: string[];
  /** How often somebody connected. */
  connects(): number;
  /** How many are connected now. */
  connected(): number;
  /** Resolves when so many mails were taken, with the last of them. */
  until(count: number, options?: WaitOptions): Promise<SentMail>;
  close(): Promise<void>;
}

export async function startMailSmtp(options: SmtpOptions = {}): Promise<MailSmtp> {
  const { tls = "starttls", certificate = makeCertificate(), deliver } = options;
  const mails: SentMail[] = [];
  const faults = new SmtpFaults();
  const watchers = new Watchers();
  const commands: string[] = [];
  let connects = 0;
  const keep = async (mail: SentMail) => {
    await deliver?.(mail);
    mails.push(mail);
    watchers.note();
  };
  const server = new SMTPServer({
    ...serverOptions(options, certificate),
    onAuth: (auth, _session, callback) => {
      if (mayIn(options, auth)) callback(null, { user: auth.username });
      else callback(refusal("535 5.7.8 Authentication credentials invalid"));
    },
    onConnect: (session, callback) => {
      connects += 1;
      const connection = connectionOf(server, session);
      makeFaulty(connection, faults, commands);
      const fault = faults.take("connect");
      if (!fault) return callback();
      if ("delay" in fault) return void setTimeout(callback, fault.delay);
      if ("drop" in fault) return void connection._socket.destroy();
      if ("reply" in fault) callback(refusal(fault.reply));
    },
    onData: (stream, session, callback) => {
      const data = { stream, session, callback, server, faults, keep };
      take(data).catch((error) => callback(error));
    },
  });
  // A client that does not trust the certificate is reported here.
  server.on("error", () => undefined);
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    url: `${tls === "implicit" ? "smtps" : "smtp"}://localhost:${port}`,
    ca: certificate.cert,
    mails,
    faults,
    commands,
    connects: () => connects,
    connected: () => server.connections.size,
    until: async (count, wait = {}) => {
      const story = () => `${mails.length} mails were taken`;
      const look = () => mails.length >= count && mails[count - 1];
      return await watchers.until(look, { what: `mail ${count}`, ...wait }, story);
    },
    close: async () => {
      for (const connection of server.connections) connection._socket.destroy();
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
}

function serverOptions(options: SmtpOptions, { key, cert }: Certificate) {
  const { tls = "starttls", users, tokens, size } = options;
  return {
    key,
    cert,
    secure: tls === "implicit",
    hideSTARTTLS: tls !== "starttls",
    disabledCommands: [
      ...(tls === "starttls" ? [] : ["STARTTLS"]),
      ...(users || tokens ? [] : ["AUTH"]),
    ],
    authMethods: [...(users ? ["PLAIN", "LOGIN"] : []), ...(tokens ? ["XOAUTH2"] : [])],
    authOptional: !users && !tokens,
    allowInsecureAuth: tls === "none",
    // Faults say the enhanced codes themselves.
    hideENHANCEDSTATUSCODES: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    ...(size === undefined ? {} : { size, rejectOversized: true }),
  };
}

function mayIn({ users, tokens }: SmtpOptions, auth: SMTPServerAuthentication): boolean {
  const name = auth.username ?? "";
  if (auth.method === "XOAUTH2") return tokens?.[name] === auth.accessToken;
  return users?.[name] !== undefined && users[name] === auth.password;
}

function connectionOf(server: SMTPServer, session: SMTPServerSession) {
  for (const connection of server.connections)
    if (connection.session === session) return connection;
  throw new Error("smtp-server knows the connection no more");
}

interface Data {
  readonly stream: SMTPServerDataStream;
  readonly session: SMTPServerSession;
  readonly callback: (error?: Error | null, message?: string) => void;
  readonly server: SMTPServer;
  readonly faults: SmtpFaults;
  readonly keep: (mail: SentMail) => Promise<void>;
}

async function take({ stream, session, callback, server, faults, keep }: Data): Promise<void> {
  const { _socket: socket } = connectionOf(server, session);
  const recipients = session.envelope.rcptTo.map(({ address }) => address).join(" ");
  const early = faults.take("content", recipients);
  // One piece was read, so the client is in the middle of it.
  if (early && "drop" in early) return void stream.once("data", () => socket.destroy());
  if (early && "hang" in early) return void socket.pause();
  const raw = await buffer(stream);
  if (stream.sizeExceeded) return callback();
  const late = faults.take("dot", recipients);
  if (late && "reply" in late) return callback(refusal(late.reply));
  if (late && "hang" in late) return;
  if (late && "delay" in late) await new Promise((resolve) => setTimeout(resolve, late.delay));
  if (!late || !("drop" in late) || late.kept) await keep(await mailOf(raw, session));
  if (late && "drop" in late) return void socket.destroy();
  callback(null, "queued");
}

async function mailOf(raw: Buffer, { envelope, user, secure }: SMTPServerSession) {
  return {
    from: envelope.mailFrom ? envelope.mailFrom.address : "",
    to: envelope.rcptTo.map(({ address }) => address),
    raw,
    parsed: await PostalMime.parse(raw),
    ...(typeof user === "string" && { user }),
    secure,
  };
}
