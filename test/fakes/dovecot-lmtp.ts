// Hands a mail to the test's Dovecot as a mail server does.
import { createTransport } from "nodemailer";

export async function lmtp(port: number, to: string, raw: string | Buffer): Promise<void> {
  const transport = createTransport({
    host: "127.0.0.1",
    port,
    lmtp: true,
    ignoreTLS: true,
  } as never);
  try {
    await transport.sendMail({ envelope: { from: "sender@example.net", to }, raw });
  } finally {
    transport.close();
  }
}
