// Answers to presses and slash commands: three seconds for the first, fifteen minutes for all others.
import { type Platform, tellMessage } from "./discord-events.ts";
import { buildMessage, changeMessage, type Request, removeMessage } from "./discord-messages.ts";
import { messageJson } from "./discord-shapes.ts";
import {
  badForm,
  FLAGS,
  type Interaction,
  type Json,
  refusals,
  type Stored,
} from "./discord-types.ts";
import type { World } from "./discord-world.ts";

const FIRST_ANSWER_MS = 3_000;
const TOKEN_MS = 15 * 60_000;
const MESSAGE = 4;
const THINKING = 5;
const NOTHING = 6;
const CHANGE = 7;

/** The person sees that it failed. */
export function hasFailed(world: World, { answer, at }: Interaction): boolean {
  return answer === undefined && world.now() - at > FIRST_ANSWER_MS;
}

export function respond(platform: Platform, request: Request): Json | undefined {
  const { world } = platform;
  const { interaction: id, token } = request.path;
  const interaction = world.interactions.get(id ?? "");
  if (!interaction || interaction.token !== token) throw refusals.noInteraction();
  if (interaction.answer !== undefined) throw refusals.acknowledged();
  if (interaction.expired || hasFailed(world, interaction)) throw refusals.noInteraction();
  const { type, data } = request.body;
  const body = (typeof data === "object" && data !== null ? data : {}) as Json;
  firstAnswer(platform, interaction, { type: Number(type), body, request });
  interaction.answer = Number(type);
  interaction.answeredAt = world.now();
  if (request.query.get("with_response") !== "true") return undefined;
  const message = interaction.original;
  return {
    interaction: { id: interaction.id, type: interaction.pressed ? 3 : 2 },
    resource: {
      type: Number(type),
      ...(message && { message: messageJson(world, message, { content: true }) }),
    },
  };
}

function firstAnswer(
  platform: Platform,
  interaction: Interaction,
  { type, body, request }: { type: number; body: Json; request: Request },
): void {
  const { world } = platform;
  const { pressed } = interaction;
  if (type === MESSAGE) {
    interaction.original = addMessage(platform, interaction, { ...request, body });
  } else if (type === THINKING) {
    interaction.original = addThinking(platform, interaction, body);
  } else if (type === NOTHING && pressed) {
    interaction.original = pressed;
  } else if (type === CHANGE && pressed) {
    changeMessage(world, pressed, { body, files: request.files });
    interaction.original = pressed;
    tellMessage(platform, "MESSAGE_UPDATE", pressed);
  } else
    throw badForm({
      type: {
        code: "INTERACTION_RESPONSE_TYPE_INVALID",
        message: "This response type is not valid for this interaction.",
      },
    });
}

function addMessage(
  platform: Platform,
  interaction: Interaction,
  request: Pick<Request, "body" | "files">,
): Stored {
  const { world } = platform;
  const { channel } = interaction;
  const flags = FLAGS.ephemeral;
  const stored = buildMessage(world, { channel, request, interaction, flags });
  world.store(stored);
  world.counters.sent += 1;
  interaction.messages.push(stored);
  tellMessage(platform, "MESSAGE_CREATE", stored);
  return stored;
}

function addThinking(platform: Platform, interaction: Interaction, body: Json): Stored {
  const ephemeral = (Number(body.flags) & FLAGS.ephemeral) !== 0;
  const flags = FLAGS.loading | (ephemeral ? FLAGS.ephemeral : 0);
  const { world } = platform;
  const { channel, by } = interaction;
  const stored: Stored = {
    ...{ id: world.id(), channel, type: 20, author: world.me, webhookId: world.me.id, content: "" },
    ...{ createdAt: world.now(), editedAt: undefined, edits: 0, replyTo: undefined, mentions: [] },
    ...{ pings: { everyone: false, users: [], roles: [] }, files: [], components: [], flags },
    ...{ nonce: undefined, onlyFor: ephemeral ? by : undefined, thinking: true, interaction },
    raw: {},
  };
  world.store(stored);
  interaction.messages.push(stored);
  tellMessage(platform, "MESSAGE_CREATE", stored);
  return stored;
}

/** By the token in the address: nothing else lets in. */
function interactionFor(world: World, { path }: Request): Interaction {
  if (path.application !== world.me.id) throw refusals.noWebhook();
  // The token ends with the number of what it is for.
  const found = world.interactions.get(/\d+$/.exec(path.token ?? "")?.[0] ?? "");
  if (found?.answer === undefined || found.token !== path.token) throw refusals.noWebhook();
  if (found.expired || world.now() - found.at > TOKEN_MS) throw refusals.badToken();
  return found;
}

export function followUp(platform: Platform, request: Request): Stored {
  const interaction = interactionFor(platform.world, request);
  const { original } = interaction;
  // The first message after "thinking" takes its place, and is as private as that was.
  if (original?.thinking) return change(platform, original, request);
  return addMessage(platform, interaction, request);
}

export function editFollowUp(platform: Platform, request: Request): Stored {
  return change(platform, messageFor(platform.world, request), request);
}

export function getFollowUp({ world }: Platform, request: Request): Stored {
  return messageFor(world, request);
}

export function deleteFollowUp(platform: Platform, request: Request): void {
  const stored = messageFor(platform.world, request);
  removeMessage(platform, stored);
  platform.world.counters.deleted += 1;
}

function messageFor(world: World, request: Request): Stored {
  const interaction = interactionFor(world, request);
  const { message } = request.path;
  const stored =
    message === "@original"
      ? interaction.original
      : [...interaction.messages, interaction.original].find((one) => one?.id === message);
  if (!stored?.channel.messages.has(stored.id)) throw refusals.noMessage();
  return stored;
}

function change(platform: Platform, stored: Stored, request: Request): Stored {
  changeMessage(platform.world, stored, request);
  stored.flags &= ~FLAGS.loading;
  tellMessage(platform, "MESSAGE_UPDATE", stored);
  return stored;
}
