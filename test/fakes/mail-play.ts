// Plays people who write mail to an agent, by hand or as a script with piped input: npm run fake:mail
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import type { LetterFile } from "./mail-compose.ts";
import type { MailPerson, Sent, Writing } from "./mail-person.ts";
import { readAloud, type SeenMail } from "./mail-seen.ts";
import { type MailTown, startMailTown } from "./mail-town.ts";
import { quiet } from "./quiet.ts";

interface Scene {
  readonly town: MailTown;
  readonly people: Set<MailPerson>;
  /** Mails of the agent by the number they were printed with. */
  readonly shown: { readonly who: MailPerson; readonly mail: SeenMail }[];
  me: MailPerson;
  subject: string;
  signed: Writing["signed"];
  files: LetterFile[];
  sent: Sent | undefined;
  /** What had come when the current person last wrote. */
  before: number;
}

const HELP = `What you type is the text of a mail to the agent; \\n begins a new line. Besides:
  :as bob@other.test   be another person (domains with a key: example.test, other.test, evil.test)
  :subject Deploys     the subject of the next mails; each is a thread of its own
  :reply 2 text        answer mail 2, with the old text below
  :file name text      the next mail has a file of that name with that content
  :unsigned            the next mail is signed by nobody
  :forge evil.test     the next mail is signed by that domain instead
  :again               the very same mail as the last one, once more
  :from NAME@DOMAIN text   a mail that says it is from somebody else, unsigned
  :wait text           go on when a mail shows that text (30 s at most, else exit 1)
  :show                all that was written and came, as people read it
  :headers 2           the headers of mail 2
  :quit`;
const WAIT_MS = 30_000;
const QUIET_MS = 2_000;
const STAY_MS = 4_000;

async function main(): Promise<void> {
  const town = await startMailTown();
  const folder = mkdtempSync(join(tmpdir(), "fake-mail-"));
  const password = join(folder, "password");
  writeFileSync(password, `${town.password}\n`, { mode: 0o600 });
  const me = town.person("ana@example.test", "Ana");
  const people = new Set([me]);
  const state = { subject: "Hello", signed: true, files: [], sent: undefined, before: 0 };
  const scene: Scene = { town, people, shown: [], me, ...state };
  console.log(introduction(town, password));
  const stop = town.watch(() => printNews(scene));
  try {
    await play(scene);
  } finally {
    stop();
    await town.close();
    rmSync(folder, { recursive: true });
  }
}

function introduction({ agent, smtp, dovecot, dns, cut }: MailTown, password: string): string {
  const add = [
    `npm run -s sallyport -- channel add email --address ${agent}`,
    `--imap imaps://localhost:${cut.port} --smtp ${smtp.url}`,
    `--ca ${dovecot.caFile} --dns ${dns.at} --pace off --password-file ${password}`,
  ];
  return [
    `A mailbox for ${agent}: IMAP ${cut.port}, SMTP ${smtp.port}, DNS ${dns.at}`,
    "Connect a gateway to it with:",
    `  ${add.join(" \\\n    ")}`,
    "  npm run -s sallyport -- config set access.allowEmail example.test",
    `\n${HELP}\n`,
  ].join("\n");
}

async function play(scene: Scene): Promise<void> {
  const scripted = !process.stdin.isTTY;
  if (scripted) await somebodyStays(scene.town);
  const input = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  let told = false;
  for await (const line of input) {
    const outcome = await obey(scene, line.trim());
    told = outcome === "quit";
    if (outcome === "failed" && scripted) process.exitCode = 1;
    if (told || process.exitCode) break;
  }
  if (scripted && !told) await quiet(scene.town, { quietMs: QUIET_MS, mostMs: WAIT_MS });
  printNews(scene);
}

/** Whoever only tries the mailbox out is gone again soon; what is written before a gateway has begun is not its own. */
async function somebodyStays({ cut }: MailTown): Promise<void> {
  const deadline = Date.now() + 2 * WAIT_MS;
  for (let since = Date.now(), last = 0; Date.now() - since < STAY_MS; await delay(100)) {
    if (Date.now() > deadline) throw new Error("a gateway did not come within a minute");
    if (cut.connected() > 0 && cut.accepted() === last) continue;
    last = cut.accepted();
    since = Date.now();
  }
}

type Outcome = "done" | "failed" | "quit";

async function obey(scene: Scene, line: string): Promise<Outcome> {
  if (line === "") return "done";
  if (line === ":quit") return "quit";
  try {
    if (!line.startsWith(":")) write(scene, { text: line });
    else await command(scene, line);
    return "done";
  } catch (error) {
    console.log(`! ${error instanceof Error ? error.message : String(error)}`);
    return "failed";
  }
}

/** What was set for the next mail holds for one. */
function write(scene: Scene, letter: Writing): void {
  scene.sent = scene.me.writes({ subject: scene.subject, ...nextOf(scene), ...lines(letter) });
}

function nextOf(scene: Scene): Pick<Writing, "signed" | "files"> {
  const { signed = true, files } = scene;
  scene.before = scene.shown.length;
  scene.signed = true;
  scene.files = [];
  return { signed, files };
}

function lines<T extends { readonly text?: string }>(letter: T): T {
  return { ...letter, text: letter.text?.replaceAll("\\n", "\n") };
}

const COMMANDS: Record<string, (scene: Scene, rest: string) => void | Promise<void>> = {
  help: () => console.log(HELP),
  show: ({ town }) => console.log(town.transcript()),
  as: bePerson,
  subject: (scene, rest) => {
    scene.subject = rest;
  },
  reply: (scene, rest) => {
    const [number, text] = splitFirst(rest);
    const { mail } = numbered(scene, number);
    scene.sent = scene.me.replies(mail, text.replaceAll("\\n", "\n"), nextOf(scene));
  },
  file: (scene, rest) => {
    const [name, content] = splitFirst(rest);
    scene.files.push({ name: basename(name), content, mime: "text/plain" });
  },
  unsigned: (scene) => {
    scene.signed = false;
  },
  forge: (scene, domain) => {
    scene.signed = domain;
  },
  from: (scene, rest) => {
    const [from, text] = splitFirst(rest);
    write(scene, { from, text, signed: false });
  },
  again: async ({ sent, me }) => {
    if (!sent) throw new Error("nothing was written yet");
    await me.again(sent);
  },
  wait: waitForText,
  headers: (scene, number) => {
    const { raw } = numbered(scene, number).mail;
    console.log(raw.toString("utf8").split("\r\n\r\n")[0]);
  },
};

async function command(scene: Scene, line: string): Promise<void> {
  const [name, rest] = splitFirst(line.slice(1));
  const run = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!run) throw new Error(`there is no :${name}; see :help`);
  await run(scene, rest);
}

function splitFirst(text: string): [string, string] {
  const space = text.indexOf(" ");
  return space < 0 ? [text, ""] : [text.slice(0, space), text.slice(space + 1).trim()];
}

function numbered({ shown }: Scene, number: string) {
  const found = shown[Number(number) - 1];
  if (!found) throw new Error(`there is no mail ${number}`);
  return found;
}

function bePerson(scene: Scene, address: string): void {
  if (!/^\S+@\S+$/.test(address)) throw new Error("a person is an address");
  scene.me = scene.town.person(address);
  scene.people.add(scene.me);
  console.log(`— as ${address} —`);
}

/** Looks at what came since the current person last wrote. */
async function waitForText(scene: Scene, text: string): Promise<void> {
  const { town, shown, me } = scene;
  const shows = ({ who, mail }: Scene["shown"][number]) =>
    who === me && `${mail.subject}\n${mail.text}`.includes(text);
  const look = () => {
    printNews(scene);
    return shown.slice(scene.before).some(shows);
  };
  await town.waitFor(look, { timeoutMs: WAIT_MS, what: JSON.stringify(text) });
}

function printNews(scene: Scene): void {
  for (const { is, by, mail } of scene.town.story) {
    if (is !== "got" || scene.shown.some((one) => one.mail === mail)) continue;
    const who = scene.town.person(by);
    const number = scene.shown.push({ who, mail });
    const again = who.arrived.find(({ messageId }) => messageId === mail.messageId) !== mail;
    console.log(`${number} to ${by}${again ? " (the same mail again)" : ""}:\n${readAloud(mail)}`);
  }
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
});
