// Alarms: a deaf listener, a failing agent, or what could not be delivered is told to owners, where it can still be heard, once per trouble.

import { escapeInline } from "../approvals/card.ts";
import type { Recipient } from "../approvals/ports.ts";
import type { Deliver } from "../bus/deliver.ts";
import { trouble } from "../bus/listeners.ts";
import type { Listener, Part } from "../core/channel.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { Address, ListenerId, Markdown } from "../core/words.ts";
import { addPart } from "../store/outbox.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Store } from "../store/store.ts";
import { createLosses, type Losses } from "./losses.ts";

export interface AlarmPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly deliver: Deliver;
  render(listener: ListenerId, text: Markdown): Promise<Part[]>;
  ownerChats(): Promise<readonly Recipient[]>;
  listeners(): readonly Listener[];
}

export interface Alarm {
  /** Looks once; call it every half minute. */
  look(): Promise<void>;
  /** Several turns in a row failed because of the agent. */
  agentFailed(why: string): void;
  agentWorked(): void;
  /** It will never arrive. For each chat once an hour, never there, and nothing about a message of our own. */
  undelivered(row: OutboxRow, why: string): void;
  /** To every owner who can be reached, in their direct chats; never rejects. */
  tell(text: Markdown): Promise<void>;
}

const agentFailuresToTell = 3;

export function createAlarm(ports: AlarmPorts): Alarm {
  const told = new Set<ListenerId>();
  const lost = createLosses(ports);
  let failures = 0;
  const tell = (text: Markdown, may?: (to: Address) => boolean) =>
    tellOwners(ports, lost, { text, may }).catch((error) =>
      ports.log.error({ error }, "Could not tell an owner"),
    );
  return {
    tell: (text) => tell(text),
    async look() {
      for (const listener of ports.listeners()) {
        const elsewhere = (to: Address) => to.listener !== listener.id;
        const why = trouble(listener.health(), ports.clock.now());
        if (why && !told.has(listener.id)) {
          told.add(listener.id);
          ports.log.warn({ listener: listener.id, why }, "A listener cannot hear");
          await tell(
            `⚠️ The channel \`${listener.id}\` is deaf: ${escapeInline(why)}. \`sallyport doctor\` says more.`,
            elsewhere,
          );
        }
        if (!why && told.delete(listener.id))
          await tell(`✅ The channel \`${listener.id}\` hears again.`, elsewhere);
      }
    },
    agentFailed(why) {
      failures += 1;
      if (failures === agentFailuresToTell)
        void tell(
          `⚠️ The agent has failed ${failures} times in a row: ${escapeInline(why)}. \`sallyport doctor\` says more.`,
        );
    },
    agentWorked() {
      failures = 0;
    },
    undelivered(row, why) {
      const { listener, chat } = row.to;
      lost
        .textOf(row, why)
        .then(async (text) => {
          if (text) await tell(text, (to) => to.listener !== listener || to.chat !== chat);
        })
        .catch((error) => ports.log.error({ error }, "Could not tell what was lost"));
    },
  };
}

async function tellOwners(
  ports: AlarmPorts,
  lost: Losses,
  { text, may = () => true }: { text: Markdown; may?: ((to: Address) => boolean) | undefined },
): Promise<void> {
  const chats = (await ports.ownerChats()).filter(({ to }) => may(to));
  if (chats.length === 0) ports.log.warn({}, "No owner could be told of trouble");
  for (const { to } of chats) {
    const parts = await ports.render(to.listener, text);
    const rows = await ports.store.run(function* () {
      const written: OutboxRow[] = [];
      for (const part of parts)
        written.push(
          yield* addPart({ ...part, kind: "notice", state: "pending", to, at: ports.clock.now() }),
        );
      return written;
    });
    for (const { id } of rows) lost.leaveOut(id, ports.deliver.sent(id));
    ports.deliver.deliver(rows);
  }
}
