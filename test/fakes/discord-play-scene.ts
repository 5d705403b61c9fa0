// The scene of a play by hand: who one is, where one is, and what has been printed of it.
import type { Person } from "./discord-people.ts";
import type { FakeDiscord } from "./discord-server.ts";
import { nameOf, type SeenMessage } from "./discord-transcript.ts";
import type { Channel, Guild, Id } from "./discord-types.ts";

export interface Scene {
  fake: FakeDiscord;
  people: Map<string, Person>;
  /** The one guild, made with its first channel. */
  guild: Guild | undefined;
  channels: Map<string, Channel>;
  me: { name: string; person: Person };
  place: { name: string; channel: Channel };
  /** What each message looked like when it was last printed. */
  printed: Map<Id, string>;
  /** Messages by the number they were printed with, and buttons by theirs. */
  numbered: Id[];
  buttons: { messageId: Id; label: string }[];
}

export const WAIT_MS = 30_000;

export const HELP = `What you type is sent as the current person to the current channel; @sallyport in it mentions the bot,
and a line such as "/stop rest" runs the bot's command. Besides:
  :press 2             press button 2
  :as bob              be another person (made when new)
  :dm                  the direct chat with the bot
  :chat team           a channel of the guild (made when new); ":chat team forum" makes a forum
  :thread deploys      a thread of the channel (made when new); ":thread" goes back to the channel
  :post title text     a new post of the forum
  :reply 12 text       answer message 12
  :edit 12 text        change message 12
  :delete 12           delete message 12
  :file name text      send a file of that name with that content
  :block, :unblock     take no direct messages of the bot, take them again
  :drop                the bot's connection dies
  :wait text           go on when the channel shows that text (30 s at most, else exit 1)
  :show                the channel as it looks now
  :quit`;

export function openScene(fake: FakeDiscord): Scene {
  const person = fake.user({ name: "Ana" });
  return {
    fake,
    people: new Map([["ana", person]]),
    guild: undefined,
    channels: new Map(),
    me: { name: "ana", person },
    place: { name: "dm", channel: fake.dm(person) },
    ...{ printed: new Map(), numbered: [], buttons: [] },
  };
}

/** Prints what is new or changed in every channel, with a number on each message and button. */
export function printNews(scene: Scene): void {
  for (const channel of scene.fake.world.channels.values())
    for (const message of scene.fake.messages(channel)) {
      const { id, text, edits, buttons, thinking } = message;
      const look = `${edits} ${text} ${thinking} ${JSON.stringify(buttons)}`;
      if (scene.printed.get(id) === look) continue;
      scene.printed.set(id, look);
      console.log(whereOf(scene, channel) + lookOf(scene, message));
    }
}

function whereOf({ place }: Scene, { id, name, person }: Channel): string {
  if (id === place.channel.id) return "";
  return `(${person ? nameOf(person) : name}) `;
}

function lookOf(scene: Scene, message: SeenMessage): string {
  const { id, from, onlyFor, edits, thinking } = message;
  const files = message.files.map(({ name, size }) => `<${name}, ${size} bytes> `).join("");
  const only = onlyFor ? ` (only to ${nameOf(onlyFor)})` : "";
  const edited = edits > 0 ? " (edited)" : "";
  const rows = message.buttons.map((row) => {
    const shown = row.map(({ text }) => `[${buttonNumber(scene, id, text)} ${text}]`);
    return `\n   ${shown.join(" ")}`;
  });
  const text = thinking ? "<thinking>" : message.text.replaceAll("\n", "\n   ");
  const author = from.username;
  return `${numberOf(scene, id)} ${author}${only}${edited}: ${files}${text}${rows.join("")}`;
}

function numberOf({ numbered }: Scene, id: Id): number {
  const known = numbered.indexOf(id);
  return known >= 0 ? known + 1 : numbered.push(id);
}

function buttonNumber({ buttons }: Scene, messageId: Id, label: string): number {
  const known = buttons.findIndex((one) => one.messageId === messageId && one.label === label);
  return known >= 0 ? known + 1 : buttons.push({ messageId, label });
}
