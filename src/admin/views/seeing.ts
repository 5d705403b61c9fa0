// Who sees what on a page: people with a pairing, by the one table of rights; what everybody is called there.
import { auditSeldom } from "../../access/audit.ts";
import { may } from "../../access/authorise.ts";
import type { OutFile } from "../../core/channel.ts";
import type { Clock } from "../../core/clock.ts";
import { markdownParts } from "../../core/markdown-parts.ts";
import { visibleLine } from "../../core/visible.ts";
import type { Caller, ChannelName, ListenerId, Markdown } from "../../core/words.ts";
import { everybody } from "../../store/conversations.ts";
import { listPairings } from "../../store/pairings.ts";
import type { Op } from "../../store/query.ts";
import type { Store } from "../../store/store.ts";

export interface ViewPorts {
  readonly store: Store;
  readonly clock: Clock;
  /** Of a listener that is open. */
  channelOf(listener: ListenerId): ChannelName | undefined;
  /** Its bytes are still there. */
  isKept(file: OutFile): boolean;
}

/** People we do not know have no page, whatever a chat would tell them. */
export function sees(caller: Caller, starter: string): boolean {
  return caller.pairing !== null && may(caller, "see-task", { starter });
}

export function seesAll(caller: Caller): boolean {
  return caller.pairing !== null && may(caller, "see-task");
}

/** Names of those who have a pairing, by caller id. */
export function* names(): Op<ReadonlyMap<string, string>> {
  const pairings = yield* listPairings();
  return new Map(pairings.map(({ id, name }) => [`p:${id}`, name]));
}

/** Null when it is the viewer's own. `known`: what is on record beside it, of somebody whose pairing is gone or never was. */
export function whose(
  viewer: Caller,
  caller: string,
  { named, known }: { named: ReadonlyMap<string, string>; known: string },
): string | null {
  if (caller === viewer.id) return null;
  if (caller === everybody) return "everybody";
  return named.get(caller) ?? (short(known) || "somebody unknown");
}

const longestTitle = 200;

export function short(text: string): string {
  const line = visibleLine(text.slice(0, longestTitle * 2));
  return line.length > longestTitle ? `${line.slice(0, longestTitle - 1)}…` : line;
}

/** A fence that the cut falls into is closed. */
export function cutMarkdown(text: Markdown, most: number): Markdown {
  if (text.length <= most) return text;
  const [first] = markdownParts(text, most);
  return `${first?.plain ?? ""}\n\n…`;
}

/** Somebody asked for what is not theirs; they are told that there is no such thing. */
export function* refusedLook(
  { clock }: Pick<ViewPorts, "clock">,
  { id: who, name }: Caller,
  target: string,
): Op<void> {
  const row = { at: clock.now(), who, name, place: "web", action: "look", target };
  yield* auditSeldom({ ...row, outcome: "refused", why: "not theirs" });
}
