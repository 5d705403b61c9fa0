// Where a mail server is, as its address says.
import { isLoopback } from "../../src/core/loopback.ts";

export interface Place {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. */
  readonly secure: boolean;
  /** Without TLS a password goes nowhere but to this machine. */
  readonly mustEncrypt: boolean;
}

const ports: Readonly<Record<string, number>> = {
  "imaps:": 993,
  "imap:": 143,
  "smtps:": 465,
  "smtp:": 587,
};

export function placeOf(url: string): Place {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const secure = protocol.endsWith("s:");
  return {
    host,
    port: Number(port) || (ports[protocol] ?? 0),
    secure,
    mustEncrypt: !secure && !isLoopback(host),
  };
}
