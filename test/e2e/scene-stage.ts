// A group on a platform, and the people in it, whatever the platform is: what they do, and what each of them can see.
import type { Rig } from "./scene-gateway.ts";

/** The group itself, one thread (topic) of it, or the direct chat of whoever it is about. */
export type Where = "group" | "thread" | "direct";

/** One thing that the bot shows, as it stands now. */
export interface Sight {
  /** The same for as long as it is the same thing to people. */
  readonly key: string;
  /** `notice`: it pops up for a moment, and is no message. */
  readonly where: Where | "notice";
  /** All who can see it. */
  readonly seenBy: readonly string[];
  readonly text: string;
  readonly buttons: readonly string[];
  /** Whose message it visibly answers. */
  readonly quotes?: string;
  readonly file?: { readonly name: string; readonly text: string };
}

export interface SendOptions {
  /** In a group: to us by name. A reply to us needs no name. */
  readonly addressed?: boolean;
  readonly replyTo?: Sight;
  readonly file?: { readonly name: string; readonly content: string };
}

/** Somebody's hands. */
export interface Actor {
  readonly name: string;
  says(where: Where, text: string, options?: SendOptions): void;
  /** As the platform's people give commands: a slash command where it has them. */
  runs(where: Where, command: string): void;
  presses(sight: Sight, label: string): void;
  /** The button's data, pressed on another message, in their direct chat. */
  replays(sight: Sight, label: string): void;
  /** They have not noticed yet that the buttons are gone. */
  pressesLate(sight: Sight, label: string): void;
}

/** Where the platform tells one person of the group what is for them alone. */
export interface Asides {
  /** Whoever wrote a message. */
  readonly message: Where;
  readonly press: Sight["where"];
  readonly command: Where;
}

export interface Stage {
  readonly platform: "telegram" | "discord" | "slack";
  readonly rig: Rig;
  readonly asides: Asides;
  /** What people type before a command's name. */
  readonly slash: string;
  /** Everybody sees that somebody gave a command, so that its answer can quote it. */
  readonly commandsSeen: boolean;
  /** Commands can be given in a thread. Where not, they are answered at the top. */
  readonly commandsInThreads: boolean;
  /** What is said in the thread can be quoted. */
  readonly quotesInThreads: boolean;
  /** A message can be a reply to another one, wherever that is. */
  readonly replies: boolean;
  /** The bot may take away what others wrote. */
  readonly removes: boolean;
  /** What our listener is called, for the operator. */
  readonly listener: string;
  /** Somebody comes into the group, or stays outside. */
  enter(name: string, how?: { bot?: boolean; outside?: boolean }): Actor;
  /** Everything of the bot that anybody can see now, oldest first. */
  look(): readonly Sight[];
  /** Messages of people that were there and are gone, as `name: text`. */
  gone(): readonly string[];
  /** Everything that the bot did so far that could be noticed in the group, a line each. */
  deeds(): readonly string[];
  /** Everything that the bot ever sent, raw, and who can see it where that is known. */
  sent(): readonly { readonly seenBy: readonly string[]; readonly raw: string }[];
  /** Calls back soon after every change, until the returned function is called. */
  watch(listener: () => void): () => void;
  transcript(): string;
}

/** Of the group that every scene plays in. */
export const groupTitle = "Crew";
export const threadTitle = "Builds";

export function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
