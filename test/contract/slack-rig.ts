// The Slack listener on the fake Slack, over sockets or by requests, as a rig for the channel contract.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { channel } from "../../channels/slack/index.ts";
import type { ChannelContext, Listener } from "../../src/core/channel.ts";
import type { Log } from "../../src/core/log.ts";
import type { Address } from "../../src/core/words.ts";
import { createGuardedFetch } from "../../src/net/guarded-fetch.ts";
import { notesInMemory } from "../fakes/notes.ts";
import type { SlackServerOptions } from "../fakes/slack-options.ts";
import { type FakeSlack, startSlackServer } from "../fakes/slack-server.ts";
import type { Fault, Rig } from "./rig.ts";

const config = {
  replies: "channel",
  pingSeconds: 0.3,
  checkSeconds: 0.3,
  deafSeconds: 2.5,
} as const;

export interface SlackOptions {
  readonly mode?: "socket" | "http";
  readonly config?: Readonly<Record<string, unknown>>;
  readonly server?: SlackServerOptions;
}

export async function openSlack({ mode = "socket", ...options }: SlackOptions = {}) {
  const fake = await startSlackServer({ pingMs: 100, retryMs: [200, 200, 200], ...options.server });
  const ana = fake.user({ name: "Ana" });
  const ben = fake.user({ name: "Ben" });
  const dm = fake.dm(ana);
  const work = fake.channel({ name: "work", members: [ana, ben] });
  const log: string[] = [];
  const notes = new Map<string, string>();
  const root = `${fake.url}/api`;
  const { guarded, context } = contextFor(fake.url, { log, notes });
  const door = mode === "http" ? await openDoor() : undefined;
  const secrets = door ? { signingSecret: fake.signingSecret } : { appToken: fake.appToken };
  const settings = { token: fake.token, ...secrets, apiRoot: root, ...config, ...options.config };
  const open = (): Listener => {
    const listener = channel.open(settings, context);
    door?.serve(listener);
    return listener;
  };
  const listener = open();
  if (door) await fake.verify(door.url);
  const topic = ben.sends(work, "Builds");
  // What opened the thread is no part of what is tried.
  fake.deliveries.close();
  const slack = { fake, log, notes, ana, ben, dm, work, topic, open, door, context, settings };
  const close = async () => {
    door?.close();
    await guarded.close();
    await fake.close().catch((error) => {
      if (error?.code !== "ERR_SERVER_NOT_RUNNING") throw error;
    });
  };
  const deaf = door ? {} : { deafen: () => deafen(fake) };
  return { ...slack, rig: { ...rigOf(slack, listener), ...deaf, close } };
}

interface Slack {
  readonly fake: FakeSlack;
  readonly ana: Person;
  readonly ben: Person;
  readonly dm: string;
  readonly work: string;
  readonly topic: string;
  open(): Listener;
}

function rigOf({ fake, ana, ben, dm, work, topic, open }: Slack, listener: Listener) {
  const at = (chat: string, thread?: string): Address => ({
    listener: "slack",
    chat,
    ...(thread === undefined ? {} : { thread }),
  });
  const rig: Omit<Rig, "close"> = {
    channel,
    listener,
    direct: at(dm),
    group: at(work),
    thread: at(work, topic),
    again: open,
    says: ({ chat, thread }, text, addressed = true) => {
      const mention = addressed && chat !== dm;
      ana.sends(chat, text, { mention, ...(thread ? { thread } : {}) });
    },
    visible: (place) => seenIn(fake, place, topic),
    until: (what, check) => until(fake, what, check),
    unconfirmed: () => fake.unconfirmed,
    noise: (place) => makeNoise(fake, place.chat, { ana, ben }),
    presses: ({ chat }, label) => {
      const message = fake.messages(chat).findLast((one) => one.buttons.length > 0);
      ana.presses(message?.ts ?? "", label);
    },
    notices: () => fake.ephemerals(ana).map(({ text }) => text),
    sendsFile: ({ chat }, name, content) => {
      ana.sends(chat, "", { files: [{ name, content, mime: "text/plain" }] });
    },
    faults: faultsOf(fake),
    revoke: () => fake.revokeToken(),
  };
  return rig;
}

/** Nothing comes through the socket any more, and no other one can be opened. */
function deafen(fake: FakeSlack): void {
  fake.faults.hang("apps.connections.open", { times: 1000 });
  fake.sockets.halfOpen();
}

function contextFor(root: string, kept: { log: string[]; notes: Map<string, string> }) {
  const guarded = createGuardedFetch({ allow: { root } });
  const context: ChannelContext = {
    listener: "slack",
    log: logTo(kept.log),
    notes: notesInMemory(kept.notes),
    fetchFrom: () => guarded.fetch,
  };
  return { guarded, context };
}

export interface HttpDoor {
  readonly url: string;
  readonly server: Server;
  /** Statuses that were answered. */
  readonly answers: number[];
  serve(listener: Listener): void;
  close(): void;
}

/** The gateway's server, as far as a listener's route needs one. */
async function openDoor(): Promise<HttpDoor> {
  let current: Listener | undefined;
  const answers: number[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const headers = new Headers();
    for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
    const body = Buffer.concat(chunks);
    const request = new Request("http://gateway.invalid/in/slack", {
      method: incoming.method ?? "POST",
      headers,
      body,
    });
    const answer = await current?.routes?.()[0]?.handle(request);
    answers.push(answer?.status ?? 404);
    outgoing.writeHead(answer?.status ?? 404, Object.fromEntries(answer?.headers ?? []));
    outgoing.end(Buffer.from((await answer?.arrayBuffer()) ?? new ArrayBuffer(0)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/in/slack`,
    server,
    answers,
    serve(listener) {
      current = listener;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

type Person = ReturnType<FakeSlack["user"]>;

function makeNoise(fake: FakeSlack, chat: string, { ana, ben }: { ana: Person; ben: Person }) {
  const mention = `<@${fake.me.user}> do it`;
  const raw = { raw: true } as const;
  const message = { type: "message", channel: chat, channel_type: "channel", text: mention };
  ana.sends(chat, mention, { ...raw, subtype: "bot_message" });
  ana.sends(chat, mention, { ...raw, fields: { bot_id: "B0000000002" } });
  ana.sends(chat, "has set the topic", { subtype: "channel_topic" });
  fake.tell({ ...message, ts: "1700000000.000100", user: fake.me.user });
  fake.tell({ ...message, ts: "1700000000.000200", user: "USLACKBOT" });
  fake.tell({ ...message, ts: "1700000000.000300" });
  const joins = ben.sends(chat, "has joined", { subtype: "channel_join" });
  fake.unfurl(joins);
}

/** The thread's first message is a person's and no part of what is tried. */
function seenIn(fake: FakeSlack, { chat, thread }: Address, topic: string) {
  return fake
    .messages(chat)
    .filter((one) => one.thread === thread && one.ts !== topic && one.onlyFor === undefined)
    .map(({ text, buttons, file, byBot }) => ({
      text,
      buttons: buttons.map((button) => button.text),
      ...(file ? { file: file.name } : {}),
      ours: byBot,
    }));
}

/** The fake knows of changes on its side only, so that the listener's own are looked for now and then. */
export async function until(fake: FakeSlack, what: string, check: () => boolean): Promise<void> {
  let look = () => {};
  const timer = setInterval(() => look(), 20);
  const seen = new Promise<void>((resolve, reject) => {
    look = () => {
      try {
        if (check()) resolve();
      } catch (error) {
        reject(error);
      }
    };
  });
  const late = AbortSignal.timeout(15_000);
  const tooLate = once(late, "abort").then(() => {
    throw new Error(`${what} did not come`);
  });
  const stop = fake.watch(() => look());
  look();
  try {
    await Promise.race([seen, tooLate]);
  } finally {
    clearInterval(timer);
    stop();
  }
}

function faultsOf(fake: FakeSlack): Record<Fault, () => void> {
  const post = "chat.postMessage";
  return {
    "rate-limited": () => fake.faults.rateLimit(post, 7),
    format: () => fake.faults.error(post, "invalid_blocks"),
    "too-long": () => fake.faults.error(post, "msg_too_long"),
    gone: () => fake.faults.error(post, "is_archived"),
    "not-sent": () => void fake.close(),
    unknown: () => fake.faults.drop(post),
  };
}

function logTo(lines: string[]): Log {
  const write = (fields: unknown, message: string) => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  return { debug: write, info: write, warn: write, error: write };
}
