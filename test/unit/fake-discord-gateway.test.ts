// The gateway of the fake Discord on the wire, seen by a plain WebSocket.
import assert from "node:assert/strict";
import { once } from "node:events";
import { it, type TestContext } from "node:test";
import { WebSocket } from "ws";
import { type DiscordServerOptions, startDiscordServer } from "../fakes/discord-server.ts";
import { INTENTS } from "../fakes/discord-session.ts";
import type { Json } from "../fakes/discord-types.ts";

interface Frame {
  op: number;
  t: string | null;
  s: number | null;
  d: Json;
}

const everything =
  INTENTS.guilds | INTENTS.guildMessages | INTENTS.directMessages | INTENTS.messageContent;

async function open(t: TestContext, options: DiscordServerOptions = {}) {
  const fake = await startDiscordServer(options);
  t.after(() => fake.close());
  const ana = fake.user({ name: "Ana" });
  const guild = fake.guild({ title: "Work", members: [ana] });
  return { fake, ana, guild, channel: fake.textChannel(guild, "general"), dm: fake.dm(ana) };
}

class Wire {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly closed: Promise<number>;

  constructor(url: string) {
    this.socket = new WebSocket(`${url.replace("http", "ws")}/?v=10&encoding=json`);
    this.socket.on("message", (bytes) => this.frames.push(JSON.parse(String(bytes)) as Frame));
    this.socket.on("error", () => undefined);
    // Other than `once`, this waits on after an error.
    this.closed = new Promise((resolve) => this.socket.on("close", resolve));
  }

  send(op: number, d: unknown): void {
    this.socket.send(JSON.stringify({ op, d }));
  }

  async until(look: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(look);
      if (found) return found;
      await once(this.socket, "message", { signal: AbortSignal.timeout(5_000) });
    }
  }

  async identify(token: string, intents = everything): Promise<Frame> {
    await this.until(({ op }) => op === 10);
    this.send(2, { token, intents, properties: {} });
    return await this.until(({ t }) => t === "READY");
  }
}

it("says hello, answers heartbeats, and counts what it tells", async (t) => {
  const { fake, ana, channel } = await open(t, { heartbeatMs: 1_234 });
  const wire = new Wire(fake.url);
  const hello = await wire.until(({ op }) => op === 10);
  assert.equal(hello.d.heartbeat_interval, 1_234);
  wire.send(1, null);
  await wire.until(({ op }) => op === 11);
  await wire.identify(fake.token);
  const { messageId } = ana.sends(channel, "hi");
  await wire.until(({ t }) => t === "MESSAGE_CREATE");
  const told = wire.frames.filter(({ op }) => op === 0);
  assert.deepEqual(
    told.map(({ s, t }) => [s, t]),
    [
      [1, "READY"],
      [2, "GUILD_CREATE"],
      [3, "MESSAGE_CREATE"],
    ],
  );
  const second = new Wire(fake.url);
  await second.identify(fake.token);
  const { d } = await second.until(({ t }) => t === "GUILD_CREATE");
  assert.equal((d.channels as Json[])[0]?.last_message_id, messageId);
});

it("tells only what the intents ask for", async (t) => {
  const { fake, ana, channel, dm } = await open(t);
  const wire = new Wire(fake.url);
  await wire.identify(fake.token, INTENTS.guilds | INTENTS.directMessages);
  assert.equal(ana.sends(channel, "in the guild").told, false);
  assert.equal(ana.sends(dm, "direct").told, true);
  const { d } = await wire.until(({ t }) => t === "MESSAGE_CREATE");
  assert.deepEqual([d.content, d.channel_type, d.guild_id], ["direct", 1, undefined]);
});

it("replays what was missed on resuming, in order and once", async (t) => {
  const { fake, ana, dm } = await open(t);
  const first = new Wire(fake.url);
  const { d, s } = await first.identify(fake.token);
  fake.gateway.drop();
  assert.equal(await first.closed, 1006);
  for (const text of ["one", "two"]) ana.sends(dm, text);
  const second = new Wire(fake.url);
  await second.until(({ op }) => op === 10);
  second.send(6, { token: fake.token, session_id: d.session_id, seq: s });
  await second.until(({ t }) => t === "RESUMED");
  const told = second.frames.filter(({ t }) => t === "MESSAGE_CREATE");
  assert.deepEqual(
    told.map((frame) => frame.d.content),
    ["one", "two"],
  );
});

it("gives up a session that is unknown, expired or invalidated", async (t) => {
  const { fake } = await open(t, { resumeMs: 1 });
  const resume = async (id: unknown) => {
    const wire = new Wire(fake.url);
    await wire.until(({ op }) => op === 10);
    wire.send(6, { token: fake.token, session_id: id, seq: 1 });
    return (await wire.until(({ op }) => op === 9)).d;
  };
  assert.equal(await resume("1"), false);
  const wire = new Wire(fake.url);
  const { d } = await wire.identify(fake.token);
  fake.gateway.invalidate({ resumable: true });
  assert.equal((await wire.until(({ op }) => op === 9)).d, true);
  wire.socket.terminate();
  await fake.waitFor(() => fake.sessions.every(({ ended }) => ended));
  assert.equal(await resume(d.session_id), false);
});

it("ends a session when the client says goodbye", async (t) => {
  const { fake, ana, dm } = await open(t);
  const wire = new Wire(fake.url);
  await wire.identify(fake.token);
  wire.socket.close(1000);
  await wire.closed;
  await fake.waitFor(() => fake.sessions.every(({ ended }) => ended));
  assert.equal(ana.sends(dm, "too late").told, false);
});

it("closes with Discord's codes", async (t) => {
  const { fake } = await open(t, { messageContentAllowed: false });
  const closes = async (act: (wire: Wire) => void) => {
    const wire = new Wire(fake.url);
    await wire.until(({ op }) => op === 10);
    act(wire);
    return await wire.closed;
  };
  const { token } = fake;
  assert.equal(await closes((wire) => wire.send(2, { token: "no", intents: 1 })), 4004);
  assert.equal(await closes((wire) => wire.send(2, { token, intents: everything })), 4014);
  assert.equal(await closes((wire) => wire.send(2, { token, intents: 1 << 1 })), 4014);
  assert.equal(await closes((wire) => wire.send(3, {})), 4003);
  assert.equal(await closes((wire) => wire.socket.send("{")), 4002);
  assert.equal(await closes(() => fake.gateway.close(4000)), 4000);
  const wire = new Wire(fake.url);
  await wire.identify(token, 1);
  wire.send(2, { token, intents: 1 });
  assert.equal(await wire.closed, 4005);
});

it("stays silent, deaf or away as a test wants it", async (t) => {
  const { fake, ana, dm } = await open(t);
  fake.gateway.refuseConnections(1);
  assert.equal(await new Wire(fake.url).closed, 1006);
  fake.gateway.noHello(1);
  const mute = new Wire(fake.url);
  await once(mute.socket, "open");
  const wire = new Wire(fake.url);
  await wire.identify(fake.token);
  fake.gateway.deafen();
  fake.gateway.noHeartbeatAck();
  ana.sends(dm, "unheard");
  wire.send(1, null);
  await fake.waitFor(() => fake.counters.heartbeats === 1);
  // Frames keep their order: whatever had been told would be here before this.
  fake.gateway.askHeartbeat();
  await wire.until(({ op }) => op === 1);
  assert.deepEqual(
    wire.frames.map(({ op, t }) => t ?? op),
    [10, "READY", "GUILD_CREATE", 1],
  );
  fake.gateway.calm();
  const { d } = await wire.until(({ t }) => t === "MESSAGE_CREATE");
  assert.equal(d.content, "unheard");
  assert.ok(mute.frames.every(({ op }) => op !== 10));
});

it("starts no more sessions than the bot has left", async (t) => {
  const { fake } = await open(t, { sessionStarts: 1 });
  const limit = async () => {
    const headers = { authorization: `Bot ${fake.token}` };
    const answer = await fetch(`${fake.url}/api/v10/gateway/bot`, { headers });
    const { session_start_limit: left } = (await answer.json()) as Json;
    return (left as Json).remaining;
  };
  assert.equal(await limit(), 1);
  await new Wire(fake.url).identify(fake.token);
  assert.equal(await limit(), 0);
  const second = new Wire(fake.url);
  await second.until(({ op }) => op === 10);
  second.send(2, { token: fake.token, intents: 1 });
  assert.equal((await second.until(({ op }) => op === 9)).d, false);
});
