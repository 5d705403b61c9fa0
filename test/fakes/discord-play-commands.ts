// What a line typed by hand makes a person on the fake Discord do.
import { basename } from "node:path";
import type { SendExtra } from "./discord-people.ts";
import { HELP, type Scene, WAIT_MS } from "./discord-play-scene.ts";
import type { SeenMessage } from "./discord-transcript.ts";
import { CHANNEL_TYPES, type Channel, type Guild, type Id } from "./discord-types.ts";

export function say(scene: Scene, text: string, extra: SendExtra = {}): void {
  const { fake, me, place } = scene;
  const [, name = "", rest = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  const known = fake.commands.find((one) => one.name === name);
  if (!known) {
    me.person.sends(place.channel, text.replaceAll("@sallyport", `<@${fake.me.id}>`), extra);
    return;
  }
  // All that is typed after the name goes to the first option.
  const [option] = Array.isArray(known.options) ? (known.options as { name: string }[]) : [];
  me.person.slash(place.channel, name, option && rest !== "" ? { [option.name]: rest } : {});
}

const COMMANDS: Record<string, (scene: Scene, rest: string) => void | Promise<void>> = {
  help: () => console.log(HELP),
  show: ({ fake, place }) => console.log(fake.transcript(place.channel)),
  press: pressNumber,
  as: bePerson,
  dm: (scene) => goTo(scene, "dm", scene.fake.dm(scene.me.person)),
  chat: goToChannel,
  thread: goToThread,
  post: makePost,
  reply: (scene, rest) => {
    const [number, text] = splitFirst(rest);
    say(scene, text, { replyTo: idOf(scene, number) });
  },
  edit: (scene, rest) => {
    const [number, text] = splitFirst(rest);
    scene.me.person.edits(scene.place.channel, idOf(scene, number), text);
  },
  delete: (scene, rest) => scene.me.person.deletes(scene.place.channel, idOf(scene, rest)),
  file: (scene, rest) => {
    const [name, content] = splitFirst(rest);
    say(scene, "", { files: [{ name: basename(name), content }] });
  },
  block: ({ me }) => me.person.takesDirect(false),
  unblock: ({ me }) => me.person.takesDirect(true),
  drop: ({ fake }) => fake.gateway.drop(),
  wait: waitForText,
};

export async function command(scene: Scene, line: string): Promise<void> {
  const [name, rest] = splitFirst(line.slice(1));
  const run = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!run) throw new Error(`there is no :${name}; see :help`);
  await run(scene, rest);
}

function splitFirst(text: string): [string, string] {
  const space = text.indexOf(" ");
  return space < 0 ? [text, ""] : [text.slice(0, space), text.slice(space + 1).trim()];
}

function idOf({ numbered }: Scene, number: string): Id {
  const id = numbered[Number(number) - 1];
  if (!id) throw new Error(`there is no message ${number}`);
  return id;
}

function pressNumber({ buttons, me }: Scene, number: string): void {
  const button = buttons[Number(number) - 1];
  if (!button) throw new Error(`there is no button ${number}`);
  me.person.presses(button.messageId, button.label);
}

function bePerson(scene: Scene, name: string): void {
  const key = name.toLowerCase();
  if (!/^[a-z]\w*$/.test(key)) throw new Error("a person's name is one word");
  const { people, fake, guild, place } = scene;
  const shown = key.slice(0, 1).toUpperCase() + key.slice(1);
  const person = people.get(key) ?? fake.user({ name: shown });
  people.set(key, person);
  if (guild) fake.join(guild, person);
  scene.me = { name: key, person };
  if (place.channel.person) goTo(scene, "dm", fake.dm(person));
  else goTo(scene, place.name, place.channel);
}

function guildOf(scene: Scene): Guild {
  scene.guild ??= scene.fake.guild({ title: "Guild", members: [...scene.people.values()] });
  return scene.guild;
}

function goToChannel(scene: Scene, rest: string): void {
  const [name, kind] = splitFirst(rest);
  if (name === "") throw new Error("name a channel");
  const { fake, channels } = scene;
  const guild = guildOf(scene);
  const made = () => (kind === "forum" ? fake.forum(guild, name) : fake.textChannel(guild, name));
  const channel = channels.get(name) ?? made();
  channels.set(name, channel);
  goTo(scene, name, channel);
}

function goToThread(scene: Scene, name: string): void {
  const { fake, place, me } = scene;
  const parent = place.channel.parent ?? place.channel;
  if (!parent.guild) throw new Error("a direct chat has no threads; see :chat");
  const known = name === "" ? parent : threadOf(scene, parent, name);
  if (!known && parent.type === CHANNEL_TYPES.forum)
    throw new Error("a forum has posts: see :post");
  const thread = known ?? fake.thread(parent, name, { by: me.person });
  goTo(scene, thread.name, thread);
}

function threadOf({ fake }: Scene, parent: Channel, name: string): Channel | undefined {
  return [...fake.world.channels.values()].find(
    (channel) => channel.parent === parent && channel.name === name,
  );
}

function makePost(scene: Scene, rest: string): void {
  const [title, text] = splitFirst(rest);
  const { fake, place, me } = scene;
  const forum = place.channel.parent ?? place.channel;
  if (forum.type !== CHANNEL_TYPES.forum)
    throw new Error('this is no forum; see ":chat name forum"');
  const mentioning = text.replaceAll("@sallyport", `<@${fake.me.id}>`);
  goTo(scene, title, fake.post(forum, { title, text: mentioning, by: me.person }));
}

function goTo(scene: Scene, name: string, channel: Channel): void {
  scene.place = { name, channel };
  console.log(`— ${name}, as ${scene.me.name} —`);
}

/** Looks at what the bot wrote after the last thing a person wrote here, and at its buttons. */
async function waitForText({ fake, place }: Scene, text: string): Promise<void> {
  const all = () => fake.messages(place.channel);
  const last = BigInt(all().findLast(({ byBot }) => !byBot)?.id ?? 0);
  const shows = ({ id, byBot, text: own, buttons }: SeenMessage) =>
    byBot &&
    BigInt(id) > last &&
    [own, ...buttons.flat().map((one) => one.text)].join("\n").includes(text);
  const what = JSON.stringify(text);
  await fake.waitFor(() => all().some(shows), { timeoutMs: WAIT_MS, what });
}
