// Presses and slash commands: acknowledged before any work, and answered to the one person who sees the answer.
import { setTimeout as sleep } from "node:timers/promises";
import type { REST } from "discord.js";
import { type Only, type Part, SendError } from "../../src/core/channel.ts";
import type { PressRef } from "../../src/core/events.ts";
import { flags } from "./content.ts";
import { codeOf, toSendError } from "./errors.ts";
import { askerOf, type Interaction, isCommand, isPress } from "./interaction-events.ts";
import { bodyOf, cutTo, textsOf } from "./message-body.ts";

export interface InteractionPorts {
  readonly rest: REST;
  readonly token: string;
  /** Known once the bot has introduced itself. */
  application(): string;
}

export interface Interactions {
  /** Settles when Discord has been told, or cannot be any more; never rejects. Told again, it is the same one. */
  acknowledge(interaction: Interaction): Promise<void>;
  answer(press: PressRef, notice?: string): Promise<void>;
  whisper(only: Only, part: Part): Promise<void>;
}

/** After that it is too late for Discord, and what comes behind waits no longer. */
const acknowledgeMs = 3000;
/** Discord takes answers for a quarter of an hour. */
const aliveMs = 15 * 60 * 1000;
const mostOpen = 2000;
const noticeMost = 2000;

const deferred = { message: 5, update: 6 } as const;

interface Open {
  readonly token: string;
  readonly until: number;
  /** The one account that sees the answers. */
  readonly by: string | undefined;
  /** It shows "thinking" until something takes its place. */
  thinking: boolean;
  readonly acknowledged: Promise<boolean>;
  /** Its answers, one after the other: only the first takes the place of "thinking". */
  turn: Promise<void>;
}

/** Settles with it, or when it takes too long. */
async function soon(work: Promise<unknown>): Promise<void> {
  const late = new AbortController();
  const { signal } = late;
  await Promise.race([work, sleep(acknowledgeMs, undefined, { signal }).catch(() => undefined)]);
  late.abort();
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
      const known = open.get(id);
      if (known) return await soon(known.acknowledged);
      const acknowledged = acknowledge(ports, interaction);
      const until = Date.now() + aliveMs;
      const turn = Promise.resolve();
      const by = askerOf(interaction);
      open.set(id, { token, until, by, thinking: isCommand(interaction), acknowledged, turn });
      for (const [oldest, one] of open)
        if (open.size > mostOpen || one.until < Date.now()) open.delete(oldest);
        else break;
      await soon(acknowledged);
    },
    async answer({ id }, notice) {
      const found = find(id);
      // Too old, or not reachable: the presser sees no more than a button that stops turning.
      if (!found || !(await found.acknowledged)) return;
      const part = notice === undefined ? undefined : { plain: cutTo(notice, noticeMost) };
      const act = () => (part ? show(ports, found, part) : clear(ports, found));
      await inTurn(found, act).catch(() => undefined);
    },
    async whisper({ account, press }, part) {
      const found = find(press?.id ?? "");
      if (!found || found.by !== account || !(await found.acknowledged))
        throw new SendError("gone", "Discord takes no private answer to this any more.");
      await inTurn(found, () => show(ports, found, part)).catch((error) => {
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

function inTurn(found: Open, act: () => Promise<void>): Promise<void> {
  const done = found.turn.then(act);
  found.turn = done.catch(() => undefined);
  return done;
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
