// The open chats that follow the terminal's events, as server-sent events.
import { type BacklogLimits, createBacklog } from "./backlog.ts";
import type { TerminalEvent } from "./events.ts";

export interface Feed {
  emit(event: TerminalEvent): void;
  /** Id of the last event. */
  last(): string;
  /** `after`: see the backlog. */
  follow(after: string): ReadableStream<Uint8Array>;
}

export interface FeedLimits extends BacklogLimits {
  /** Unread bytes of one chat before it is dropped; it reconnects and is told what it missed. */
  readonly behind: number;
}

type Follower = ReadableStreamDefaultController<Uint8Array>;

const encoder = new TextEncoder();

function encode(event: TerminalEvent | undefined, id?: string): Uint8Array {
  const head = id === undefined ? "" : `id: ${id}\n`;
  return encoder.encode(
    event ? `${head}data: ${JSON.stringify(event)}\n\n` : `${head || ": here\n"}\n`,
  );
}

export function createFeed(limits: FeedLimits): Feed {
  const backlog = createBacklog(limits);
  const followers = new Set<Follower>();
  const leave = (follower: Follower) => {
    if (followers.delete(follower)) follower.close();
  };
  const welcome = (follower: Follower, after: string) => {
    follower.enqueue(encode(undefined));
    const { items, gap } = backlog.since(after);
    if (gap) follower.enqueue(encode({ type: "gap" }));
    for (const { event, seq } of items) follower.enqueue(encode(event, backlog.idOf(seq)));
    // Whoever saw nothing yet must know where it stands after a drop.
    follower.enqueue(encode(undefined, backlog.last()));
    followers.add(follower);
    backlog.sawAll();
  };
  return {
    last: backlog.last,
    emit(event) {
      const kept = event.type === "typing" ? undefined : backlog.add(event);
      const chunk = encode(event, kept && backlog.idOf(kept.seq));
      for (const follower of followers) {
        follower.enqueue(chunk);
        if ((follower.desiredSize ?? 0) < -limits.behind) leave(follower);
      }
      if (followers.size > 0) backlog.sawAll();
    },
    follow(after) {
      let mine: Follower | undefined;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            mine = controller;
            welcome(controller, after);
          },
          cancel() {
            if (mine) followers.delete(mine);
          },
        },
        { highWaterMark: 0, size: (chunk) => chunk.byteLength },
      );
    },
  };
}
