// The last events of the terminal, bounded, so that a chat that was away is told what it missed.
import { randomBytes } from "node:crypto";
import type { TerminalEvent } from "./events.ts";

export interface Item {
  readonly seq: number;
  readonly event: TerminalEvent;
  readonly bytes: number;
}

export interface Backlog {
  add(event: TerminalEvent): Item;
  /** `after`: an event id, or "now" / "unseen" (nobody was shown it yet). */
  since(after: string): { readonly items: readonly Item[]; readonly gap: boolean };
  /** Somebody is shown everything up to now. */
  sawAll(): void;
  /** Unique over restarts. */
  idOf(seq: number): string;
  last(): string;
}

export interface BacklogLimits {
  readonly events: number;
  readonly bytes: number;
}

export function createBacklog(limits: BacklogLimits): Backlog {
  const boot = randomBytes(6).toString("hex");
  const items: Item[] = [];
  let seq = 0;
  let seen = 0;
  let bytes = 0;

  const startOf = (after: string): number => {
    if (after === "now") return seq;
    if (after === "unseen") return seen;
    const [from, number] = after.split("-");
    return from === boot ? Number(number) : 0;
  };
  const idOf = (number: number) => `${boot}-${number}`;
  return {
    idOf,
    last: () => idOf(seq),
    add(event) {
      seq += 1;
      const item = { seq, event, bytes: JSON.stringify(event).length };
      bytes += item.bytes - (takeOlderEdit(items, event)?.bytes ?? 0);
      items.push(item);
      while (items.length > limits.events || (bytes > limits.bytes && items.length > 1))
        bytes -= items.shift()?.bytes ?? 0;
      return item;
    },
    since(after) {
      const from = startOf(after);
      const open = openQuestions(items);
      const first = items[0]?.seq ?? seq + 1;
      return {
        items: items.filter((item) => item.seq > from || open.has(item)),
        gap: from < seq && from + 1 < first,
      };
    },
    sawAll() {
      seen = seq;
    },
  };
}

/** An edit carries the whole message: earlier edits of it need not be kept. */
function takeOlderEdit(items: Item[], event: TerminalEvent): Item | undefined {
  if (event.type !== "edited") return undefined;
  const index = items.findLastIndex(
    (item) => item.event.type === "edited" && item.event.id === event.id,
  );
  return index < 0 ? undefined : items.splice(index, 1)[0];
}

/** The latest state of messages that still have buttons: shown to each chat that opens. */
function openQuestions(items: readonly Item[]): ReadonlySet<Item> {
  const latest = new Map<string, Item>();
  for (const item of items) {
    const { event } = item;
    if (event.type === "removed") latest.delete(event.id);
    if (event.type !== "posted" && event.type !== "edited") continue;
    if (event.buttons.length > 0) latest.set(event.id, item);
    else latest.delete(event.id);
  }
  return new Set(latest.values());
}
