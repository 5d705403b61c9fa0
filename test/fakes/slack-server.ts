// The fake Slack: start it, act as the people in its conversations, look at what they would see.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Deliveries, type Delivery, type EnvelopeKind } from "./slack-deliveries.ts";
import { type SlackService, serve } from "./slack-dispatch.ts";
import { SlackFaults } from "./slack-faults.ts";
import { PUBLISHED_LIMITS, SlackLimiter, type SlackLimits } from "./slack-limits.ts";
import { ALL_SCOPES } from "./slack-methods.ts";
import {
  appOf,
  type ChannelSpec,
  type SlackServerOptions,
  type UserSpec,
} from "./slack-options.ts";
import { Person } from "./slack-people.ts";
import { change, tell } from "./slack-posting.ts";
import { Push } from "./slack-push.ts";
import {
  type SeenHome,
  type SeenMessage,
  seenHome,
  seenMessages,
  transcriptOf,
} from "./slack-seen.ts";
import { Sockets } from "./slack-sockets.ts";
import type { FakeMember, SlackCall } from "./slack-types.ts";
import { type WaitOptions, Watchers } from "./slack-watch.ts";
import { type AppNames, SlackWorld } from "./slack-world.ts";
import type { Params } from "./telegram-types.ts";

const keptWithoutRecord = 200;

export async function startSlackServer(options: SlackServerOptions = {}): Promise<FakeSlack> {
  const fake = new FakeSlack(options);
  await fake.listen(options.port ?? 0);
  return fake;
}

export class FakeSlack {
  readonly token: string;
  readonly appToken: string;
  readonly signingSecret: string;
  /** The app: `user` is the account that it speaks with. */
  readonly me: AppNames & { readonly id: string };
  readonly faults = new SlackFaults();
  readonly limiter = new SlackLimiter();
  readonly world: SlackWorld;
  readonly deliveries: Deliveries;
  readonly sockets: Sockets;
  /** What the app may do: take `files:read` away, and downloads give a login page. */
  readonly scopes = new Set<string>(ALL_SCOPES);
  readonly #push: Push;
  readonly #service: SlackService;
  readonly #server: Server;
  readonly #watchers = new Watchers();
  readonly #failures: unknown[] = [];
  #port = 0;

  constructor(options: SlackServerOptions) {
    const { now = Date.now, record = true, ackMs = 3_000 } = options;
    this.token = options.token ?? "xoxb-1000000000001-fake-token-for-tests";
    this.appToken = options.appToken ?? "xapp-1-A000000001-fake-token-for-tests";
    this.signingSecret = options.signingSecret ?? "8f742231b10e8888abcd99yyyzzz85a5";
    this.me = appOf(options);
    const keep = record ? Number.POSITIVE_INFINITY : keptWithoutRecord;
    this.world = new SlackWorld({ me: this.me, now, keep });
    const { id, name, team, botId, appId } = this.me;
    this.world.members.set(id, { id, name, team, guest: false, botId, appId });
    this.useLimits(options.limits ?? false);
    const changed = () => this.noteChange();
    const retryMs = options.retryMs ?? [0, 60_000, 300_000];
    this.deliveries = new Deliveries({ ackMs, retryMs, record }, changed);
    const { faults, deliveries, signingSecret, world, limiter, scopes, token, appToken } = this;
    const pingMs = options.pingMs ?? 10_000;
    this.sockets = new Sockets({ appId, deliveries, faults, pingMs, changed });
    this.#push = new Push({ signingSecret, deliveries, faults, now, ackMs });
    this.#push.url = options.http?.url;
    deliveries.transport = (delivery, envelope) => {
      const pushed = this.#push.url !== undefined;
      deliveries.tooLate = pushed ? "http_timeout" : "timeout";
      return (pushed ? this.#push : this.sockets).send(delivery, envelope);
    };
    this.#service = {
      ...{ world, deliveries, scopes, changed, faults, limiter, token, appToken },
      url: () => this.url,
      sockets: this.sockets,
      revoked: new Map(),
      calls: record ? [] : undefined,
      onCall: undefined,
    };
    this.#server = this.#createServer();
  }

  #createServer(): Server {
    const server = createServer((request, response) => {
      serve(this.#service, { request, response }).catch((error: unknown) => {
        this.#failures.push(error);
        response.destroy();
      });
    });
    server.on("upgrade", (request, socket, head) => this.sockets.upgrade(request, socket, head));
    server.keepAliveTimeout = 60_000;
    return server;
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

  /** The root: the Web API is below it at `/api/`. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Ends every connection. Throws if the fake itself failed meanwhile. */
  async close(): Promise<void> {
    this.deliveries.close();
    this.faults.clear();
    this.#push.close();
    this.sockets.close();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  user({ id, name, team, guest = false, bot = false }: UserSpec): Person {
    const { world } = this;
    const own: FakeMember = {
      ...{ id: id ?? world.id("U"), name, team: team ?? this.me.team, guest },
      ...(bot && { botId: world.id("B"), appId: world.id("A") }),
    };
    world.members.set(own.id, own);
    return new Person(own, this.#service);
  }

  /** The id of the person's direct conversation with the app. */
  dm(person: { readonly id: string }): string {
    return this.world.dm(person.id).id;
  }

  /** Gives the id. */
  channel({ name, members, shared = false, kind = "channel", joined = true }: ChannelSpec): string {
    const all = [...members.map(({ id }) => id), ...(joined ? [this.me.id] : [])];
    return this.world.addRoom({ name, kind, members: all, shared }).id;
  }

  archive(channel: string): void {
    this.world.roomOf(channel).archived = true;
  }

  /** Slack has fetched a link of the message and shows what is there. */
  unfurl(ts: string): void {
    const attachments = [{ id: 1, from_url: "https://example.org", title: "Example" }];
    this.#touch(ts, { attachments });
  }

  /** Slack has found out in which language the message is: it changes, and its text does not. */
  detectLanguage(ts: string): void {
    this.#touch(ts, { language: { locale: "en", is_reliable: true } });
  }

  #touch(ts: string, fields: Params): void {
    const found = this.world.locate(ts);
    if (!found) throw new Error(`there is no message ${ts}`);
    change(this.#service, found, fields);
  }

  /** Any event as it is. */
  tell(event: Params): string {
    return tell(this.#service, event);
  }

  /** Anything that Slack sends, as it is. */
  send(kind: EnvelopeKind, payload: Params): Delivery {
    return this.deliveries.push(kind, payload);
  }

  /** HTTP mode from now on, when the address answers Slack's question. */
  verify(url: string): Promise<boolean> {
    return this.#push.verify(url);
  }

  useLimits(limits: boolean | Partial<SlackLimits>): void {
    const wanted = limits === true ? {} : limits;
    this.limiter.use(wanted === false ? undefined : { ...PUBLISHED_LIMITS, ...wanted });
  }

  /** From now on every call with that token is refused. */
  revokeToken(
    error: "token_revoked" | "account_inactive" | "invalid_auth" = "token_revoked",
    which: "bot" | "app" | "both" = "both",
  ): void {
    const { revoked } = this.#service;
    if (which !== "app") revoked.set(this.token, error);
    if (which !== "bot") revoked.set(this.appToken, error);
  }

  /** Somebody has removed the app from the workspace: its sockets still open. */
  uninstall(): void {
    this.tell({ type: "tokens_revoked", tokens: { oauth: [], bot: [this.me.id] } });
    this.tell({ type: "app_uninstalled" });
    this.revokeToken("account_inactive", "bot");
  }

  messages(channel: string): SeenMessage[] {
    return seenMessages(this.world, this.world.roomOf(channel));
  }

  /** What one person alone was shown, in all conversations. */
  ephemerals(person: { readonly id: string }): SeenMessage[] {
    return [...this.world.rooms.values()].flatMap((room) =>
      seenMessages(this.world, room).filter(({ onlyFor }) => onlyFor === person.id),
    );
  }

  home(person: { readonly id: string }): SeenHome | undefined {
    return seenHome(this.world, person.id);
  }

  transcript(channel: string): string {
    return transcriptOf(this.world, this.world.roomOf(channel));
  }

  /** Empty when recording is off. */
  get calls(): readonly SlackCall[] {
    return this.#service.calls ?? [];
  }

  /** Events that are not acknowledged, and would be sent again. */
  get unconfirmed(): number {
    return this.deliveries.unconfirmed;
  }

  get counters() {
    const { violations, refused: tooMany } = this.limiter;
    return { ...this.world.counters, violations, tooMany };
  }

  /** Hears every call that was carried out, at once: for benches. */
  onCall(listener: ((call: SlackCall) => void) | undefined): void {
    this.#service.onCall = listener;
  }

  /** Resolves with the first truthy value of `predicate`, which is asked again after every change. */
  waitFor<T>(
    predicate: (fake: FakeSlack) => T | undefined | null | false,
    options: WaitOptions = {},
  ): Promise<T> {
    const story = () => [...this.world.rooms.keys()].map((id) => this.transcript(id)).join("\n—\n");
    return this.#watchers.until(() => predicate(this), options, story);
  }

  /** What is waited for may have changed on the side of the app. */
  noteChange(): void {
    this.#watchers.note();
  }

  /** Calls back soon after every change, until the returned function is called. */
  watch(listener: () => void): () => void {
    return this.#watchers.add(listener);
  }
}
