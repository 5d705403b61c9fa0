// Which threads have replies: what one person alone is shown in a thread is only seen where there are some.
import type { InboundEvent } from "../../src/core/events.ts";

const remembered = 2000;

export interface Threads {
  note(chat: string, thread: string | undefined): void;
  heard(event: InboundEvent): void;
  isActive(chat: string, thread: string): boolean;
}

export function createThreads(): Threads {
  const active = new Set<string>();
  const note = (chat: string, thread: string | undefined) => {
    if (thread === undefined) return;
    active.delete(`${chat} ${thread}`);
    active.add(`${chat} ${thread}`);
    for (const oldest of active) {
      if (active.size <= remembered) break;
      active.delete(oldest);
    }
  };
  return {
    note,
    heard(event) {
      // A mention at the top opens a thread that nobody has replied in.
      const { id, thread } = event.chat;
      if (event.kind === "message" && event.message.id !== thread) note(id, thread);
      if (event.kind === "press") note(id, thread);
    },
    isActive: (chat, thread) => active.has(`${chat} ${thread}`),
  };
}
