// The reading end of a mailbox that is tried out: finds the mail of the test, and leaves nothing of it behind.
import { ImapFlow } from "imapflow";
import type { EmailConfig } from "./config.ts";
import { imapOptions } from "./imap-options.ts";
import { greetingAt, kindOfGreeting } from "./set-up-greeting.ts";
import { placeOf } from "./set-up-place.ts";
import { mixedUp, type Naming, troubleWith } from "./set-up-words.ts";

export interface Reading {
  readonly client: ImapFlow;
  readonly folder: string;
  /** What arrived in the folder since it was opened and has the mark in its subject, as it is. */
  find(mark: string): Promise<Buffer | undefined>;
  /** What it means that something here failed, in words. */
  trouble(error: unknown): string;
  close(): Promise<void>;
}

/** Somebody waits. */
const answerSeconds = 15;
/** The mail of the test is a small one. */
const most = 1_000_000;

/** Signed in and the folder opened, or what is wrong. */
export async function openReading(config: EmailConfig, naming: Naming): Promise<Reading | string> {
  const client = await clientOf(config);
  if (typeof client === "string") return client;
  // Said by the call that fails.
  client.on("error", () => {});
  const { pass, accessToken } = client.options.auth ?? {};
  const signedInWith = { password: pass, token: accessToken };
  const trouble = (error: unknown) =>
    troubleWith({ does: "read", url: config.imap, naming, ...signedInWith }, error);
  try {
    await client.connect();
  } catch (error) {
    client.close();
    return (await otherServer(config.imap, naming, error as Error)) ?? trouble(error);
  }
  const problem = await open(client, config.folder, naming);
  if (problem !== undefined) {
    await goodbye(client);
    return problem;
  }
  const from = client.mailbox ? client.mailbox.uidNext : 1;
  return {
    client,
    folder: config.folder,
    find: (mark) => find(client, from, mark),
    trouble,
    close: () => goodbye(client),
  };
}

/** One that speaks first but not IMAP is only seen as silence, or as a failure of TLS. */
async function otherServer(
  url: string,
  naming: Naming,
  { code = "", message }: Error & { readonly code?: string },
): Promise<string | undefined> {
  if (!/GREETING|SSL|TLS|EPROTO|wrong version/i.test(`${code} ${message}`)) return undefined;
  const { host, port } = placeOf(url);
  const greets = kindOfGreeting(await greetingAt(url));
  return mixedUp({ does: "read", url, naming }, `${host}, port ${port}`, greets);
}

async function clientOf(config: EmailConfig): Promise<ImapFlow | string> {
  try {
    const options = await imapOptions({ ...config, answerSeconds });
    return new ImapFlow({ ...options, socketTimeout: 2 * answerSeconds * 1000 });
  } catch (error) {
    // The file with certificates, or the command that prints tokens.
    return (error as Error).message;
  }
}

async function open(client: ImapFlow, folder: string, naming: Naming): Promise<string | undefined> {
  try {
    const { readOnly } = await client.mailboxOpen(folder);
    return readOnly
      ? `The folder ${folder} can only be read, not marked. Sign in as somebody who may, or name another: ${naming("folder")}`
      : undefined;
  } catch {
    const all = await client.list().catch(() => []);
    const names = all.slice(0, 20).map(({ path }) => path);
    const there = names.length > 0 ? ` There are: ${names.join(", ")}.` : "";
    return `There is no folder ${folder} that can be opened.${there} Name one with ${naming("folder")}`;
  }
}

async function find(client: ImapFlow, from: number, mark: string): Promise<Buffer | undefined> {
  // What came in is told with the answer.
  await client.noop();
  const mails = await client.fetchAll(`${from}:*`, { envelope: true, uid: true }, { uid: true });
  // A range that begins behind the last mail gives the last mail.
  const found = mails.find(({ uid, envelope }) => uid >= from && envelope?.subject?.includes(mark));
  if (!found) return undefined;
  const whole = await client.fetchOne(
    String(found.uid),
    { source: { start: 0, maxLength: most } },
    { uid: true },
  );
  return whole ? whole.source : undefined;
}

/** Where else providers put what they take for spam, and copies of what is sent. */
const elsewhere = ["\\Junk", "\\Sent", "\\All"];

async function otherFolders({ client, folder }: Reading): Promise<string[]> {
  const all = await client.list();
  const special = all.filter(
    ({ path, specialUse }) => elsewhere.includes(specialUse ?? "") || path === "INBOX",
  );
  return special.map(({ path }) => path).filter((path) => path !== folder);
}

/** The folder that the mail strayed into. */
export async function folderOf(reading: Reading, mark: string): Promise<string | undefined> {
  const { client } = reading;
  for (const { path, specialUse } of await client.list()) {
    if (path !== "INBOX" && specialUse !== "\\Junk") continue;
    await client.mailboxOpen(path);
    if ((await marked(client, mark)).length > 0) return path;
  }
  return undefined;
}

async function marked(client: ImapFlow, mark: string): Promise<number[]> {
  const found = await client.search({ subject: mark }, { uid: true });
  return found || [];
}

/** What could not be removed, in words. */
export async function removeAll(reading: Reading, mark: string): Promise<string | undefined> {
  try {
    const folders = [reading.folder, ...(await otherFolders(reading))];
    for (const path of folders) {
      const problem = await removeFrom(reading.client, path, mark);
      if (problem !== undefined) return problem;
    }
    return undefined;
  } catch {
    return `The mail of the test could not be removed. Delete it yourself: its subject ends in ${mark}`;
  }
}

async function removeFrom(
  client: ImapFlow,
  path: string,
  mark: string,
): Promise<string | undefined> {
  await client.mailboxOpen(path);
  const uids = await marked(client, mark);
  if (uids.length === 0) return undefined;
  const range = uids.join(",");
  if (client.capabilities.has("UIDPLUS")) {
    await client.messageDelete(range, { uid: true });
    return undefined;
  }
  // Without UIDPLUS, EXPUNGE would also remove what others have marked.
  await client.messageFlagsAdd(range, ["\\Deleted"], { uid: true });
  return `The mail of the test in ${path} is marked as deleted; this server removes it when the folder is tidied up.`;
}

async function goodbye(client: ImapFlow): Promise<void> {
  await client.logout().catch(() => {});
  client.close();
}
