// The sending end of a mailbox that is tried out.
import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";
import { createTransport } from "nodemailer";
import type { EmailConfig } from "./config.ts";
import { placeOf } from "./set-up-place.ts";
import { type Naming, troubleWith } from "./set-up-words.ts";
import { tokenFrom } from "./token.ts";

export interface Sending {
  /** What is wrong, where it was refused. */
  sendToItself(mark: string): Promise<string | undefined>;
  close(): void;
}

const step = 15_000;

/** Signed in, or what is wrong. */
export async function openSending(config: EmailConfig, naming: Naming): Promise<Sending | string> {
  const signIn = await signInOf(config);
  if (typeof signIn === "string") return signIn;
  if (config.dkimKey && !isSigningKey(config.dkimKey))
    return `The DKIM key is no RSA private key in PEM form (-----BEGIN PRIVATE KEY-----). Give the right one with ${naming("dkimKey")}`;
  const transport = transportOf(config, signIn);
  const end = { does: "sent", url: config.smtp, naming, ...signIn } as const;
  try {
    await transport.verify();
  } catch (error) {
    transport.close();
    return troubleWith(end, error);
  }
  return {
    async sendToItself(mark) {
      try {
        await transport.sendMail(mailToItself(config, mark));
        return undefined;
      } catch (error) {
        return `It could not send itself a mail. ${troubleWith(end, error)}`;
      }
    },
    close: () => transport.close(),
  };
}

interface SignIn {
  readonly user: string;
  readonly password?: string;
  readonly token?: string;
  readonly ca?: string[];
}

async function signInOf(config: EmailConfig): Promise<SignIn | string> {
  const { address, user = address, password, tokenCommand, ca } = config;
  try {
    return {
      user,
      ...(ca === undefined ? {} : { ca: [...rootCertificates, readFileSync(ca, "utf8")] }),
      ...(tokenCommand === undefined ? {} : { token: await tokenFrom(tokenCommand) }),
      ...(password === undefined ? {} : { password }),
    };
  } catch (error) {
    return (error as Error).message;
  }
}

function transportOf(config: EmailConfig, { user, password, token, ca }: SignIn) {
  const { host, port, secure, mustEncrypt } = placeOf(config.smtp);
  const { dkimDomain, dkimSelector, dkimKey } = config;
  return createTransport({
    ...{ host, port, secure },
    requireTLS: mustEncrypt,
    tls: ca ? { ca } : {},
    auth:
      token === undefined
        ? { user, pass: password ?? "" }
        : { type: "OAuth2", user, accessToken: token },
    name: "[127.0.0.1]",
    connectionTimeout: step,
    greetingTimeout: step,
    socketTimeout: step * 2,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(dkimDomain && dkimSelector && dkimKey
      ? { dkim: { domainName: dkimDomain, keySelector: dkimSelector, privateKey: dkimKey } }
      : {}),
  });
}

/** What is wrong with it could show some of it, so that is not said. */
function isSigningKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}

function mailToItself({ address, name }: EmailConfig, mark: string) {
  return {
    from: name ? { name, address } : address,
    to: address,
    subject: `Sallyport tries this mailbox out: ${mark}`,
    text: "Sallyport sent this to itself, to see that mail arrives. It removes it again.\n",
    headers: { "Auto-Submitted": "auto-generated" },
  };
}
