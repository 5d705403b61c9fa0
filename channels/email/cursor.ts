// How far the mailbox was read, and what is to be looked at again; one note, so that both change together.
import type { Notes } from "../../src/core/channel.ts";
import type { Log } from "../../src/core/log.ts";

/** A mail that could not be judged yet. */
export interface Waiting {
  readonly uid: number;
  /** How often it was tried. */
  readonly tries: number;
  /** Ms since 1970: when it was tried first, and when it is to be tried again. */
  readonly first: number;
  readonly due: number;
  /** Whose DNS did not answer. */
  readonly of?: string;
}

export interface Cursor {
  /** Must come first with every connection: the mailbox may be another one than before. */
  open(folder: { readonly uidValidity: string; readonly uidNext: number }): Promise<void>;
  /** All before it is done, or waits. */
  next(): number;
  /** Ascending. */
  waiting(): readonly Waiting[];
  /** A mail with this UID counts only if it came in since then: it was in the mailbox when that was made anew. */
  since(uid: number): Date | undefined;
  move(next: number, waiting: readonly Waiting[]): Promise<void>;
}

interface Kept {
  readonly uidValidity: string;
  readonly next: number;
  readonly later: readonly Waiting[];
  /** When this mailbox was heard for the very first time, ms since 1970: what is older is not ours to answer. */
  readonly since: number;
  /** Of a mailbox made anew: the UIDs below this may be older than all that. */
  readonly old?: number;
}

const note = "cursor";

export function createCursor(notes: Notes, log: Log): Cursor {
  let kept: Kept | undefined;
  const write = async (next: Kept) => {
    await notes.write(note, JSON.stringify(next));
    kept = next;
  };
  const known = () => {
    if (!kept) throw new Error("no mailbox is open");
    return kept;
  };
  return {
    async open({ uidValidity, uidNext }) {
      kept ??= parse(await notes.read(note));
      if (!kept) {
        log.info({ next: uidNext }, "What is in the mailbox already is left alone");
        // Mail servers count by the second.
        const since = Math.floor(Date.now() / 1000) * 1000;
        await write({ uidValidity, next: uidNext, later: [], since });
        return;
      }
      if (kept.uidValidity === uidValidity) {
        const { next } = kept;
        // From a backup, say. What it gives a number again was heard by our count.
        if (uidNext < next)
          log.error(
            { next, uidNext },
            "The mail server counts its mails from an earlier number again and does not say so: new ones are not heard. Make the folder anew there, or have another one read",
          );
        return;
      }
      log.warn({ uidValidity, before: kept.uidValidity }, "The mailbox was made anew: read again");
      // What was taken from the one before is known by its Message-ID.
      await write({ uidValidity, next: 1, later: [], since: kept.since, old: uidNext });
    },
    next: () => known().next,
    waiting: () => known().later,
    since(uid) {
      const { old = 0, since } = known();
      return uid < old ? new Date(since) : undefined;
    },
    async move(next, waiting) {
      const later = [...waiting].sort((a, b) => a.uid - b.uid);
      await write({ ...known(), next: Math.max(next, known().next), later });
    },
  };
}

function parse(text: string | undefined): Kept | undefined {
  if (text === undefined) return undefined;
  try {
    const kept = JSON.parse(text);
    const isKept =
      typeof kept.uidValidity === "string" &&
      [kept.next, kept.since].every(Number.isSafeInteger) &&
      Array.isArray(kept.later);
    return isKept ? kept : undefined;
  } catch {
    return undefined;
  }
}
