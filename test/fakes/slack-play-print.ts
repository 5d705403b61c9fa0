// Prints what is new on the fake Slack, with a number on each message and each button.
import type { Person } from "./slack-people.ts";
import type { SeenButton } from "./slack-pressing.ts";
import { namesOf, type SeenMessage } from "./slack-seen.ts";
import type { FakeSlack } from "./slack-server.ts";

interface PlacedButton {
  /** Absent: in App Home of `person`. */
  readonly ts?: string;
  readonly person?: string;
  readonly label: string;
}

export class Printer {
  readonly #fake: FakeSlack;
  readonly #people: ReadonlyMap<string, Person>;
  /** What each message and each Home looked like when it was last printed. */
  readonly #printed = new Map<string, string>();
  readonly #messages: string[] = [];
  readonly #buttons: PlacedButton[] = [];

  constructor(fake: FakeSlack, people: ReadonlyMap<string, Person>) {
    this.#fake = fake;
    this.#people = people;
  }

  button(number: number): PlacedButton {
    const button = this.#buttons[number - 1];
    if (!button) throw new Error(`there is no button ${number}`);
    return button;
  }

  /** Of the message with that number. */
  ts(number: number): string {
    const ts = this.#messages[number - 1];
    if (ts === undefined) throw new Error(`there is no message ${number}`);
    return ts;
  }

  /** In every conversation, and in every Home that somebody looks at. */
  news(current: string): void {
    for (const room of this.#fake.world.rooms.values()) {
      const [first] = [...room.members].filter((id) => id !== this.#fake.me.id);
      const other = room.kind === "im" ? this.#nameOf(first ?? "") : room.name;
      const where = room.id === current ? "" : `(${other}) `;
      for (const message of this.#fake.messages(room.id)) this.#message(where, message);
    }
    for (const person of this.#people.values()) {
      for (const error of person.errors.splice(0)) console.log(`   (to ${person.name}: ${error})`);
      if (this.#printed.has(`home ${person.id}`)) this.home(person);
    }
  }

  home(person: Person): void {
    const home = this.#fake.home(person);
    const look = home ? JSON.stringify(home) : "empty";
    const key = `home ${person.id}`;
    if (this.#printed.get(key) === look) return;
    this.#printed.set(key, look);
    const row = this.#row(home?.buttons ?? [], { person: person.id });
    console.log(`Home of ${person.name}: ${indented(home?.text ?? "(empty)")}${row}`);
  }

  #message(where: string, message: SeenMessage): void {
    const { ts, edits, text, buttons, from, thread, onlyFor, files } = message;
    const look = `${edits} ${text} ${JSON.stringify(buttons)}`;
    if (this.#printed.get(ts) === look) return;
    this.#printed.set(ts, look);
    const marks = [
      ...(thread === undefined ? [] : [`in the thread of ${this.#numberOf(thread)}`]),
      ...(onlyFor === undefined ? [] : [`only ${this.#nameOf(onlyFor)} sees this`]),
      ...(edits > 0 ? ["edited"] : []),
    ];
    const told = marks.length > 0 ? ` (${marks.join(", ")})` : "";
    const attached = files.map(({ name, size }) => `<${name}, ${size} bytes> `).join("");
    const row = this.#row(buttons, { ts });
    console.log(`${where}${this.#numberOf(ts)} ${from}${told}: ${attached}${indented(text)}${row}`);
  }

  #row(buttons: readonly SeenButton[], place: Omit<PlacedButton, "label">): string {
    const shown = buttons.map(({ text: label }) => {
      const { ts, person } = place;
      const known = this.#buttons.findIndex(
        (one) => one.ts === ts && one.person === person && one.label === label,
      );
      if (known >= 0) return `[${known + 1} ${label}]`;
      return `[${this.#buttons.push({ ...place, label })} ${label}]`;
    });
    return shown.length > 0 ? `\n   ${shown.join(" ")}` : "";
  }

  #numberOf(ts: string): number {
    const known = this.#messages.indexOf(ts);
    return known >= 0 ? known + 1 : this.#messages.push(ts);
  }

  #nameOf(id: string): string {
    return namesOf(this.#fake.world)(id) ?? id;
  }
}

function indented(text: string): string {
  return text.replaceAll("\n", "\n   ");
}
