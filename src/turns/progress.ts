// What takes long says once that it goes on, where nobody sees an answer grow. Time in which people are asked does not count.
import type { MessageRef } from "../core/events.ts";
import type { Address, Markdown, TurnId } from "../core/words.ts";
import { addPart, hasNotice } from "../store/outbox.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Op } from "../store/query.ts";
import { findTurn } from "../store/turns.ts";
import type { TurnPorts } from "./ports.ts";

export interface Progress {
  /** A question is open. */
  waiting(on: boolean): void;
  /** Nothing is said after this. */
  close(): Promise<void>;
}

interface Place {
  readonly turn: TurnId;
  readonly to: Address;
  readonly replyTo?: MessageRef;
}

/** `doing`: the tool that runs, or nothing. */
export function startProgress(ports: TurnPorts, place: Place, doing: () => Markdown): Progress {
  let left = ports.listener(place.to.listener)?.progressAfter ?? Number.POSITIVE_INFINITY;
  let since = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let told: Promise<void> = Promise.resolve();
  const halt = () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    left -= performance.now() - since;
  };
  const go = () => {
    if (timer !== undefined || left === Number.POSITIVE_INFINITY) return;
    since = performance.now();
    timer = setTimeout(
      () => {
        left = Number.POSITIVE_INFINITY;
        told = tell(ports, place, doing()).catch((error) =>
          ports.log.error({ turn: place.turn, error }, "Could not say that a turn goes on"),
        );
      },
      Math.max(0, left),
    );
  };
  go();
  return {
    waiting: (on) => (on ? halt() : go()),
    async close() {
      left = Number.POSITIVE_INFINITY;
      clearTimeout(timer);
      await told;
    },
  };
}

async function tell(ports: TurnPorts, place: Place, doing: Markdown): Promise<void> {
  const text = `Still at work on this${doing ? `: ${doing}` : ""}. The answer comes when it is done.`;
  const parts = await ports.render(place.to.listener, text);
  ports.deliver.deliver(
    await ports.store.run(function* (): Op<OutboxRow[]> {
      // It may have been told before a restart.
      if ((yield* findTurn(place.turn))?.state !== "running" || (yield* hasNotice(place.turn)))
        return [];
      const common = { ...place, kind: "notice", state: "pending", at: ports.clock.now() } as const;
      const rows: OutboxRow[] = [];
      for (const part of parts) rows.push(yield* addPart({ ...part, ...common }));
      return rows;
    }),
  );
}
