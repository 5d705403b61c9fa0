// One bot: the gateway, the way in, the way out, put together.
import type { ChannelContext, Listener, Pace } from "../../src/core/channel.ts";
import type { AccountId } from "../../src/core/words.ts";
import { createLoopGuard } from "./bots.ts";
import type { DiscordConfig } from "./config.ts";
import { createCursors } from "./cursors.ts";
import { toSendError } from "./errors.ts";
import { fetchFile } from "./files.ts";
import { createGateway } from "./gateway.ts";
import { createHealth } from "./health.ts";
import { createHearing } from "./hearing.ts";
import { createIntake } from "./intake.ts";
import { createInteractions } from "./interactions.ts";
import { setMenu } from "./menu.ts";
import { type Clients, openClients } from "./rest.ts";
import { createRooms } from "./rooms.ts";
import { createSending, type Sending } from "./sending.ts";

/** As Discord publishes it; a little below its 50 requests a second, so that presses find room. */
const pace: Pace = {
  chat: { calls: 5, per: 5200 },
  all: { calls: 45, per: 1000 },
  editEvery: 1200,
};

/** More are asked for anew. */
const mostDirects = 1000;

interface Application {
  readonly id: string;
  readonly flags?: number;
  readonly bot?: { readonly id: string; readonly username: string };
}

export function openListener(config: DiscordConfig, context: ChannelContext): Listener {
  const { token } = config;
  const clients = openClients(config, context);
  const parts = openParts(config, context, clients);
  const { health, cursors, intake, gateway, interactions, me, introduce, stopping } = parts;
  const inFlight = new Set<Promise<unknown>>();
  const sending = createSending({ clients, token, sent: health.expect });
  const directs = new Map<AccountId, string>();
  return {
    id: context.listener,
    async start(accept) {
      await cursors.load();
      intake.start(accept);
      await gateway.start();
    },
    health: health.read,
    async stop() {
      stopping.abort();
      await gateway.stop();
      await intake.settle();
      await Promise.allSettled(inFlight);
      await cursors.flush();
      clients.close();
    },
    ...watched({ ...sending, answerPress: interactions.answer }, inFlight),
    whispersToPressesOnly: true,
    noticesStay: true,
    whisper: (_, only, part) => watch(inFlight, interactions.whisper(only, part)),
    showTyping: sending.showTyping,
    ...(config.pace === "on" ? { pace: () => pace } : {}),
    async openDirect(account) {
      const known = directs.get(account);
      if (known !== undefined) return { listener: context.listener, chat: known };
      const { id: chat, last_message_id: last } = await openDirect(clients, account, token);
      if (directs.size >= mostDirects) directs.clear();
      directs.set(account, chat);
      // Nothing else tells after a restart that this person may have written.
      await cursors.noteDirect(chat, last ?? chat);
      return { listener: context.listener, chat };
    },
    fetchFile: (file, into) => fetchFile({ rest: clients.patient, config, context }, file, into),
    async setMenu(commands) {
      if (!me.application) await introduce().catch(() => undefined);
      await setMenu(clients.patient, { application: me.application || "0", token }, commands);
    },
  };
}

/** What hears, in the order of one event: gateway, hearing, intake, cursors. */
function openParts(config: DiscordConfig, context: ChannelContext, clients: Clients) {
  const { token, allowBots } = config;
  const { log } = context;
  const health = createHealth(config.deafSeconds);
  const stopping = new AbortController();
  const cursors = createCursors(context.notes, log);
  const me = { application: "", id: "", name: "", allowBots };
  const introduce = async () => {
    clients.renew();
    const { id, flags, bot } = (await clients.quick.get("/applications/@me")) as Application;
    Object.assign(me, { application: id, id: bot?.id ?? id, name: bot?.username ?? "" });
    return flags;
  };
  const interactions = createInteractions({
    ...{ rest: clients.answers, token, application: () => me.application },
  });
  const intake = createIntake({
    ...{ health, log, token, signal: stopping.signal },
    read: ({ channel, kind, id }) => cursors.move(channel, kind, id),
    overflowed: () => hearing.refill(),
  });
  const hearing = createHearing({
    ...{ rest: clients.patient, bot: me, rooms: createRooms(), cursors, intake, interactions },
    ...{ health, log, token, signal: stopping.signal, loopGuard: createLoopGuard(log) },
    retryEvery: (config.deafSeconds * 1000) / 6,
  });
  const gateway = createGateway({
    ...{ rest: clients.quick, config, log, health, introduce, dispatch: hearing.dispatch },
    beat: () => {
      if (intake.isIdle()) cursors.quiet(Date.now());
    },
  });
  return { health, cursors, intake, gateway, interactions, me, introduce, stopping };
}

async function openDirect({ quick }: Clients, account: AccountId, token: string) {
  try {
    const body = { recipient_id: account };
    const opened = await quick.post("/users/@me/channels", { body });
    return opened as { readonly id: string; readonly last_message_id?: string | null };
  } catch (error) {
    throw toSendError(error, token);
  }
}

/** What is on its way when the listener stops is waited for; typing is not. */
function watched(
  all: Omit<Sending, "showTyping"> & Pick<Required<Listener>, "answerPress">,
  inFlight: Set<Promise<unknown>>,
) {
  return {
    send: (...given: Parameters<Sending["send"]>) => watch(inFlight, all.send(...given)),
    edit: (...given: Parameters<Sending["edit"]>) => watch(inFlight, all.edit(...given)),
    remove: (...given: Parameters<Sending["remove"]>) => watch(inFlight, all.remove(...given)),
    answerPress: (press: { readonly id: string }, notice?: string) =>
      watch(inFlight, all.answerPress(press, notice)),
  };
}

function watch<T>(inFlight: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  inFlight.add(work);
  const done = () => inFlight.delete(work);
  work.then(done, done);
  return work;
}
