// The fake Bot API server: start it, act as the people in its chats, look at what they would see.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  addGroup,
  addPrivateChat,
  type GroupSpec,
  migrate,
  openTopic,
  setMembership,
} from "./telegram-chats.ts";
import { type Service, serve } from "./telegram-dispatch.ts";
import { Faults } from "./telegram-faults.ts";
import { PUBLISHED_LIMITS, RateLimiter, type RateLimits } from "./telegram-limits.ts";
import { idOf, Person } from "./telegram-people.ts";
import { type SeenMessage, seenMessages, transcriptOf } from "./telegram-transcript.ts";
import type { Call, FakeChat, FakeUser, RawUpdate } from "./telegram-types.ts";
import { UpdateQueue } from "./telegram-updates.ts";
import { type Membership, type Press, World } from "./telegram-world.ts";

export interface TelegramServerOptions {
  token?: string;
  username?: string;
  port?: number;
  /** True for the published limits. Off by default. */
  limits?: boolean | Partial<RateLimits>;
  /** False keeps counters, and only the newest messages of each chat: for long runs. */
  record?: boolean;
  /** True: in groups the bot hears only commands, mentions and replies to it. */
  privacy?: boolean;
  firstUpdateId?: number;
  /** How long a press can be answered. */
  pressLifetimeMs?: number;
  /** The clock of dates, rate limits and presses. */
  now?: () => number;
}

export interface UserSpec {
  id?: number;
  name: string;
  username?: string;
}

const KEPT_WITHOUT_RECORD = 200;
const PRESS_LIFETIME_MS = 15 * 60_000;
const FIRST_USER_ID = 500_000_000;

export async function startTelegramServer(
  options: TelegramServerOptions = {},
): Promise<FakeTelegram> {
  const fake = new FakeTelegram(options);
  await fake.listen(options.port ?? 0);
  return fake;
}

export class FakeTelegram {
  readonly token: string;
  readonly me: FakeUser;
  readonly faults = new Faults();
  readonly world: World;
  readonly queue: UpdateQueue;
  readonly limiter = new RateLimiter();
  readonly #service: Service;
  readonly #server: Server;
  readonly #watchers = new Set<() => void>();
  readonly #failures: unknown[] = [];
  #checkDue = false;
  #port = 0;

  constructor(options: TelegramServerOptions) {
    const username = options.username ?? "sallyport_bot";
    this.token = options.token ?? "7000000001:AAfake-token-for-tests-0000000000000";
    const id = Number(this.token.split(":")[0]);
    this.me = { id, is_bot: true, first_name: "Sallyport", username };
    this.queue = new UpdateQueue(options.firstUpdateId ?? 100_000_001);
    this.world = new World({
      me: this.me,
      now: options.now ?? Date.now,
      keep: options.record === false ? KEPT_WITHOUT_RECORD : Number.POSITIVE_INFINITY,
      pressLifetimeMs: options.pressLifetimeMs ?? PRESS_LIFETIME_MS,
    });
    this.useLimits(options.limits ?? false);
    const { token, faults, world, queue, limiter, me } = this;
    const privacy = options.privacy ?? false;
    this.#service = {
      ...{ token, faults, world, queue, limiter, privacy },
      revoked: false,
      changed: () => this.#noteChange(),
      calls: options.record === false ? undefined : [],
      onCall: undefined,
      me: { ...me, can_join_groups: true, can_read_all_group_messages: !privacy },
    };
    this.#server = createServer((request, response) => {
      serve(this.#service, request, response).catch((error: unknown) => {
        this.#failures.push(error);
        response.destroy();
      });
    });
    this.#server.keepAliveTimeout = 60_000;
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

  /** What a bot is given as its API root. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Ends every connection. Throws if the fake itself failed meanwhile. */
  async close(): Promise<void> {
    this.faults.clear();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  user({ id, name, username }: UserSpec): Person {
    const user: FakeUser = {
      id: id ?? FIRST_USER_ID + this.world.serial(),
      is_bot: false,
      first_name: name,
      ...(username && { username }),
    };
    this.world.users.set(user.id, user);
    return new Person(user, this.#service);
  }

  privateChat(person: Person): FakeChat {
    return addPrivateChat(this.#service, person.user);
  }

  group(spec: GroupSpec = {}): FakeChat {
    return addGroup(this.#service, spec);
  }

  topic(chat: FakeChat, name: string, by: Person): number {
    return openTopic(this.#service, this.world.roomOf(chat.id), { name, by: by.user });
  }

  /** From now on the thread is not found. */
  deleteTopic(chat: FakeChat, topic: number): void {
    this.world.roomOf(chat.id).topics.delete(topic);
  }

  /** Adds, promotes, removes or blocks the bot, and tells it. */
  membership(chat: FakeChat, status: Membership, by: Person): number | undefined {
    const room = this.world.roomOf(chat.id);
    return setMembership(this.#service, room, { by: by.user, status });
  }

  /** `tellBot: false`: the bot learns it only from the answer to its next call. */
  migrate(chat: FakeChat, by: Person, { tellBot = true } = {}): FakeChat {
    return migrate(this.#service, this.world.roomOf(chat.id), { by: by.user, tellBot });
  }

  /** Any update as it is, without its number. Gives the number, or undefined if the bot did not ask for such. */
  push(update: RawUpdate): number | undefined {
    const id = this.queue.push(update);
    this.#noteChange();
    return id;
  }

  /** The next update gets this id, as after a week without any. */
  renumberUpdates(nextId: number): void {
    this.queue.renumber(nextId);
  }

  useLimits(limits: boolean | Partial<RateLimits>): void {
    const wanted = limits === true ? {} : limits;
    this.limiter.use(wanted === false ? undefined : { ...PUBLISHED_LIMITS, ...wanted });
  }

  /** From now on every call is answered 401. */
  revokeToken(): void {
    this.#service.revoked = true;
  }

  /** Every press so far can no longer be answered. */
  expirePresses(): void {
    for (const press of this.world.presses.values()) press.at = Number.NEGATIVE_INFINITY;
  }

  press(queryId: string): Press | undefined {
    return this.world.presses.get(queryId);
  }

  messages(chat: FakeChat | number): SeenMessage[] {
    return seenMessages(this.world, this.world.roomOf(idOf(chat)));
  }

  transcript(chat: FakeChat | number): string {
    return transcriptOf(this.world, this.world.roomOf(idOf(chat)));
  }

  /** Empty when recording is off. */
  get calls(): readonly Call[] {
    return this.#service.calls ?? [];
  }

  /** What the bot did, counted; also how often it broke a limit or met another poller. */
  get counters() {
    const { violations, refused: tooMany } = this.limiter;
    return { ...this.world.counters, violations, tooMany, conflicts: this.queue.conflicts };
  }

  /** Hears every call that was carried out, at once: for benches. */
  onCall(listener: ((call: Call) => void) | undefined): void {
    this.#service.onCall = listener;
  }

  /** Resolves with the first truthy value of `predicate`, which is asked again after every change. */
  waitFor<T>(
    predicate: (fake: FakeTelegram) => T | undefined | null | false,
    { timeoutMs = 5_000, what = "the awaited state" }: { timeoutMs?: number; what?: string } = {},
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer);
        stop();
        settle();
      };
      const check = () => {
        try {
          const value = predicate(this);
          if (value) end(() => resolve(value));
        } catch (error) {
          end(() => reject(error));
        }
      };
      const timer = setTimeout(() => {
        const seen = this.#everyTranscript();
        end(() => reject(new Error(`${what} did not come within ${timeoutMs} ms\n${seen}`)));
      }, timeoutMs);
      const stop = this.watch(check);
      check();
    });
  }

  /** Calls back soon after every change, until the returned function is called. */
  watch(listener: () => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  #noteChange(): void {
    if (this.#watchers.size === 0 || this.#checkDue) return;
    this.#checkDue = true;
    setImmediate(() => {
      this.#checkDue = false;
      for (const watcher of [...this.#watchers]) watcher();
    });
  }

  #everyTranscript(): string {
    const parts = [...this.world.rooms.values()].map(
      (room) =>
        `— ${room.chat.title ?? room.chat.first_name ?? room.chat.id} —\n${transcriptOf(this.world, room)}`,
    );
    return parts.join("\n\n");
  }
}
