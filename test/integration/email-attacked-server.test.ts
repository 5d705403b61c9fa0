// A mail server that answers as none should: no mail is lost, none is heard twice, and none holds up the others.
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { type Asked, fetched, type OddImap, type Says, startOddImap } from "../fakes/imap-odd.ts";
import { type ListeningRig, listeningRig, type MailboxOptions } from "../fakes/mailbox-rig.ts";
import { notesInMemory } from "../fakes/notes.ts";

interface Odd {
  readonly imap: OddImap;
  readonly rig: ListeningRig;
}

/** The mailbox was heard once; since then there are these mails in it. */
async function odd(
  t: TestContext,
  texts: readonly string[],
  options: MailboxOptions = {},
): Promise<Odd> {
  const imap = await startOddImap(t);
  const rig = await listeningRig(t, { port: imap.port }, options);
  const first = rig.open();
  await rig.start(first);
  await rig.until("the mailbox", () => rig.kept.has("cursor"));
  await first.stop();
  for (const text of texts) imap.add(await rig.mail(text));
  return { imap, rig };
}

const isSizes = ({ command, rest }: Asked) => command === "UID FETCH" && !/BODY/.test(rest);
const isBodies = ({ command, rest }: Asked) => command === "UID FETCH" && /BODY/.test(rest);
const without = (usual: readonly Buffer[], uid: number) =>
  usual.filter((line) => !line.includes(`(UID ${uid} `));

const holdsBack: readonly (readonly [string, (asked: Asked) => Says | null | undefined])[] = [
  [
    "whose size it never tells",
    (asked) => (isSizes(asked) ? { lines: without(asked.usual, 2) } : undefined),
  ],
  [
    "of which it knows nothing when it is asked for its size",
    (asked) =>
      isSizes(asked) && asked.usual.some((line) => line.includes("(UID 2 "))
        ? { lines: [], end: "NO [SERVERBUG] Internal error occurred" }
        : undefined,
  ],
  [
    "that makes it break down when it is asked for its size",
    (asked) =>
      isSizes(asked) && asked.usual.some((line) => line.includes("(UID 2 ")) ? null : undefined,
  ],
  [
    "that makes it break down when it is fetched",
    (asked) =>
      isBodies(asked) && asked.usual.some((line) => line.includes("(UID 2 ")) ? null : undefined,
  ],
  [
    "that it hands out as nothing",
    (asked) =>
      isBodies(asked)
        ? { lines: asked.usual.map((line) => (line.includes("(UID 2 ") ? nothing(line) : line)) }
        : undefined,
  ],
  [
    "that it hands out as NIL",
    (asked) =>
      isBodies(asked)
        ? {
            lines: asked.usual.map((line) =>
              line.includes("(UID 2 ") ? "* 2 FETCH (UID 2 BODY[]<0> NIL)\r\n" : line,
            ),
          }
        : undefined,
  ],
];

function nothing(line: Buffer): string {
  return `${line.toString("latin1").split("{")[0]}{0}\r\n)\r\n`;
}

for (const [which, answer] of holdsBack)
  it(`goes past a mail ${which}, and hears it once it can`, async (t) => {
    const { imap, rig } = await odd(t, ["one", "two", "three"]);
    imap.answer = answer;
    await rig.start(rig.open({ retrySeconds: 0.2 }));
    await rig.until("the others", () => rig.heard.length >= 2);
    assert.deepEqual(rig.texts(), ["one", "three"]);
    imap.answer = () => undefined;
    await rig.until("the one that was held back", () => rig.heard.length >= 3);
    assert.deepEqual(rig.texts(), ["one", "three", "two"]);
  });

it("hears each mail once though it is told twice, and none that was not asked for", async (t) => {
  const { imap, rig } = await odd(t, ["one", "two"]);
  const stranger = imap.add(await rig.mail("not asked for"), 99);
  imap.answer = (asked) => {
    if (asked.command === "UID SEARCH" && rig.heard.length < 2)
      return { lines: ["* SEARCH 1 2 2 1\r\n"] };
    if (asked.command !== "UID FETCH") return undefined;
    const more = fetched(imap, stranger, asked.rest);
    return { lines: [...asked.usual, more, "* 1 FETCH (FLAGS (\\Seen))\r\n", ...asked.usual] };
  };
  await rig.start(rig.open());
  await rig.until("the mails", () => rig.heard.length >= 2);
  assert.deepEqual(rig.texts(), ["one", "two"]);
});

it("believes no size", async (t) => {
  const { imap, rig } = await odd(t, ["short", `long ${"x\n".repeat(100_000)}`]);
  imap.answer = (asked) =>
    isSizes(asked)
      ? { lines: [fetched(imap, 1, asked.rest, 5_000_000), fetched(imap, 2, asked.rest, 3)] }
      : undefined;
  await rig.start(rig.open());
  await rig.until("the mails", () => rig.heard.length >= 2);
  assert.deepEqual(
    rig.heard.map(({ text, silent }) => [text.length, silent]),
    [
      [5, undefined],
      [200_004, undefined],
    ],
  );
});

for (const end of ["NO [READ-ONLY] no", "NO [OVERQUOTA] full", "BAD what", "NO [CANNOT] no"])
  it(`hears on where marking a mail fails (${end})`, async (t) => {
    const { imap, rig } = await odd(t, ["one"]);
    imap.answer = ({ command }) => (command === "UID STORE" ? { lines: [], end } : undefined);
    await rig.start(rig.open());
    await rig.until("the mail", () => rig.heard.length === 1);
    imap.add(await rig.mail("two"));
    await rig.until("the next one", () => rig.heard.length === 2);
    assert.deepEqual(rig.texts(), ["one", "two"]);
    assert.equal(imap.connections, 2, "no connection was lost for it");
  });

it("looks now and then where IDLE is offered and refused", async (t) => {
  const { imap, rig } = await odd(t, ["one"]);
  imap.answer = ({ command }) =>
    command === "IDLE" ? { lines: [], end: "NO not now" } : undefined;
  await rig.start(rig.open());
  await rig.until("the mail", () => rig.heard.length === 1);
  imap.mails.set(imap.uidNext++, await rig.mail("two"));
  await rig.until("the next one", () => rig.heard.length === 2);
  assert.ok(imap.asked.filter((line) => line.startsWith("IDLE")).length < 5);
});

it("lets a mail that breaks the connection drag none along that waits for DNS", async (t) => {
  const { imap, rig } = await odd(t, ["one", "two", "three"], { settings: { retrySeconds: 0.2 } });
  rig.dns.fault("s1._domainkey.example.test", "servfail");
  await rig.start(rig.open());
  await rig.until("the wait", () => JSON.parse(rig.kept.get("cursor") ?? "{}").later.length === 3);
  imap.answer = holdsBack[3]?.[1] ?? imap.answer;
  rig.dns.fault("s1._domainkey.example.test", undefined);
  await rig.until("the others", () => rig.heard.length >= 2);
  assert.deepEqual(rig.texts(), ["one", "three"]);
  assert.match(rig.kept.get("cursor") ?? "", /"later":\[\{"uid":2,/);
});

it("ends those of a domain whose DNS never answers once they are too many, and hears all others", async (t) => {
  const { imap, rig } = await odd(t, []);
  rig.dns.fault("s1._domainkey.example.test", "servfail");
  const later = Array.from({ length: 1000 }, (_, at) => {
    const mine = at === 7;
    const of = mine ? "example.test" : "broken.example";
    const now = Date.now();
    return { uid: at + 1, tries: 9, first: now - at, due: now + 3_600_000, of };
  });
  for (const { uid } of later)
    imap.mails.set(uid, Buffer.from("From: x@broken.example\r\nSubject: x\r\n\r\nx\r\n"));
  imap.uidNext = 1001;
  const cursor = JSON.parse(rig.kept.get("cursor") ?? "{}");
  rig.kept.set("cursor", JSON.stringify({ ...cursor, next: 1001, later }));
  imap.add(await rig.mail("waits too"));
  await rig.start(rig.open());
  await rig.until("the end of some", () => rig.heard.length >= 20);
  rig.dns.fault("s1._domainkey.example.test", undefined);
  imap.add(await rig.mail("heard"));
  await rig.until("the mail", () => rig.texts().includes("heard"));
  const ended = rig.heard.filter(({ silent }) => silent !== undefined);
  assert.ok(ended.every(({ sender }) => sender.account === "unproved:x@broken.example"));
  const kept = JSON.parse(rig.kept.get("cursor") ?? "{}").later;
  assert.ok(
    kept.some(({ uid }: { uid: number }) => uid === 8),
    "whose domain has one alone waits on",
  );
  assert.ok(kept.length <= 1000);
});

it("lets all wait where DNS answers nothing at all", async (t) => {
  const { imap, rig } = await odd(t, []);
  rig.dns.fault("s1._domainkey.example.test", "servfail");
  rig.dns.fault("example.org", "servfail");
  const later = Array.from({ length: 1000 }, (_, at) => {
    return { uid: at + 1, tries: 9, first: Date.now(), due: Date.now() + 3_600_000, of: "a.test" };
  });
  imap.uidNext = 1001;
  const cursor = JSON.parse(rig.kept.get("cursor") ?? "{}");
  rig.kept.set("cursor", JSON.stringify({ ...cursor, next: 1001, later }));
  imap.add(await rig.mail("one"));
  const listener = rig.open();
  await rig.start(listener);
  await rig.until("the question", () => rig.dns.asked.includes("TXT example.org"));
  await rig.until("the hint", () => /^1000 mails wait/.test(listener.health().lastError ?? ""));
  assert.equal(JSON.parse(rig.kept.get("cursor") ?? "{}").later.length, 1000);
  assert.deepEqual(rig.heard, []);
});

it("says so when the server gives numbers again that were heard", async (t) => {
  const { imap, rig } = await odd(t, ["one", "two"]);
  const first = rig.open();
  await rig.start(first);
  await rig.until("the mails", () => rig.heard.length === 2);
  await first.stop();
  imap.mails.clear();
  imap.uidNext = 1;
  await rig.start(rig.open());
  await rig.until("the words", () => rig.log.lines.some((line) => /earlier number/.test(line)));
});

it("hears all of it, though nothing can be noted or accepted for a while", async (t) => {
  const kept = new Map<string, string>();
  let refuse = 0;
  const full = () => {
    if (refuse-- > 0) throw new Error("the disk is full");
  };
  const usual = notesInMemory(kept);
  const notes = {
    ...usual,
    async write(key: string, text: string) {
      if (key === "cursor" && kept.has("cursor")) full();
      await usual.write(key, text);
    },
  };
  const imap = await startOddImap(t);
  const options = { notes, accept: async () => full() };
  const rig = await listeningRig(t, { port: imap.port }, options);
  const listener = rig.open();
  await rig.start(listener);
  for (const [at, text] of ["one", "two", "three"].entries()) {
    refuse = at + 1;
    imap.add(await rig.mail(text));
    await rig.until(text, () => rig.texts().includes(text) && refuse <= 0);
  }
  await rig.until("the marks", () => imap.seen.size === 3);
  assert.deepEqual(rig.texts(), ["one", "two", "three"]);
  assert.equal(listener.health().lastError, undefined);
});
