// What the kill matrix needs of a platform: people who say and press, what they see, and holds on the ways in and out.
import type { CliRig } from "../fakes/cli-rig.ts";

/** A message of the bot, as it is shown now. */
export interface Said {
  readonly id: string;
  readonly text: string;
  readonly buttons: readonly SaidButton[];
}

export interface SaidButton {
  readonly label: string;
  /** What the platform gives back when it is pressed. */
  readonly data: string;
}

/** A press of a button that may be gone. */
export interface Late {
  /** What the bot told the presser alone; undefined: nothing so far. */
  answer(): string | undefined;
}

/** A person, and their direct chat with the bot. */
export interface Member {
  readonly name: string;
  /** The chat, as the database calls it. */
  readonly place: string;
  /** Gives the key that the message has in the inbox. */
  says(text: string): string;
  presses(card: Said, label: string): void;
  /** The button as it was, whether or not it is still shown. */
  pressesLate(card: Said, button: SaidButton): Late;
  /** What the bot said there, oldest first. */
  heard(): Said[];
  transcript(): string;
}

export interface Hold {
  /** Resolves when there is something to hold. */
  readonly arrived: Promise<unknown>;
  release(): void;
}

export interface HoldSend {
  /** Before the platform has the message, or after and before it says so. */
  readonly when: "before" | "stored";
  wanted(text: string): boolean;
}

export interface Stage<M extends Member = Member> {
  readonly channel: "telegram" | "discord" | "slack" | "email";
  readonly url: string;
  readonly token: string;
  readonly appToken?: string;
  /** Of the kills at each step. */
  readonly seeds: readonly number[];
  /** A press waits for a gateway that is not there. */
  readonly keepsPresses: boolean;
  /** What is sent again is the same message: nothing is ever seen twice. */
  readonly sendsOnce: boolean;
  /** What was sent does not change: of a question that is over people hear when they answer it. */
  readonly cardsStay?: true;
  /** Where adding the channel takes more than a URL and tokens. */
  addTo?(cli: CliRig): Promise<void>;
  /** What is said from now on is said elsewhere: too many answers in one place are taken for a loop. */
  turnPage?(): void;
  member(name: string): M;
  /** Messages and presses that the platform does not know to be taken; undefined: it is never told. */
  unconfirmed(): number | undefined;
  /** Resolves when all that the platform has to tell is taken, and it has somebody to tell more. */
  listening(): Promise<unknown>;
  /** What is said from now on is on its way, and is not taken. */
  holdIncoming(): Hold;
  /** What is said from now on is taken, and the platform does not get to know it; undefined: it never does. */
  holdConfirming(): Hold | undefined;
  /** The next message of the bot to this person. */
  holdSend(to: M, how: HoldSend): Hold;
  /** The platform has the next message to this person, and the connection dies. */
  dropSend(to: M): void;
  /** What ends the waiting of whoever presses next. */
  holdPressAnswer(): Hold;
  /** Ends every hold. */
  clear(): void;
  close(): Promise<void>;
}
