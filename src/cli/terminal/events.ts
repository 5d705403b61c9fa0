// What the terminal listener tells the chats that are open, over server-sent events.
import type { Button } from "../../core/channel.ts";

export interface ShownFile {
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

/** A message as it stands now; `edited` carries the whole of it, so that whoever missed it can show it. */
export interface Shown {
  readonly id: string;
  readonly text: string;
  readonly buttons: readonly Button[];
  readonly file?: ShownFile;
}

export type TerminalEvent =
  | ({ readonly type: "posted" } & Shown)
  | ({ readonly type: "edited" } & Shown)
  | { readonly type: "removed"; readonly id: string }
  /** A person wrote it in one of the chats. */
  | { readonly type: "said"; readonly id: string; readonly text: string }
  /** Private to the chat that pressed. */
  | { readonly type: "notice"; readonly press: string; readonly text: string }
  | { readonly type: "typing" }
  /** Some of what happened is no longer kept. */
  | { readonly type: "gap" };

/** `answered`: nothing is under way in this chat. `question`: it waits for a person. */
export type Settled = "answered" | "question";

export interface SettledReply {
  readonly settled: Settled;
  /** The last event that was written by then. */
  readonly last: string;
}

export const routes = {
  events: "/terminal/events",
  messages: "/terminal/messages",
  presses: "/terminal/presses",
  settled: "/terminal/settled",
} as const;
