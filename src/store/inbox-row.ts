// What a row of the inbox is to the rest of the gateway.
import type { InboundEvent } from "../core/events.ts";
import type { ListenerId, Role } from "../core/words.ts";

export type InboxOutcome = "ok" | "refused" | "cancelled" | "failed" | "reported" | "ignored";

export interface InboxEntry {
  readonly id: number;
  readonly listener: ListenerId;
  readonly kind: string;
  readonly caller: string;
  readonly role: Role;
  readonly album: string | null;
  readonly conversation: string | null;
  readonly receivedAt: number;
  readonly event: InboundEvent;
}

interface Row {
  id: number;
  listener: string;
  kind: string;
  caller: string | null;
  role: string | null;
  album: string | null;
  conversation: string | null;
  receivedAt: number;
  bodyJson: string | null;
}

export function toEntry(row: Row): InboxEntry {
  return {
    id: row.id,
    listener: row.listener,
    caller: row.caller ?? "",
    role: (row.role ?? "anonymous") as Role,
    kind: row.kind,
    album: row.album,
    conversation: row.conversation,
    receivedAt: row.receivedAt,
    event: JSON.parse(row.bodyJson ?? "null") as InboundEvent,
  };
}
