// Looks up a file that went out, for whoever may see it: the person whose conversation it is, an owner, or the holder of its link.
import { isAbsolute, relative, sep } from "node:path";
import { auditSeldom } from "../access/audit.ts";
import type { OutFile } from "../core/channel.ts";
import type { Clock } from "../core/clock.ts";
import type { Caller } from "../core/words.ts";
import { findPart } from "../store/outbox.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import { listPairings } from "../store/pairings.ts";
import type { Op } from "../store/query.ts";
import type { Store } from "../store/store.ts";
import { findTurn } from "../store/turns.ts";
import { createFileTokens } from "./file-tokens.ts";
import { sees } from "./views/seeing.ts";

export interface FilesPorts {
  readonly store: Store;
  readonly clock: Clock;
  /** Random, of this state only. */
  readonly key: Uint8Array;
  /** The folder in which everything lies that goes out. */
  readonly folder: string;
}

export interface Files {
  /** `part`: `o` and the number of its row. Undefined alike for what is not there and what is not theirs. */
  forCaller(part: string, caller: Caller): Promise<OutFile | undefined>;
  /** Undefined alike for whatever does not count. */
  byToken(token: string): Promise<OutFile | undefined>;
  /** For a link that lasts a day. */
  tokenFor(part: number): string;
}

export function createFiles(ports: FilesPorts): Files {
  const { store, folder } = ports;
  const tokens = createFileTokens(ports.key, ports.clock);
  return {
    async forCaller(part, caller) {
      const id = /^o([1-9]\d{0,14})$/.exec(part)?.[1];
      if (id === undefined) return undefined;
      return ours(folder, await store.run(() => forCaller(ports, Number(id), caller)));
    },
    async byToken(token) {
      const id = tokens.read(token);
      return id === undefined ? undefined : ours(folder, await store.run(() => forAnyone(id)));
    },
    tokenFor: tokens.make,
  };
}

function* forCaller({ clock }: FilesPorts, id: number, caller: Caller): Op<OutFile | null> {
  const row = yield* findPart(id);
  if (!row?.file) return null;
  const whose = yield* starterOf(row);
  if (sees(caller, whose ?? "")) return row.file;
  yield* auditSeldom({
    at: clock.now(),
    who: caller.id,
    name: caller.name,
    place: "web",
    action: "file",
    target: `outbox ${id}`,
    outcome: "refused",
    why: "it is of somebody else's conversation",
  });
  return null;
}

/** Whoever lost their pairing has lost their links. */
function* forAnyone(id: number): Op<OutFile | null> {
  const row = yield* findPart(id);
  const whose = row && (yield* starterOf(row));
  if (!row?.file || whose === undefined) return null;
  if (!whose.startsWith("p:")) return row.file;
  const pairings = yield* listPairings();
  return pairings.some((pairing) => `p:${pairing.id}` === whose) ? row.file : null;
}

function* starterOf({ turn }: OutboxRow): Op<string | undefined> {
  return turn === null ? undefined : (yield* findTurn(turn))?.caller;
}

/** A row may say what it likes: only what lies in our own folder is served. */
function ours(folder: string, file: OutFile | null): OutFile | undefined {
  if (file === null) return undefined;
  const below = relative(folder, file.path);
  const outside = below === "" || below === ".." || below.startsWith(`..${sep}`);
  return outside || isAbsolute(below) ? undefined : file;
}
