// Presses and slash commands: acknowledged before any work, and answered to the one person who sees the answer.
import type { REST } from "discord.js";
import { type Part, SendError } from "../../src/core/channel.ts";
import type { PressRef } from "../../src/core/events.ts";
import { flags } from "./content.ts";
import { codeOf, toSendError } from "./errors.ts";
import { type Interaction, isCommand, isPress } from "./interaction-events.ts";
import { bodyOf, cutTo, textsOf } from "./message-body.ts";

export interface InteractionPorts {
  readonly rest: REST;
  readonly token: string;
  /** Known once the bot has introduced itself. */
  application(): string;
}

export interface Interactions {
  /** Settles when Discord has been told, or cannot be any more; never rejects. */
  acknowledge(interaction: Interaction): Promise<void>;
  answer(press: PressRef, notice?: string): Promise<void>;
  whisper(press: PressRef, part: Part): Promise<void>;
}

/** Discord takes answers for a quarter of an hour. */
const aliveMs = 15 * 60 * 1000;
const mostOpen = 2000;
const noticeMost = 2000;

const deferred = { message: 5, update: 6 } as const;

interface Open {
  readonly token: string;
  readonly until: number;
  /** It shows "thinking" until something takes its place. */
  thinking: boolean;
  readonly acknowledged: Promise<boolean>;
}

export function createInteractions(ports: InteractionPorts): Interactions {
  const open = new Map<string, Open>();
  const find = (id: string) => {
    const found = open.get(id);
    return found && found.until > Date.now() ? found : undefined;
  };
  return {
    async acknowledge(interaction) {
      const { id, token } = interaction;
      const acknowledged = acknowledge(ports, interaction);
      const until = Date.now() + aliveMs;
      open.set(id, { token, until, thinking: isCommand(interaction), acknowledged });
      for (const [oldest, one] of open)
        if (open.size > mostOpen || one.until < Date.now()) open.delete(oldest);
        else break;
      await acknowledged;
    },
    async answer({ id }, notice) {
      const found = find(id);
      // Too old, or not reachable: the presser sees no more than a button that stops turning.
      if (!found || !(await found.acknowledged)) return;
      const part = notice === undefined ? undefined : { plain: cutTo(notice, noticeMost) };
      await (part ? show(ports, found, part) : clear(ports, found)).catch(() => undefined);
    },
    async whisper({ id }, part) {
      const found = find(id);
      if (!found || !(await found.acknowledged))
        throw new SendError("gone", "Discord takes no private answer to this any more.");
      await show(ports, found, part).catch((error) => {
        throw toSendError(error, ports.token);
      });
    },
  };
}

/** False: Discord gave it up already, or never hears of it. */
async function acknowledge({ rest }: InteractionPorts, interaction: Interaction): Promise<boolean> {
  const { id, token } = interaction;
  const quietly = { type: deferred.message, data: { flags: flags.ephemeral } };
  const body = isPress(interaction) ? { type: deferred.update } : quietly;
  try {
    await rest.post(`/interactions/${id}/${token}/callback`, { body, auth: false });
    return true;
  } catch (error) {
    const already = 40060;
    return codeOf(error) === already;
  }
}

async function show(ports: InteractionPorts, found: Open, part: Part): Promise<void> {
  const texts = textsOf(part);
  for (const [index, text] of texts.entries()) {
    const whole = index === texts.length - 1 ? part : { plain: part.plain };
    const { body, files } = await bodyOf(whole, text);
    const to = `/webhooks/${ports.application()}/${found.token}` as const;
    if (found.thinking) {
      await ports.rest.patch(`${to}/messages/@original`, { body, files, auth: false });
      found.thinking = false;
    } else {
      const hidden = { ...body, flags: body.flags | flags.ephemeral };
      await ports.rest.post(to, { body: hidden, files, auth: false });
    }
  }
}

async function clear(ports: InteractionPorts, found: Open): Promise<void> {
  if (!found.thinking) return;
  found.thinking = false;
  const to = `/webhooks/${ports.application()}/${found.token}` as const;
  await ports.rest.delete(`${to}/messages/@original`, { auth: false });
}
