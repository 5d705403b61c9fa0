// A bare app on Slack's own clients, for tests of the fake Slack.
import type { TestContext } from "node:test";
import { type LogLevel, SocketModeClient } from "@slack/socket-mode";
import { WebClient, type WebClientOptions } from "@slack/web-api";
import type { SlackServerOptions } from "./slack-options.ts";
import { type FakeSlack, startSlackServer } from "./slack-server.ts";

export interface Heard {
  /** `events_api` are named by their event. */
  readonly type: string;
  readonly body: Record<string, unknown>;
  readonly retry: number | undefined;
  ack(answer?: Record<string, unknown>): Promise<void>;
}

export interface App {
  readonly client: SocketModeClient;
  readonly heard: Heard[];
  /** The events of the Events API, oldest first. */
  events(): Record<string, unknown>[];
  /** The newest of that type. */
  last(type: string): Record<string, unknown> | undefined;
}

export interface Stage {
  readonly fake: FakeSlack;
  readonly web: WebClient;
  /** Starts an app that acknowledges what it hears, unless told otherwise. */
  listen(answer?: (heard: Heard) => Promise<void> | void): Promise<App>;
}

const silent: NonNullable<WebClientOptions["logger"]> = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => "error" as LogLevel,
  setName() {},
};

/** Clients end before the fake: they would look for it again. */
export async function stageSlack(t: TestContext, options: SlackServerOptions = {}): Promise<Stage> {
  const fake = await startSlackServer({ pingMs: 50, ...options });
  const clients: SocketModeClient[] = [];
  t.after(async () => {
    fake.faults.clear();
    for (const client of clients) await client.disconnect();
    await fake.close();
  });
  const slackApiUrl = `${fake.url}/api/`;
  const quiet = { logger: silent, retryConfig: { retries: 0 } };
  const web = new WebClient(fake.token, { slackApiUrl, rejectRateLimitedCalls: true, ...quiet });
  return {
    fake,
    web,
    async listen(answer = (heard) => heard.ack()) {
      const client = new SocketModeClient({
        appToken: fake.appToken,
        logger: silent,
        // Also how long it waits before it connects anew. A pong later than this costs it half a minute.
        clientPingTimeout: 500,
        clientOptions: { slackApiUrl, ...quiet },
      });
      clients.push(client);
      return await connect(client, answer, () => fake.noteChange());
    },
  };
}

async function connect(
  client: SocketModeClient,
  answer: (heard: Heard) => Promise<void> | void,
  changed: () => void,
): Promise<App> {
  const heard: Heard[] = [];
  client.on("slack_event", async ({ ack, type, body, retry_num }) => {
    const one = { type, body, retry: retry_num, ack };
    heard.push(one);
    changed();
    await answer(one);
  });
  await client.start();
  return {
    client,
    heard,
    events: () => heard.flatMap(({ body }) => (body.event ? [body.event as never] : [])),
    last: (type) => heard.findLast((one) => one.type === type)?.body,
  };
}

/** Echoes messages; asks something with a button when told to ask, and answers a command. */
export async function echoApp({
  url,
  token,
  appToken,
}: {
  url: string;
  token: string;
  appToken: string;
}) {
  const quiet = { logger: silent, retryConfig: { retries: 0 }, slackApiUrl: `${url}/api/` };
  const web = new WebClient(token, quiet);
  const client = new SocketModeClient({ appToken, logger: silent, clientOptions: quiet });
  client.on("message", async ({ ack, event }) => {
    await ack();
    const { channel, text, bot_id, subtype, thread_ts } = event;
    if (bot_id || subtype) return;
    const place = { channel, ...(thread_ts && { thread_ts }) };
    if (text === "ask") await web.chat.postMessage({ channel, text: "Allow?", blocks: question });
    else await web.chat.postMessage({ ...place, text: `echo ${text}` });
  });
  client.on("slash_commands", ({ ack, body }) =>
    ack({ text: `only you see ${body.command} ${body.text}` }),
  );
  client.on("interactive", async ({ ack, body }) => {
    await ack();
    const { channel_id: channel, message_ts: ts } = body.container;
    await web.chat.update({ channel, ts, text: "Allowed" });
  });
  await client.start();
  return { web, stop: () => client.disconnect() };
}

const question = [
  { type: "section" as const, text: { type: "mrkdwn" as const, text: "Allow?" } },
  {
    type: "actions" as const,
    elements: [
      {
        type: "button" as const,
        action_id: "yes",
        value: "yes",
        text: { type: "plain_text" as const, text: "Yes" },
      },
    ],
  },
];
