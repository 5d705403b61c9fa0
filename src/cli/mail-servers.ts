// Which servers a mailbox is read and sent at: as it was said, as the domain names them, or asked for.
import { lookup } from "node:dns/promises";
import { serverProblem } from "../admin/mailboxes.ts";
import { askLine } from "./ask.ts";
import { Failure } from "./operator.ts";
import { complain } from "./output.ts";

type Mail = Awaited<ReturnType<typeof import("../gateway.ts")["mail"]>>;
type End = "imap" | "smtp";

interface ServerFlags {
  readonly imap?: string;
  readonly smtp?: string;
  readonly dns?: string;
  readonly skipTest?: boolean;
}

export interface Urls {
  readonly imap: string;
  readonly smtp: string;
}

const atTerminal = () => process.stdin.isTTY === true;

export async function serversFrom(mail: Mail, address: string, flags: ServerFlags): Promise<Urls> {
  const { imap, smtp } = flags;
  for (const end of ["imap", "smtp"] as const) await refuseWrong(end, flags);
  if (imap && smtp) return { imap, smtp };
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const guessed = await mail.guessServers(domain, flags.dns);
  if (typeof guessed === "string") throw new Failure(guessed);
  const { trouble } = guessed;
  if (trouble && atTerminal()) {
    const found = [guessed.imap, guessed.smtp].some((one) => one.is !== "likely" || one.found);
    if (!found && !flags.skipTest) throw new Failure(noDns(trouble));
    complain(`${trouble}.`);
  }
  const choose = (end: End, question: string) =>
    serverOf({ domain, end, question, server: guessed[end], trouble });
  return {
    imap: imap ?? (await choose("imap", "Server where mail is read (IMAP)")),
    smtp: smtp ?? (await choose("smtp", "Server where mail is sent (SMTP)")),
  };
}

function noDns(trouble: string): string {
  return `${trouble}. Without DNS it cannot be found out whom a mail is from, and nobody would be heard. See that DNS answers on this machine, or name another DNS server with --dns HOST:PORT; to add the mailbox all the same: --skip-test.\nNothing was added.`;
}

async function refuseWrong(end: End, flags: ServerFlags): Promise<void> {
  const url = flags[end];
  if (url === undefined) return;
  const problem =
    serverProblem(end, url) ?? (flags.skipTest ? undefined : await nameProblem(url, end));
  if (problem !== undefined) throw new Failure(problem);
}

/** The name is looked up as it is for a connection. All other trouble is told by the test. */
async function nameProblem(url: string, end: End): Promise<string | undefined> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  const code = await lookup(host).then(
    () => "",
    (error: NodeJS.ErrnoException) => error.code ?? "",
  );
  return /ENOTFOUND|ENODATA|ENONAME/.test(code)
    ? `There is no server ${host}. Look up the right name at your provider and give it with --${end}.`
    : undefined;
}

type Guessed = Exclude<Awaited<ReturnType<Mail["guessServers"]>>, string>;

interface Choice {
  readonly domain: string;
  readonly end: End;
  readonly question: string;
  readonly server: Guessed["imap"];
  readonly trouble: string | null;
}

async function serverOf(choice: Choice): Promise<string> {
  const { domain, end, server, trouble } = choice;
  const flag = end === "imap" ? "--imap imaps://HOST:993" : "--smtp smtps://HOST:465";
  if (atTerminal()) return asked(choice);
  if (server.is === "none")
    throw new Failure(`${offersNone(choice)}. If it does, name the server: ${flag}`);
  if (server.is === "likely")
    throw new Failure(
      `${trouble ?? `${domain} does not say which server it is`}. Name the server: ${flag}`,
    );
  if (!server.near)
    throw new Failure(
      `${domain} names ${server.host} as its server, which is elsewhere, and DNS can be forged. If it is right, say so with: --${end} ${server.url}`,
    );
  return server.url;
}

function offersNone({ domain, end }: Choice): string {
  return `${domain} says that it offers no ${end.toUpperCase()} to mail programs`;
}

/** Until it is a server that there is; what was only guessed is proposed where there is something of that name. */
async function asked(choice: Choice): Promise<string> {
  const { end, question, server } = choice;
  if (server.is === "none") complain(`${offersNone(choice)}.`);
  const proposal =
    server.is === "named" || (server.is === "likely" && server.found) ? server.url : undefined;
  for (;;) {
    const url = withScheme(await askLine(question, proposal), end);
    const problem = serverProblem(end, url) ?? (await nameProblem(url, end));
    if (problem === undefined) return url;
    complain(problem.replace(/ and give it with --\w+\.$/, "."));
  }
}

/** A bare name, as people know it, is the usual port with TLS. */
function withScheme(answer: string, end: End): string {
  if (answer.includes("://")) return answer;
  const port = /:\d+$/.test(answer) ? "" : end === "imap" ? ":993" : ":465";
  return `${end}s://${answer}${port}`;
}
