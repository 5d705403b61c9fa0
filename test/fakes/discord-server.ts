// The fake Discord: start it, act as the people in its channels, look at what they would see.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Call, Faults } from "./discord-faults.ts";
import { Gateway } from "./discord-gateway.ts";
import { RateLimiter, type RateLimits, USUAL_LIMITS } from "./discord-limits.ts";
import { Person, type Place, type SendExtra } from "./discord-people.ts";
import {
  addChannel,
  addPost,
  addThread,
  changeChannel,
  removeChannel,
  setJoined,
  setPermissions,
} from "./discord-places.ts";
import { type Service, serve } from "./discord-rest.ts";
import { type SeenMessage, seenMessages, seenOf, transcriptOf } from "./discord-transcript.ts";
import {
  CHANNEL_TYPES,
  type Channel,
  type FakeUser,
  type Guild,
  type Id,
  type Permission,
} from "./discord-types.ts";
import { World } from "./discord-world.ts";
import { type WaitOptions, Watchers } from "./watchers.ts";

export interface DiscordServerOptions {
  token?: string;
  username?: string;
  port?: number;
  /** True for Discord's usual limits. Off by default. */
  limits?: boolean | Partial<RateLimits>;
  /** False keeps counters, and only the newest messages of each channel: for long runs. */
  record?: boolean;
  /** The clock of ids, limits, interactions and nonces. */
  now?: () => number;
  /** False: the intent is not switched on, and asking for it closes with 4014. */
  messageContentAllowed?: boolean;
  heartbeatMs?: number;
  /** How long a session without a connection can be resumed. */
  resumeMs?: number;
  /** How many sessions may be started. */
  sessionStarts?: number;
}

const KEPT_WITHOUT_RECORD = 200;
/** As real ones are: the id first, then what nobody was ever given. */
const BOT_TOKEN = `${Buffer.from("1000000000000000001").toString("base64url")}.GFake0.for-tests-00`;

export async function startDiscordServer(options: DiscordServerOptions = {}): Promise<FakeDiscord> {
  const fake = new FakeDiscord(options);
  await fake.listen(options.port ?? 0);
  return fake;
}

export class FakeDiscord {
  readonly token: string;
  readonly me: FakeUser;
  readonly faults = new Faults();
  readonly limiter = new RateLimiter();
  readonly world: World;
  readonly gateway: Gateway;
  readonly #service: Service;
  readonly #server: Server;
  readonly #watchers = new Watchers();
  readonly #failures: unknown[] = [];
  #port = 0;

  constructor(options: DiscordServerOptions) {
    const { record = true, now = Date.now, messageContentAllowed = true } = options;
    const { heartbeatMs = 41_250, resumeMs = 180_000, sessionStarts = 1_000 } = options;
    this.token = options.token ?? BOT_TOKEN;
    const id = Buffer.from(this.token.split(".")[0] ?? "", "base64url").toString();
    const username = options.username ?? "sallyport";
    const about = { discriminator: "0" as const, avatar: null, bot: true as const };
    this.me = { id, username, global_name: null, ...about };
    const keep = record ? Number.POSITIVE_INFINITY : KEPT_WITHOUT_RECORD;
    const cdn = () => `${this.url}/cdn`;
    this.world = new World({ me: this.me, now, keep, messageContentAllowed, cdn });
    const changed = () => this.#watchers.changed();
    const url = () => this.url.replace("http", "ws");
    const { world, token, faults, limiter } = this;
    const timing = { heartbeatMs, resumeMs, sessionStarts };
    const gateway = new Gateway({ world, token, url, changed, ...timing });
    this.gateway = gateway;
    const starts = () => ({ total: sessionStarts, remaining: gateway.startsLeft });
    this.#service = {
      ...{ world, gateway, token, faults, limiter, changed, url, starts, revoked: false },
      ...{ calls: record ? [] : undefined, onCall: undefined },
    };
    this.useLimits(options.limits ?? false);
    this.#server = createServer((request, response) => {
      serve(this.#service, request, response).catch((error: unknown) => {
        this.#failures.push(error);
        response.destroy();
      });
    });
    this.#server.keepAliveTimeout = 60_000;
    gateway.attach(this.#server);
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", () => {
        this.#port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  /** What a bot is given as its API root: REST is below `/api/v10`. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Ends every connection. Throws if the fake itself failed meanwhile. */
  async close(): Promise<void> {
    this.faults.clear();
    // From this moment on nobody gets in.
    const closed = new Promise((resolve) => this.#server.close(resolve));
    await this.gateway.stop();
    this.#server.closeAllConnections();
    await closed;
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  user({ name, bot = false }: { name: string; bot?: boolean }): Person {
    return new Person(this.world.addUser(name, bot), this.#service);
  }

  /** The direct chat of a person with the bot. Whoever has one can be written to. */
  dm(person: Person): Channel {
    this.world.reachable.add(person.id);
    return this.world.directWith(person.user);
  }

  /** The first member owns it. `joined: false`: the bot is not in it yet. */
  guild(spec: { title?: string; members: readonly Person[]; joined?: boolean }): Guild {
    const [owner, ...others] = spec.members.map(({ user }) => user);
    if (!owner) throw new Error("a guild has at least one member");
    const guild = this.world.addGuild(spec.title ?? "Guild", owner, others);
    if (spec.joined !== false) setJoined(this.#service, guild, { joined: true, by: owner });
    return guild;
  }

  textChannel(guild: Guild, name: string): Channel {
    return addChannel(this.#service, guild, { name, type: CHANNEL_TYPES.text });
  }

  forum(guild: Guild, name: string): Channel {
    return addChannel(this.#service, guild, { name, type: CHANNEL_TYPES.forum });
  }

  /** `from` is the message it hangs from. In a private one the bot is not, until it is permitted ViewChannel. */
  thread(
    channel: Channel,
    name: string,
    { by, ...spec }: { by?: Person; from?: Id; private?: boolean } = {},
  ): Channel {
    const owner = by?.user ?? channel.guild?.owner ?? this.me;
    return addThread(this.#service, channel, { ...spec, name, by: owner });
  }

  post(
    forum: Channel,
    spec: { title: string; text: string; by: Person; extra?: SendExtra },
  ): Channel {
    return addPost(this.#service, forum, { ...spec, by: spec.by.user });
  }

  join(guild: Guild, person: Person): void {
    guild.members.set(person.id, person.user);
  }

  leave(guild: Guild, person: Person): void {
    guild.members.delete(person.id);
  }

  /** Somebody adds the bot to a guild, or removes it. */
  membership(guild: Guild, joined: boolean, by: Person): void {
    setJoined(this.#service, guild, { joined, by: by.user });
  }

  deleteChannel(channel: Channel): void {
    removeChannel(this.#service, channel);
  }

  changeChannel(channel: Channel, change: { name?: string; archived?: boolean; locked?: boolean }) {
    changeChannel(this.#service, channel, change);
  }

  /** In a whole guild, or takes back what was forbidden in a channel. */
  permit(place: Guild | Channel, ...permissions: Permission[]): void {
    setPermissions(this.#service, place, { permissions, allowed: true });
  }

  forbid(place: Guild | Channel, ...permissions: Permission[]): void {
    setPermissions(this.#service, place, { permissions, allowed: false });
  }

  useLimits(limits: boolean | Partial<RateLimits>): void {
    const wanted = limits === true ? {} : limits;
    this.limiter.use(wanted === false ? undefined : { ...USUAL_LIMITS, ...wanted });
  }

  /** From now on every call is answered 401, and the gateway closes with 4004. */
  revokeToken(): void {
    this.#service.revoked = true;
    this.gateway.revoke();
  }

  /** What came of a press or a command. `failed`: it was not answered in three seconds. */
  interaction(id: Id) {
    const found = this.world.interactions.get(id);
    if (!found) throw new Error(`there is no interaction ${id}`);
    const { by, name, answer, messages } = found;
    const failed = answer === undefined && this.world.now() - found.at > 3_000;
    const kept = messages.filter(({ channel, id }) => channel.messages.has(id));
    return { by, name, answer, failed, answers: kept.map((one) => seenOf(this.world, one)) };
  }

  /** No interaction so far takes an answer any more. */
  expireInteractions(): void {
    for (const interaction of this.world.interactions.values()) interaction.expired = true;
  }

  messages(place: Place): SeenMessage[] {
    return seenMessages(this.world, this.world.channelOf(place));
  }

  /** What the bot has shown to this person alone, in any channel, oldest first. */
  ephemerals(person: Person): SeenMessage[] {
    return [...this.world.channels.values()]
      .flatMap((channel) => this.messages(channel))
      .filter(({ onlyFor }) => onlyFor?.id === person.id)
      .sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));
  }

  /** The channels in which the bot showed that it writes, in order. */
  get typing(): Id[] {
    return this.calls
      .filter(({ route, status }) => route === "triggerTyping" && status === 204)
      .map(({ params }) => String(params.channel));
  }

  get sessions() {
    return this.gateway.sessions;
  }

  /** The commands that the bot registered everywhere. */
  get commands() {
    return this.world.commands.get("") ?? [];
  }

  transcript(place: Place): string {
    return transcriptOf(this.world, this.world.channelOf(place));
  }

  /** Empty when recording is off. */
  get calls(): readonly Call[] {
    return this.#service.calls ?? [];
  }

  get counters() {
    const { violations, refused: tooMany } = this.limiter;
    return { ...this.world.counters, ...this.gateway.counters, violations, tooMany };
  }

  /** Hears every call that was carried out, at once: for benches. */
  onCall(listener: ((call: Call) => void) | undefined): void {
    this.#service.onCall = listener;
  }

  /** Resolves with the first truthy value of `predicate`, which is asked again after every change. */
  waitFor<T>(
    predicate: (fake: FakeDiscord) => T | undefined | null | false,
    options?: WaitOptions,
  ): Promise<T> {
    const seen = () => this.#everyTranscript();
    return this.#watchers.waitFor(() => predicate(this), seen, options);
  }

  watch(listener: () => void): () => void {
    return this.#watchers.watch(listener);
  }

  #everyTranscript(): string {
    const used = [...this.world.channels.values()].filter(({ messages }) => messages.size > 0);
    return used
      .map((one) => `— ${one.name || one.id} —\n${transcriptOf(this.world, one)}`)
      .join("\n\n");
  }
}
