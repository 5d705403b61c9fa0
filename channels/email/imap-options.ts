// How the mailbox's server is connected to: never without a certificate that counts, never with the password in the clear.
import { readFile } from "node:fs/promises";
import { rootCertificates } from "node:tls";
import type { ImapFlowOptions } from "imapflow";
import { isLoopback } from "../../src/core/loopback.ts";
import type { EmailConfig } from "./config.ts";
import { tokenFrom } from "./token.ts";

/** Read anew for each connection: certificates and tokens change. */
export async function imapOptions(config: EmailConfig): Promise<ImapFlowOptions> {
  const { imap, address, user = address, password, tokenCommand, answerSeconds, ca } = config;
  const { protocol, hostname, port } = new URL(imap);
  const host = hostname.replace(/^\[|\]$/g, "");
  const secure = protocol === "imaps:";
  // A server on this machine may offer no encryption; where it offers some, it is used.
  const startTls = secure || isLoopback(host) ? {} : { doSTARTTLS: true };
  const trusted = ca === undefined ? {} : { ca: [...rootCertificates, await readCa(ca)] };
  const secret =
    tokenCommand === undefined
      ? { pass: password ?? "" }
      : { accessToken: await tokenFrom(tokenCommand) };
  const answerMs = answerSeconds * 1000;
  return {
    ...{ host, port: port ? Number(port) : secure ? 993 : 143, secure, ...startTls },
    auth: { user, ...secret },
    tls: { ...trusted, minVersion: "TLSv1.2", rejectUnauthorized: true },
    clientInfo: { name: "sallyport", version: false, vendor: false, "support-url": false },
    logger: false,
    // Asked for by hand, so that nothing starts or ends by itself.
    ...{ disableAutoIdle: true, disableAutoEnable: true, disableIMAP4rev2: true },
    disableCompression: true,
    ...{ connectionTimeout: answerMs, greetingTimeout: answerMs },
    // Only a second net: what is silent is noticed by whoever waits for it.
    socketTimeout: Math.max(300_000, (config.idleSeconds + 2 * answerSeconds) * 1000),
    ...{ maxLiteralSize: literalMost, maxResponseSize: 2 * literalMost, maxLineLength: lineMost },
  };
}

/** A mail is at most 25 MB when it is read, and comes in pieces when it is larger. */
const literalMost = 32 * 1024 * 1024;
/** The numbers of a million mails. */
const lineMost = 16 * 1024 * 1024;

async function readCa(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((error) => {
    throw new Error(`The file with certificates (ca) cannot be read: ${error.message}`);
  });
  if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
  throw new Error(`${path} (ca) holds no certificate: it has to be a PEM file.`);
}
