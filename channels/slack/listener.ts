// One app: the way in, the way out and what else it is able to do, put together.
import type { WebClient } from "@slack/web-api";
import {
  type ChannelContext,
  type Listener,
  type Pace,
  SendError,
} from "../../src/core/channel.ts";
import { slackFetch } from "./addresses.ts";
import { clientOptions, openClient } from "./client.ts";
import type { SlackConfig } from "./config.ts";
import { toSendError } from "./errors.ts";
import { fetchFile } from "./files.ts";
import { createHealth } from "./health.ts";
import { openHearing } from "./hearing.ts";
import { readAccount } from "./ids.ts";
import { toHome } from "./outbound.ts";
import { createPeople } from "./people.ts";
import { createSelf } from "./self.ts";
import { createSending, type Sending, taken } from "./sending.ts";
import { createThreads } from "./threads.ts";
import { createWhispers } from "./whispers.ts";

/** What Slack publishes: a message a second in a conversation, some hundred a minute in all, 50 edits a minute. */
const pace: Pace = {
  chat: { calls: 3, per: 3300 },
  all: { calls: 5, per: 1000 },
  editEvery: 2000,
};

export function openListener(config: SlackConfig, context: ChannelContext): Listener {
  const client = openClient(config, context);
  const health = createHealth({ log: context.log, deafMs: config.deafSeconds * 1000 });
  const self = createSelf(client);
  const people = createPeople(client);
  const threads = createThreads();
  const fetch = slackFetch(config, context);
  const ports = { client, config, context, health, self, people, threads, fetch };
  const hearing = openHearing({ ...ports, options: clientOptions(config, context) });
  const inFlight = new Set<Promise<unknown>>();
  const sending = createSending({ ...ports, onSent: health.spoke });
  const whispers = createWhispers(ports);
  return {
    id: context.listener,
    start: hearing.start,
    health: health.now,
    async stop() {
      await hearing.stop();
      await Promise.allSettled(inFlight);
    },
    ...watched({ ...sending, ...whispers }, inFlight),
    noticesStay: true,
    ...(config.pace === "on" ? { pace: () => pace } : {}),
    async openDirect(account) {
      const { user, ours } = readAccount(account, await self.me().catch(failing));
      if (!ours) throw new SendError("gone", "That account is of another workspace.");
      return { listener: context.listener, chat: await people.openDm(user).catch(failing) };
    },
    fetchFile: (file, into) => fetchFile(ports, file, into),
    showHome: (account, parts) => showHome(client, account, parts).catch(failing),
    ...(hearing.route ? { routes: () => (hearing.route ? [hearing.route] : []) } : {}),
  };
}

function failing(error: unknown): never {
  throw toSendError(error);
}

async function showHome(
  client: WebClient,
  account: string,
  parts: Parameters<NonNullable<Listener["showHome"]>>[1],
): Promise<void> {
  const user = account.split(":").at(-1) ?? "";
  const view = { type: "home" as const, blocks: taken(toHome(parts)) };
  await client.views.publish({ user_id: user, view });
}

type Outgoing = Sending & ReturnType<typeof createWhispers>;

/** What is on its way when the listener stops is waited for. */
function watched(outgoing: Outgoing, inFlight: Set<Promise<unknown>>): Outgoing {
  const watch = <T>(work: Promise<T>): Promise<T> => {
    inFlight.add(work);
    const done = () => inFlight.delete(work);
    work.then(done, done);
    return work;
  };
  return {
    send: (...given) => watch(outgoing.send(...given)),
    edit: (...given) => watch(outgoing.edit(...given)),
    remove: (...given) => watch(outgoing.remove(...given)),
    whisper: (...given) => watch(outgoing.whisper(...given)),
    answerPress: (...given) => watch(outgoing.answerPress(...given)),
  };
}
