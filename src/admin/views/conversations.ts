// The conversations that a caller may see, of every channel, newest first.
import type { ConversationRow } from "../../core/page.ts";
import type { Caller } from "../../core/words.ts";
import { chatTitle } from "../../store/chats.ts";
import { type Listed, listConversations } from "../../store/conversations.ts";
import type { Op } from "../../store/query.ts";
import { latestTaskIn } from "../../store/tasks.ts";
import { names, seesAll, short, type ViewPorts, whose } from "./seeing.ts";
import { type Standing, standing, stateOf } from "./standing.ts";

const most = 200;

export interface Viewing {
  readonly viewer: Caller;
  readonly now: Standing;
  readonly named: ReadonlyMap<string, string>;
}

export function* viewing(viewer: Caller): Op<Viewing> {
  return { viewer, now: yield* standing(), named: yield* names() };
}

export function* conversations(ports: ViewPorts, viewer: Caller): Op<ConversationRow[]> {
  if (viewer.pairing === null) return [];
  const all = yield* listConversations(most, seesAll(viewer) ? undefined : viewer.id);
  const seen = yield* viewing(viewer);
  const rows: ConversationRow[] = [];
  for (const one of all) rows.push(yield* rowOf(ports, one, seen));
  return rows.sort((a, b) => b.lastAt - a.lastAt);
}

export function* rowOf(
  { channelOf }: ViewPorts,
  { id, address, kind, caller, current, lastAt }: Listed,
  { viewer, now, named }: Viewing,
): Op<ConversationRow> {
  const { listener, chat } = address;
  const task = yield* latestTaskIn(id);
  const group = kind === "group" ? yield* chatTitle(listener, chat) : "";
  return {
    id,
    listener,
    channel: channelOf(listener) ?? listener,
    title: short(group || (task?.title ?? "")),
    whose: whose(viewer, caller, { named, known: task?.callerName ?? "" }),
    kind,
    lastAt: Math.max(lastAt, task?.updatedAt ?? 0),
    state: stateOf(now, id),
    chat: listener === "web" && caller === viewer.id && current ? chat : null,
  };
}
