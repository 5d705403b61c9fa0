// From what Slack sends to our events, with the names that people see: looked up where somebody will read them.
import type { InboundEvent } from "../../src/core/events.ts";
import { type App, saidIn, toInboundEvent } from "./inbound.ts";
import type { People } from "./people.ts";
import { namedIn } from "./text.ts";
import { type Body, isCommand, isEvent, type Me, type SlackMessage } from "./wire.ts";

export interface ReaderPorts {
  readonly people: People;
  readonly replies: App["replies"];
  me(): Promise<Me>;
}

/** A conversation, and whether people of elsewhere may be in it. */
export interface Past {
  readonly chat: string;
  readonly shared: boolean;
}

export interface Reader {
  read(body: Body): Promise<InboundEvent | null>;
  /** A message of a conversation's history. */
  readPast(place: Past, message: SlackMessage): Promise<InboundEvent | null>;
}

export function createReader({ people, replies, me }: ReaderPorts): Reader {
  const app = async (): Promise<App> => ({
    me: await me(),
    replies,
    nameOf: people.nameOf,
    dmOf: people.dmOf,
    now: Date.now,
  });
  return {
    async read(body) {
      if (isCommand(body) && body.channel_name === "directmessage" && body.user_id)
        await people.learnDm(body.user_id);
      const known = await app();
      const event = toInboundEvent(body, known);
      if (!event || !(await learn(people, event, textIn(body)))) return event;
      return withTitle(people, toInboundEvent(body, known));
    },
    async readPast({ chat, shared }, message) {
      const known = await app();
      const past = { ...message, channel: chat };
      const body = { is_ext_shared_channel: shared };
      const event = saidIn(body, past, known);
      if (!event || !(await learn(people, event, message.text ?? ""))) return event;
      return saidIn(body, past, known);
    },
  };
}

/** False where nobody will read a name. A press is answered first of all. */
async function learn(people: People, event: InboundEvent, text: string): Promise<boolean> {
  if (event.kind === "press" || event.kind === "home") return false;
  if (event.kind === "message" && !event.addressed) return false;
  const sender = event.sender.account.split(":").at(-1) ?? "";
  await people.learn([sender, ...namedIn(text)]);
  return true;
}

function textIn(body: Body): string {
  if (isCommand(body)) return body.text ?? "";
  return (isEvent(body) && (body.event?.message?.text ?? body.event?.text)) || "";
}

async function withTitle(people: People, event: InboundEvent | null): Promise<InboundEvent | null> {
  if (event?.kind !== "chat" || event.change !== "added") return event;
  const title = await people.titleOf(event.chat.id);
  return title === undefined ? event : { ...event, title };
}
