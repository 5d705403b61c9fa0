// One bot: polling, sending and what else it is able to do, put together.
import { Api } from "grammy";
import type { ChannelContext, Listener, MenuEntry, Pace } from "../../src/core/channel.ts";
import type { Address } from "../../src/core/words.ts";
import type { TelegramConfig } from "./config.ts";
import { describe } from "./errors.ts";
import { fetchFile } from "./files.ts";
import { toInboundEvent } from "./inbound.ts";
import { createPolling } from "./polling.ts";
import { createSending, type Sending } from "./sending.ts";

const callSeconds = 30;
const uploadSeconds = 300;

/** A little below what Telegram publishes: a message a second in a chat, twenty a minute in a group, thirty in all. */
const all = { calls: 28, per: 1000 };
const paces = {
  direct: { chat: { calls: 3, per: 3100 }, all, editEvery: 1000 },
  group: { chat: { calls: 3, per: 9500 }, all, editEvery: 3500 },
} as const satisfies Record<string, Pace>;

export function openListener(config: TelegramConfig, context: ChannelContext): Listener {
  const { token, apiRoot } = config;
  const through = context.proxied ? { fetch: fetchThrough(context, apiRoot) } : {};
  const client = (timeoutSeconds: number) =>
    new Api(token, { apiRoot, timeoutSeconds, ...through });
  const api = client(callSeconds);
  const bot = { id: Number(token.split(":")[0]), username: "", now: Date.now };
  const polling = createPolling({
    api: client(config.pollSeconds + config.graceSeconds),
    config,
    log: context.log,
    async introduce() {
      bot.username = (await api.getMe()).username;
    },
    translate: (update) => toInboundEvent(update, bot),
  });
  const inFlight = new Set<Promise<unknown>>();
  const sending = createSending({ api, uploads: client(uploadSeconds), token });
  return {
    id: context.listener,
    start: polling.start,
    health: polling.health,
    async stop() {
      await polling.stop();
      await Promise.allSettled(inFlight);
    },
    ...watched(sending, inFlight),
    showTyping: sending.showTyping,
    ...(config.pace === "on" ? { pace: paceOf } : {}),
    openDirect: async (account) => ({ listener: context.listener, chat: account }),
    fetchFile: (file, into) => fetchFile({ api, config, context }, file, into),
    setMenu: (commands) => setMenu(api, commands, token),
    joinLink(code) {
      // A start link takes letters, digits, - and _ only; a code counts without its dash.
      const payload = code.replace(/\W/g, "");
      return bot.username ? `https://t.me/${bot.username}?start=${payload}` : undefined;
    },
  };
}

/** What grammY gives is of the fetch that it brings along: the same but for its types. */
function fetchThrough(context: ChannelContext, apiRoot: string): typeof fetch {
  const guarded = context.fetchFrom(apiRoot);
  return (url, init) => guarded(String(url), init);
}

/** Group chats have negative ids. */
function paceOf({ chat }: Address): Pace {
  return chat.startsWith("-") ? paces.group : paces.direct;
}

/** What is on its way when the listener stops is waited for; typing is not. */
function watched(sending: Sending, inFlight: Set<Promise<unknown>>) {
  const watch = <T>(work: Promise<T>): Promise<T> => {
    inFlight.add(work);
    const done = () => inFlight.delete(work);
    work.then(done, done);
    return work;
  };
  return {
    send: (...given: Parameters<Sending["send"]>) => watch(sending.send(...given)),
    edit: (...given: Parameters<Sending["edit"]>) => watch(sending.edit(...given)),
    remove: (...given: Parameters<Sending["remove"]>) => watch(sending.remove(...given)),
    answerPress: (...given: Parameters<Sending["answerPress"]>) =>
      watch(sending.answerPress(...given)),
  };
}

/** In groups all of it, where Telegram adds the bot's name by itself; in private chats what counts there. */
async function setMenu(api: Api, commands: readonly MenuEntry[], token: string): Promise<void> {
  try {
    const shown = commands.map(({ command, description }) => ({ command, description }));
    await api.setMyCommands(shown);
    const direct = shown.filter((_, index) => !commands[index]?.groupsOnly);
    await api.setMyCommands(direct, { scope: { type: "all_private_chats" } });
  } catch (error) {
    throw new Error(`The command menu could not be set: ${describe(error, token)}`);
  }
}
