// Plays a person against the fake Bot API by hand, or as a script with piped input: npm run fake:telegram
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { quiet } from "./quiet.ts";
import type { Person } from "./telegram-people.ts";
import { type FakeTelegram, startTelegramServer } from "./telegram-server.ts";
import type { SeenMessage } from "./telegram-transcript.ts";
import type { FakeChat } from "./telegram-types.ts";

interface Scene {
  fake: FakeTelegram;
  people: Map<string, Person>;
  chats: Map<string, FakeChat>;
  me: { name: string; person: Person };
  chat: { name: string; chat: FakeChat };
  topic: number | undefined;
  /** What each message looked like when it was last printed. */
  printed: Map<string, string>;
  /** Buttons by the number they were printed with. */
  buttons: { chat: FakeChat; messageId: number; label: string }[];
}

const HELP = `What you type is sent as the current person to the current chat. Besides:
  :press 2             press button 2
  :as bob              be another person (made when new)
  :dm                  the private chat with the bot
  :chat team           a group (made when new); ":chat team forum" makes one with topics
  :topic deploys       a topic of the forum (made when new); ":topic" goes back to General
  :reply 12 text       answer message 12
  :edit 12 text        change message 12
  :file name text      send a file of that name with that content
  :block, :unblock     the bot may not write to you, may again
  :wait text           go on when the chat shows that text (30 s at most, else exit 1)
  :show                the chat as it looks now
  :quit`;
const WAIT_MS = 30_000;
const QUIET_MS = 1_500;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { port: { type: "string", default: "8081" } } });
  const fake = await startTelegramServer({ port: Number(values.port) }).catch((error: Error) => {
    console.error(`Cannot listen on port ${values.port}: ${error.message}. Try --port 0.`);
    process.exit(1);
  });
  const scene = openScene(fake);
  console.log(`Fake Telegram Bot API at ${fake.url}`);
  console.log(`Token: ${fake.token}`);
  console.log("Connect a gateway to it with:");
  console.log(
    `  echo ${fake.token} | npm run -s sallyport -- channel add telegram --api-root ${fake.url} --token-file -`,
  );
  console.log(`\n${HELP}\n`);
  fake.watch(() => printNews(scene));
  const scripted = !process.stdin.isTTY;
  if (scripted) await fake.waitFor(() => fake.queue.polling, { timeoutMs: 60_000, what: "a bot" });
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
  printNews(scene);
  await fake.close();
}

function openScene(fake: FakeTelegram): Scene {
  const person = fake.user({ id: 1001, name: "Ana", username: "ana" });
  return {
    fake,
    people: new Map([["ana", person]]),
    chats: new Map(),
    me: { name: "ana", person },
    chat: { name: "dm", chat: fake.privateChat(person) },
    topic: undefined,
    printed: new Map(),
    buttons: [],
  };
}

type Outcome = "done" | "failed" | "quit";

async function obey(scene: Scene, line: string): Promise<Outcome> {
  if (line === "") return "done";
  if (line === ":quit") return "quit";
  try {
    if (!line.startsWith(":")) say(scene, line);
    else await command(scene, line);
    return "done";
  } catch (error) {
    console.log(`! ${error instanceof Error ? error.message : String(error)}`);
    return "failed";
  }
}

function say(scene: Scene, text: string, extra: Record<string, unknown> = {}): void {
  const thread = scene.topic === undefined ? {} : { message_thread_id: scene.topic };
  scene.me.person.sends(scene.chat.chat, text, { ...thread, ...extra });
}

const COMMANDS: Record<string, (scene: Scene, rest: string) => void | Promise<void>> = {
  help: () => console.log(HELP),
  show: ({ fake, chat }) => console.log(fake.transcript(chat.chat)),
  press: pressNumber,
  as: bePerson,
  dm: (scene) => goTo(scene, "dm", scene.fake.privateChat(scene.me.person)),
  chat: goToGroup,
  topic: goToTopic,
  reply: (scene, rest) => {
    const [id = "", text = ""] = splitFirst(rest);
    say(scene, text, { reply_to: Number(id) });
  },
  edit: ({ me, chat }, rest) => {
    const [id = "", text = ""] = splitFirst(rest);
    me.person.edits(chat.chat, Number(id), text);
  },
  file: (scene, rest) => {
    const [name = "", content = ""] = splitFirst(rest);
    say(scene, "", { document: { name: basename(name), content, mime: "text/plain" } });
  },
  block: ({ fake, me }) => void fake.membership(fake.privateChat(me.person), "kicked", me.person),
  unblock: ({ fake, me }) => void fake.membership(fake.privateChat(me.person), "member", me.person),
  wait: waitForText,
};

async function command(scene: Scene, line: string): Promise<void> {
  const [name = "", rest = ""] = splitFirst(line.slice(1));
  const run = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!run) throw new Error(`there is no :${name}; see :help`);
  await run(scene, rest);
}

function splitFirst(text: string): [string, string] {
  const space = text.indexOf(" ");
  return space < 0 ? [text, ""] : [text.slice(0, space), text.slice(space + 1).trim()];
}

function pressNumber({ buttons, me }: Scene, number: string): void {
  const button = buttons[Number(number) - 1];
  if (!button) throw new Error(`there is no button ${number}`);
  me.person.presses(button.chat, button.messageId, button.label);
}

function bePerson(scene: Scene, name: string): void {
  const key = name.toLowerCase();
  if (!/^[a-z]\w*$/.test(key)) throw new Error("a person's name is one word");
  const { people, fake } = scene;
  const username = key;
  const person = people.get(key) ?? fake.user({ id: 1001 + people.size, name, username });
  people.set(key, person);
  scene.me = { name: key, person };
  if (scene.chat.chat.type === "private") goTo(scene, "dm", fake.privateChat(person));
  else goTo(scene, scene.chat.name, scene.chat.chat);
}

function goToGroup(scene: Scene, rest: string): void {
  const [name, kind] = splitFirst(rest);
  if (name === "") throw new Error("name a group");
  const known = scene.chats.get(name);
  const chat = known ?? scene.fake.group({ title: name, forum: kind === "forum", joined: false });
  if (!known) scene.fake.membership(chat, "member", scene.me.person);
  scene.chats.set(name, chat);
  goTo(scene, name, chat);
}

function goToTopic(scene: Scene, name: string): void {
  const { fake, chat, me } = scene;
  const topics = fake.world.roomOf(chat.chat.id).topics;
  const known = [...topics].find(
    ([, opening]) => (opening.forum_topic_created as { name?: string } | undefined)?.name === name,
  );
  scene.topic = name === "" ? undefined : (known?.[0] ?? fake.topic(chat.chat, name, me.person));
  console.log(`— ${chat.name}, ${name === "" ? "General" : name}, as ${me.name} —`);
}

function goTo(scene: Scene, name: string, chat: FakeChat): void {
  scene.chat = { name, chat };
  scene.topic = undefined;
  console.log(`— ${name}, as ${scene.me.name} —`);
}

/** Looks at what the bot wrote after the last thing a person wrote here, and at its buttons. */
async function waitForText({ fake, chat }: Scene, text: string): Promise<void> {
  const last = fake.messages(chat.chat).findLast((message) => !message.byBot)?.id ?? 0;
  const shows = ({ id, byBot, text: own, buttons }: SeenMessage) =>
    byBot && id > last && [own, ...buttons.flat().map((one) => one.text)].join("\n").includes(text);
  await fake.waitFor(() => fake.messages(chat.chat).some(shows), {
    timeoutMs: WAIT_MS,
    what: JSON.stringify(text),
  });
}

/** Prints what is new or changed in every chat, with a number on each button. */
function printNews(scene: Scene): void {
  for (const room of scene.fake.world.rooms.values()) {
    const current = room.chat.id === scene.chat.chat.id;
    const where = current ? "" : `(${room.chat.title ?? room.chat.first_name}) `;
    for (const message of scene.fake.messages(room.chat)) {
      const key = `${room.chat.id} ${message.id}`;
      const look = `${message.edits} ${message.text} ${JSON.stringify(message.buttons)}`;
      if (scene.printed.get(key) === look) continue;
      scene.printed.set(key, look);
      console.log(where + lookOf(scene, room.chat, message));
    }
  }
  for (const press of scene.fake.world.presses.values())
    for (const answer of press.answers.splice(0))
      if (answer.text !== "") console.log(`   (to ${press.from.first_name}: ${answer.text})`);
}

function lookOf(scene: Scene, chat: FakeChat, message: SeenMessage): string {
  const file = message.file ? `<${message.file.name}, ${message.file.size} bytes> ` : "";
  const edited = message.edits > 0 ? " (edited)" : "";
  const rows = message.buttons.map((row) => {
    const shown = row.map(({ text }) => {
      const known = scene.buttons.findIndex(
        (one) => one.chat === chat && one.messageId === message.id && one.label === text,
      );
      if (known >= 0) return `[${known + 1} ${text}]`;
      return `[${scene.buttons.push({ chat, messageId: message.id, label: text })} ${text}]`;
    });
    return `\n   ${shown.join(" ")}`;
  });
  const text = message.text.replaceAll("\n", "\n   ");
  const author = message.from?.username ?? message.from?.first_name;
  return `${message.id} ${author}${edited}: ${file}${text}${rows.join("")}`;
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
});
