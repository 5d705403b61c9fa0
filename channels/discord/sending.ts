// The way out: messages, edits, files and typing.
import { createHash } from "node:crypto";
import { type Part, SendError, type SendKey } from "../../src/core/channel.ts";
import type { MessageRef } from "../../src/core/events.ts";
import type { Address } from "../../src/core/words.ts";
import { codeOf, retryAfterOf, toSendError } from "./errors.ts";
import { bodyOf, textsOf } from "./message-body.ts";
import type { Clients } from "./rest.ts";

export interface SendingPorts {
  readonly clients: Pick<Clients, "quick" | "uploads">;
  readonly token: string;
  /** Discord has a message of ours: its event has to come. */
  sent(): void;
}

export interface Sending {
  send(to: Address, part: Part, key: SendKey): Promise<MessageRef>;
  edit(ref: MessageRef, part: Part): Promise<void>;
  remove(ref: MessageRef): Promise<void>;
  showTyping(to: Address): Promise<void>;
}

const nonceMost = 25;
const unknownMessage = 10008;

export function createSending(ports: SendingPorts): Sending {
  const { clients, token } = ports;
  const { quick } = clients;
  let typingAfter = 0;
  return {
    async send(to, part, key) {
      try {
        return await sendAll(ports, { to, part, key });
      } catch (error) {
        throw toSendError(error, token);
      }
    },
    async edit(ref, part) {
      const [text = "", ...more] = textsOf(part);
      if (more.length > 0) throw new SendError("rejected", "The text is too long for one message.");
      try {
        const { file: _, ...rest } = part;
        const { body } = await bodyOf(rest, text);
        await quick.patch(`/channels/${roomOf(ref)}/messages/${idOf(ref.id)}`, { body });
      } catch (error) {
        throw toSendError(error, token);
      }
    },
    async remove(ref) {
      try {
        await quick.delete(`/channels/${roomOf(ref)}/messages/${idOf(ref.id)}`);
      } catch (error) {
        if (codeOf(error) !== unknownMessage) throw toSendError(error, token);
      }
    },
    async showTyping(to) {
      if (Date.now() < typingAfter) return;
      try {
        await quick.post(`/channels/${roomOf(to)}/typing`);
      } catch (error) {
        typingAfter = Date.now() + (retryAfterOf(error) ?? 0);
      }
    },
  };
}

interface Message {
  readonly to: Address;
  readonly part: Part;
  readonly key: SendKey;
}

/** A part that is too long becomes several messages: each has a nonce of its own, so that a repeat doubles none of them. */
async function sendAll(ports: SendingPorts, { to, part, key }: Message): Promise<MessageRef> {
  const texts = textsOf(part);
  if (texts.length === 0 && part.file) texts.push("");
  if (part.plain.trim() === "" && !part.file)
    throw new SendError("rejected", "There is nothing to send.");
  let last: MessageRef | undefined;
  for (const [index, text] of texts.entries()) {
    const { file, buttons, replyTo } = part;
    const first = index === 0 ? { ...(file && { file }), ...(replyTo && { replyTo }) } : {};
    const end = index === texts.length - 1 && buttons ? { buttons } : {};
    const one = { plain: part.plain, ...first, ...end };
    last = await sendOne(ports, { to, part: one, key: `${key}:${index}` }, text);
  }
  if (!last) throw new SendError("rejected", "There is nothing to send.");
  return last;
}

async function sendOne(ports: SendingPorts, { to, part, key }: Message, text: string) {
  const { body, files } = await bodyOf(part, text);
  const { quick, uploads } = ports.clients;
  const rest = files.length > 0 ? uploads : quick;
  const whole = {
    ...body,
    ...replied(to, part),
    nonce: nonceOf(`${roomOf(to)}:${key}`),
    enforce_nonce: true,
  };
  const path = `/channels/${roomOf(to)}/messages` as const;
  const sent = (await rest.post(path, { body: whole, files })) as Sent;
  ports.sent();
  const id = idOf(sent.id);
  if (!says(sent, body)) await quick.patch(`${path}/${id}`, { body });
  const { chat, thread } = to;
  return { chat, id, ...(thread === undefined ? {} : { thread }) };
}

type Body = Awaited<ReturnType<typeof bodyOf>>["body"];

interface Sent {
  readonly id?: unknown;
  readonly content?: string;
  readonly components?: readonly { readonly components?: readonly { custom_id?: string }[] }[];
}

/** A repeat gives the message that is there already: an answer may have grown since then, a question may be over. */
function says(sent: Sent, { content, components }: Body): boolean {
  const buttons = (rows: Sent["components"] = []) =>
    rows.flatMap((row) => (row.components ?? []).map((button) => button.custom_id)).join();
  return (
    sent.content?.trim() === content.trim() && buttons(sent.components) === buttons(components)
  );
}

/** Only within one room; what it answers may be gone. */
function replied(to: Address, { replyTo }: Part) {
  if (!replyTo?.id || roomOf(replyTo) !== roomOf(to)) return {};
  const { id } = replyTo;
  return { message_reference: { message_id: id, fail_if_not_exists: false } };
}

/** The same part has the same one: Discord then gives the message that is already there, whatever room it is in. */
export function nonceOf(key: SendKey): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, nonceMost);
}

function roomOf({ chat, thread }: Pick<Address, "chat" | "thread">): string {
  return idOf(thread ?? chat);
}

/** What is no id would be another address of the API. */
function idOf(id: unknown): string {
  if (typeof id === "string" && /^\d{1,20}$/.test(id)) return id;
  throw new SendError("gone", "This is no room or message of Discord.");
}
