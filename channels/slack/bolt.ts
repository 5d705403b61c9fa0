// Bolt between a receiver of ours and the translation. Bolt acknowledges an event before its handler has ended, so it is
// given nothing to acknowledge with: the receiver does that itself, once what was heard is durable.
import { App, type Receiver, type ReceiverEvent } from "@slack/bolt";
import type { WebClientOptions } from "@slack/web-api";
import type { InboundEvent } from "../../src/core/events.ts";
import { silent } from "./client.ts";
import type { Intake } from "./intake.ts";
import { bodyOf } from "./shape.ts";
import type { Body } from "./wire.ts";

export interface BoltPorts {
  readonly clientOptions: WebClientOptions;
  readonly intake: Intake;
  translate(body: Body): Promise<InboundEvent | null>;
  onUnreadable(error: unknown): void;
}

/** Hands over what Slack sent; resolves with true once Slack may be told that it was taken. */
export type Hand = (body: ReceiverEvent["body"]) => Promise<boolean>;

/** What a receiver does beside handing over; `start` gets the way in. */
export interface Door {
  start(hand: Hand): Promise<void>;
  stop(): Promise<void>;
}

export interface Bolt {
  readonly hand: Hand;
  start(): Promise<void>;
  stop(): Promise<void>;
}

type Take = (event: InboundEvent | null) => void;

export function openBolt(ports: BoltPorts, door: Door): Bolt {
  const hand: Hand = (body) => ports.intake.offer(read(body));
  const receiver: Receiver = {
    init() {},
    start: () => door.start(hand),
    stop: () => door.stop(),
  };
  const app = new App({
    receiver,
    // Nobody acts in the name of a handler: the listener has a client of its own.
    authorize: async () => ({}),
    ignoreSelf: false,
    convoStore: false,
    logger: silent,
    clientOptions: { ...ports.clientOptions },
  });
  app.use(async ({ body, context }) => {
    const take = context.take as Take;
    take(await ports.translate(bodyOf(body)));
  });
  app.error(async (error) => {
    throw error;
  });
  const read = async (body: ReceiverEvent["body"]): Promise<readonly InboundEvent[]> => {
    const events: InboundEvent[] = [];
    const take: Take = (event) => {
      if (event) events.push(event);
    };
    try {
      await app.processEvent({ body, ack: async () => {}, customProperties: { take } });
    } catch (error) {
      ports.onUnreadable(error);
    }
    return events;
  };
  return {
    hand,
    async start() {
      await app.start();
    },
    async stop() {
      await app.stop();
    },
  };
}
