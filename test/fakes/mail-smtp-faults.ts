// What goes wrong at the SMTP server of the tests, step by step.
import { setTimeout } from "node:timers";
import type { SMTPServer } from "smtp-server";

/** `content`: the mail is on its way, its last dot not yet there. `dot`: the whole mail was read, nothing answered yet. */
export type SmtpStep =
  | "connect"
  | "EHLO"
  | "STARTTLS"
  | "AUTH"
  | "MAIL"
  | "RCPT"
  | "DATA"
  | "content"
  | "dot"
  | "RSET";

export type SmtpFault =
  /** What is answered, e.g. `550 5.1.1 no such user`. */
  | { readonly reply: string }
  /** The connection is cut; after the dot the mail may have been kept all the same. */
  | { readonly drop: true; readonly kept?: true }
  /** Nothing is answered any more; the connection stays. */
  | { readonly hang: true }
  /** Only then it goes on. */
  | { readonly delay: number };

export interface FaultScope {
  /** How often; absent: always. */
  readonly times?: number;
  /** What the command's line must hold (`RCPT TO:<full@…`); of `content` and `dot`: the recipients. */
  readonly line?: RegExp;
}

export class SmtpFaults {
  readonly #all: { step: SmtpStep; fault: SmtpFault; left: number; line: RegExp | undefined }[] =
    [];

  add(
    step: SmtpStep,
    fault: SmtpFault,
    { times = Number.POSITIVE_INFINITY, line }: FaultScope = {},
  ) {
    this.#all.push({ step, fault, left: times, line });
  }

  clear(): void {
    this.#all.length = 0;
  }

  take(step: SmtpStep, line = ""): SmtpFault | undefined {
    const found = this.#all.find(
      (one) => one.step === step && one.left > 0 && (!one.line || one.line.test(line)),
    );
    if (found) found.left -= 1;
    return found?.fault;
  }
}

/** As an error that smtp-server turns into the answer. */
export function refusal(reply: string): Error & { responseCode: number } {
  const [, code = "451", text = ""] = /^(\d{3})\s*(.*)$/.exec(reply) ?? [];
  return Object.assign(new Error(text), { responseCode: Number(code) });
}

type Connection = SMTPServer["connections"] extends Set<infer One> ? One : never;
type Handler = (this: Connection, command: Buffer, callback: () => void) => void;
const commands = ["EHLO", "STARTTLS", "AUTH", "MAIL", "RCPT", "DATA", "RSET"] as const;

/** smtp-server lets nobody refuse STARTTLS or DATA: the commands of one connection are wrapped. */
export function makeFaulty(connection: Connection, faults: SmtpFaults, seen: string[]): void {
  const handlers = connection as unknown as Record<string, Handler>;
  for (const command of commands) {
    const usual = handlers[`handler_${command}`];
    if (!usual) throw new Error(`smtp-server knows no ${command}`);
    handlers[`handler_${command}`] = (line, callback) => {
      seen.push(command);
      const goOn = () => usual.call(connection, line, callback);
      const fault = faults.take(command, line.toString("latin1"));
      if (!fault) return goOn();
      if ("delay" in fault) return void setTimeout(goOn, fault.delay);
      if ("drop" in fault) return void connection._socket.destroy();
      if ("hang" in fault) return;
      const { responseCode, message } = refusal(fault.reply);
      connection.send(responseCode, message);
      callback();
    };
  }
}
