// Names of people, and our direct conversations with them: asked for once, kept for a while.
import type { WebClient } from "@slack/web-api";
import { codeOf } from "./errors.ts";
import type { NameOf } from "./text.ts";

export interface People {
  readonly nameOf: NameOf;
  readonly dmOf: NameOf;
  /** Best effort, and soon: nobody waits long for a name. */
  learn(users: readonly string[]): Promise<void>;
  learnDm(user: string): Promise<void>;
  openDm(user: string): Promise<string>;
  /** Whether people of elsewhere may be in a conversation: also where Slack does not say. */
  isShared(chat: string): Promise<boolean>;
  /** What a conversation is called. */
  titleOf(chat: string): Promise<string | undefined>;
}

const remembered = 5000;
const renewAfter = 6 * 3_600_000;
const patienceMs = 1500;

interface Name {
  readonly name: string;
  readonly at: number;
}

export function createPeople(client: WebClient): People {
  const names = new Map<string, Name>();
  const dms = new Map<string, string>();
  let mayAsk = true;

  const ask = async (user: string) => {
    try {
      const { user: found } = await client.users.info({ user });
      const { profile, real_name, name } = found ?? {};
      const shown = profile?.display_name || profile?.real_name || real_name || name;
      keep(names, user, { name: shown || user, at: Date.now() });
    } catch (error) {
      if (codeOf(error) === "missing_scope") mayAsk = false;
      // A stranger may not be seen; asked again only much later.
      if (codeOf(error) !== undefined) keep(names, user, { name: user, at: Date.now() });
    }
  };
  const openDm = async (user: string) => {
    const known = dms.get(user);
    if (known) return known;
    const { channel } = await client.conversations.open({ users: user });
    if (!channel?.id) throw new Error("Slack opened no conversation.");
    keep(dms, user, channel.id);
    return channel.id;
  };
  const infoOf = async (channel: string) => {
    const asking = client.conversations.info({ channel }).catch(() => undefined);
    return (await within(asking))?.channel;
  };
  return {
    nameOf: (user) => names.get(user)?.name,
    dmOf: (user) => dms.get(user),
    openDm,
    async learn(users) {
      if (!mayAsk) return;
      const now = Date.now();
      const unknown = [...new Set(users)].filter(
        (user) => now - (names.get(user)?.at ?? 0) > renewAfter,
      );
      await soon(unknown.slice(0, 20).map(ask));
    },
    isShared: async (chat) => (await infoOf(chat))?.is_ext_shared !== false,
    titleOf: async (chat) => (await infoOf(chat))?.name,
    learnDm: (user) => soon([openDm(user).catch(() => undefined)]),
  };
}

async function soon(work: readonly Promise<unknown>[]): Promise<void> {
  if (work.length > 0) await within(Promise.all(work));
}

async function within<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patienceMs);
  });
  const done = await Promise.race([work, late]);
  clearTimeout(timer);
  return done;
}

function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= remembered) return;
    map.delete(oldest);
  }
}
