// Plays people against the fake Slack by hand, or as a script with piped input: npm run fake:slack
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { quiet } from "./quiet.ts";
import type { Person } from "./slack-people.ts";
import { Printer } from "./slack-play-print.ts";
import type { SeenMessage } from "./slack-seen.ts";
import { type FakeSlack, startSlackServer } from "./slack-server.ts";

interface Scene {
  fake: FakeSlack;
  print: Printer;
  people: Map<string, Person>;
  /** Conversations by name. */
  channels: Map<string, string>;
  me: { name: string; person: Person };
  chat: { name: string; id: string };
  /** The ts of the message whose thread is open. */
  thread: string | undefined;
}

const HELP = `What you type is sent as the current person to the current conversation; "@sallyport" mentions the app.
A line that begins with "/" is a slash command, which nobody else sees. Besides:
  :press 2             press button 2
  :as bob              be another person (made when new); ":as gil guest" and ":as sam stranger" make others
  :dm                  the direct conversation with the app
  :chat team           a channel with the app (made when new); ":chat team private", ":chat team shared"
  :thread 12           the thread of message 12; ":thread" leaves it
  :reply 12 text       answer in the thread of message 12
  :edit 12 text        change message 12
  :delete 12           delete it
  :file name text      send a file of that name with that content
  :home                open the app's Home, and show it
  :wait text           go on when the conversation shows that text (30 s at most, else exit 1)
  :show                the conversation as it looks now
  :quit`;
const WAIT_MS = 30_000;
const QUIET_MS = 1_500;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { port: { type: "string", default: "8083" }, http: { type: "string" } },
  });
  const http = values.http ? { http: { url: values.http } } : {};
  const fake = await startSlackServer({ port: Number(values.port), ...http }).catch(
    (error: Error) => {
      console.error(`Cannot listen on port ${values.port}: ${error.message}. Try --port 0.`);
      process.exit(1);
    },
  );
  const scene = openScene(fake);
  tellHow(fake, values.http !== undefined);
  console.log(`\n${HELP}\n`);
  fake.watch(() => scene.print.news(scene.chat.id));
  const scripted = !process.stdin.isTTY;
  if (scripted && !values.http)
    await fake.waitFor(() => fake.sockets.open > 0, { timeoutMs: 60_000, what: "an app" });
  let told = false;
  const input = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  for await (const line of input) {
    const outcome = await obey(scene, line.trim());
    told = outcome === "quit";
    if (told) break;
    if (outcome === "failed" && scripted) process.exitCode = 1;
    if (process.exitCode) break;
  }
  if (scripted && !told) await quiet(fake, { quietMs: QUIET_MS, mostMs: WAIT_MS });
  scene.print.news(scene.chat.id);
  await fake.close();
}

function tellHow(fake: FakeSlack, http: boolean): void {
  const second = http ? fake.signingSecret : fake.appToken;
  const flag = http ? "--signing-secret-file" : "--app-token-file";
  const add = `channel add slack --api-root ${fake.url}/api --token-file - ${flag} slack-secret`;
  console.log(`Fake Slack at ${fake.url}, Web API at ${fake.url}/api`);
  console.log(`Bot token: ${fake.token}`);
  console.log(`${http ? "Signing secret" : "App-level token"}: ${second}`);
  console.log("Connect a gateway to it with:");
  console.log(`  echo ${second} > slack-secret`);
  console.log(`  echo ${fake.token} | npm run -s sallyport -- ${add}`);
}

function openScene(fake: FakeSlack): Scene {
  const person = fake.user({ name: "Ana" });
  const people = new Map([["ana", person]]);
  return {
    fake,
    print: new Printer(fake, people),
    people,
    channels: new Map(),
    me: { name: "ana", person },
    chat: { name: "dm", id: fake.dm(person) },
    thread: undefined,
  };
}

type Outcome = "done" | "failed" | "quit";

async function obey(scene: Scene, line: string): Promise<Outcome> {
  if (line === "") return "done";
  if (line === ":quit") return "quit";
  try {
    if (line.startsWith(":")) await command(scene, line);
    else if (line.startsWith("/")) slash(scene, line);
    else say(scene, line);
    return "done";
  } catch (error) {
    console.log(`! ${error instanceof Error ? error.message : String(error)}`);
    return "failed";
  }
}

function say({ me, chat, thread }: Scene, text: string, extra = {}): void {
  me.person.sends(chat.id, text, { ...(thread !== undefined && { thread }), ...extra });
}

function slash({ me, chat, print }: Scene, line: string): void {
  const [name, rest] = splitFirst(line);
  me.person.slash(chat.id, name, rest);
  print.news(chat.id);
}

const COMMANDS: Record<string, (scene: Scene, rest: string) => void | Promise<void>> = {
  help: () => console.log(HELP),
  show: ({ fake, chat }) => console.log(fake.transcript(chat.id)),
  press: ({ print, me, chat }, number) => {
    const button = print.button(Number(number));
    if (button.ts === undefined) me.person.pressesHome(button.label);
    else me.person.presses(button.ts, button.label);
    print.news(chat.id);
  },
  as: bePerson,
  dm: (scene) => goTo(scene, "dm", scene.fake.dm(scene.me.person)),
  chat: goToChannel,
  thread: (scene, number) => {
    scene.thread = number === "" ? undefined : scene.print.ts(Number(number));
    const where = number === "" ? "" : `, thread of ${number}`;
    console.log(`— ${scene.chat.name}${where}, as ${scene.me.name} —`);
  },
  reply: (scene, rest) => {
    const [number, text] = splitFirst(rest);
    say(scene, text, { thread: scene.print.ts(Number(number)) });
  },
  edit: ({ me, print }, rest) => {
    const [number, text] = splitFirst(rest);
    me.person.edits(print.ts(Number(number)), text);
  },
  delete: ({ me, print }, number) => me.person.deletes(print.ts(Number(number))),
  file: (scene, rest) => {
    const [name, content] = splitFirst(rest);
    say(scene, "", { files: [{ name: basename(name), content, mime: "text/plain" }] });
  },
  home: ({ me, print }) => {
    print.home(me.person);
    me.person.opensHome();
  },
  wait: waitForText,
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

function bePerson(scene: Scene, rest: string): void {
  const [name, kind] = splitFirst(rest);
  const key = name.toLowerCase();
  if (!/^[a-z]\w*$/.test(key)) throw new Error("a person's name is one word");
  const { people, fake } = scene;
  const team = kind === "stranger" ? { team: "T0000000009" } : {};
  const person = people.get(key) ?? fake.user({ name, guest: kind === "guest", ...team });
  people.set(key, person);
  scene.me = { name: key, person };
  if (scene.chat.name === "dm") goTo(scene, "dm", fake.dm(person));
  else goTo(scene, scene.chat.name, scene.chat.id);
}

function goToChannel(scene: Scene, rest: string): void {
  const { fake, me, channels } = scene;
  const [name, kind] = splitFirst(rest);
  if (name === "") throw new Error("name a channel");
  const known = channels.get(name);
  const made = {
    ...{ name, members: [me.person], joined: false, shared: kind === "shared" },
    kind: kind === "private" ? ("group" as const) : ("channel" as const),
  };
  const id = known ?? fake.channel(made);
  channels.set(name, id);
  goTo(scene, name, id);
  if (!known) me.person.invites(id, fake.me);
}

function goTo(scene: Scene, name: string, id: string): void {
  const { fake, me } = scene;
  scene.chat = { name, id };
  scene.thread = undefined;
  console.log(`— ${name}, as ${me.name} —`);
  if (!fake.world.roomOf(id).members.has(me.person.id)) me.person.joins(id);
}

/** Looks at what the app wrote or changed after the last thing a person wrote here, and at its buttons. */
async function waitForText({ fake, chat }: Scene, text: string): Promise<void> {
  const last = fake.messages(chat.id).findLast((message) => !message.byBot)?.ts ?? "";
  const shows = ({ ts, byBot, text: own, buttons }: SeenMessage) =>
    byBot && ts > last && [own, ...buttons.map((one) => one.text)].join("\n").includes(text);
  await fake.waitFor(() => fake.messages(chat.id).some(shows), {
    timeoutMs: WAIT_MS,
    what: JSON.stringify(text),
  });
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
});
