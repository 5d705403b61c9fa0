// The way out: mails over SMTP, encrypted, by few connections that are kept open for a while.
import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";
import { createTransport } from "nodemailer";
import type { Pace, Part, SendKey } from "../../src/core/channel.ts";
import type { MessageRef } from "../../src/core/events.ts";
import type { Log } from "../../src/core/log.ts";
import type { Address } from "../../src/core/words.ts";
import { compose } from "./composing.ts";
import type { EmailConfig } from "./config.ts";
import { toSendError } from "./errors.ts";
import type { Threads } from "./threads.ts";

export interface SendingPorts {
  readonly config: EmailConfig;
  readonly threads: Threads;
  readonly log: Log;
  /** Runs the operator's `tokenCommand`. */
  accessToken(command: string): Promise<string>;
}

export interface Sender {
  /** Rejects with SendError. */
  send(to: Address, part: Part, key: SendKey): Promise<MessageRef>;
  /** What is on its way is waited for, for a while. */
  close(): Promise<void>;
}

const minute = 60_000;
/** A mail of 27 MB over a slow line takes minutes; one that never ends is given up. */
const longest = 10 * minute;
/** A server that looks for viruses and spam answers late. */
const patience = 4;
const closing = 10_000;

export function paceOf({ pace }: Pick<EmailConfig, "pace">): Pace | undefined {
  if (pace === "off") return undefined;
  return {
    all: { calls: 30, per: minute },
    chat: { calls: 10, per: minute },
    editEvery: minute,
  };
}

/** Throws with words for the operator where the settings cannot work. */
export function createSender(ports: SendingPorts): Sender {
  const { config, threads, log } = ports;
  const tokens = new Set<string>();
  const secrets = () => [...(config.password ? [config.password] : []), ...tokens];
  const transport = createTransport({ ...connection(config), ...signing(config), pool: true });
  transport.set("oauth2_provision_cb", (_user, _renew, callback) => {
    ports.accessToken(config.tokenCommand ?? "").then((token) => {
      tokens.clear();
      tokens.add(token);
      callback(null, token);
    }, callback);
  });
  // The stream that the connection reads from ends just before the dot is written.
  const handedOver = new Set<string>();
  transport.use("stream", (mail, done) => {
    const { message, data } = mail;
    const make = message.createReadStream.bind(message);
    message.createReadStream = (options) =>
      make(options).once("end", () => handedOver.add(String(data.messageId)));
    done();
  });
  const underWay = new Set<Promise<unknown>>();
  const sendOne = async (to: Address, part: Part, key: SendKey): Promise<MessageRef> => {
    const account = to.chat;
    const own = { account, key, ...(to.thread === undefined ? {} : { thread: to.thread }) };
    const thread = to.thread ?? threads.newThread(own);
    const messageId = threads.messageId(own);
    try {
      const mail = await compose({ config, to, part, messageId });
      await transport.sendMail({ ...mail, signal: AbortSignal.timeout(longest) });
      log.debug({ key, thread }, "A mail went out");
      return { chat: account, id: messageId, thread };
    } catch (error) {
      const sent = { handedOver: handedOver.has(messageId), secrets: secrets() };
      throw toSendError(error, sent);
    } finally {
      handedOver.delete(messageId);
    }
  };
  return {
    async send(to, part, key) {
      const sending = sendOne(to, part, key);
      const over = sending.catch(() => undefined);
      underWay.add(over);
      void over.then(() => underWay.delete(over));
      return await sending;
    },
    async close() {
      const late = AbortSignal.timeout(closing);
      const over = Promise.all(underWay);
      const tired = new Promise((resolve) => late.addEventListener("abort", resolve));
      await Promise.race([over, tired]);
      transport.close({ force: true });
      await over;
    },
  };
}

function connection(config: EmailConfig) {
  const { smtp, user = config.address, password, tokenCommand, answerSeconds, ca } = config;
  const { protocol, hostname, port } = new URL(smtp);
  const secure = protocol === "smtps:";
  const host = hostname.replace(/^\[|\]$/g, "");
  const answer = answerSeconds * 1000;
  return {
    host,
    port: Number(port) || (secure ? 465 : 587),
    secure,
    // A server on this machine may go without; anybody else could be made to look as if they did.
    requireTLS: !secure && !isLoopback(host),
    tls: { minVersion: "TLSv1.2" as const, ...(ca && { ca: authorities(ca) }) },
    auth: tokenCommand ? { type: "OAuth2" as const, user } : { user, pass: password ?? "" },
    // No need to tell every server on the way what this machine is called.
    name: "[127.0.0.1]",
    maxConnections: 3,
    connectionTimeout: answer,
    greetingTimeout: answer,
    dnsTimeout: answer,
    socketTimeout: patience * answer,
  };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Besides those that everybody trusts: the other server of the mailbox may have one of them. */
function authorities(path: string): string[] {
  let own = "";
  try {
    own = readFileSync(path, "utf8");
  } catch {
    throw new Error(`The file with certificates (ca) cannot be read: ${path}`);
  }
  return [...rootCertificates, own];
}

/** All that an answer says of itself, so that nobody on the way can change where it belongs. */
const signed = [
  ...["From", "To", "Subject", "Date", "Message-ID", "In-Reply-To", "References", "Reply-To", "Cc"],
  ...["Auto-Submitted", "X-Auto-Response-Suppress"],
  ...["MIME-Version", "Content-Type", "Content-Transfer-Encoding"],
].join(":");

function signing({ dkimDomain, dkimSelector, dkimKey }: EmailConfig) {
  if (!dkimDomain || !dkimSelector || !dkimKey) return {};
  let type: string | undefined;
  try {
    type = createPrivateKey(dkimKey).asymmetricKeyType;
  } catch {
    // Said below; what is wrong with it could show some of it.
  }
  if (type !== "rsa")
    throw new Error("The dkimKey is no RSA private key in PEM form: set the secret again.");
  return {
    dkim: {
      domainName: dkimDomain,
      keySelector: dkimSelector,
      privateKey: dkimKey,
      headerFieldNames: signed,
    },
  };
}
