// What greets at a port: mail servers say who they are, unasked.
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { placeOf } from "./set-up-place.ts";

const patience = 3000;
const most = 2000;

/** Nothing is sent there, so whose certificate it is does not matter. With TLS as the address says, and also without. */
export async function greetingAt(url: string): Promise<string> {
  const { host, port, secure } = placeOf(url);
  const plain = () => firstWords(connectPlain({ host, port }));
  if (!secure) return plain();
  const said = await firstWords(connectTls({ host, port, rejectUnauthorized: false }));
  return said === "" ? plain() : said;
}

function firstWords(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    const timer = setTimeout(end, patience);
    socket.on("error", end);
    socket.on("close", end);
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (text.includes("\n") || text.length > most) end();
    });
  });
}

/** Which server somebody took for the other one. */
export function kindOfGreeting(text: string): "IMAP" | "SMTP" | undefined {
  if (/^\* (?:OK|PREAUTH|BYE)\b/.test(text)) return "IMAP";
  return /^(?:220|421|554)[ -]/.test(text) ? "SMTP" : undefined;
}
