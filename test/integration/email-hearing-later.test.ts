// Mails that cannot be taken as they are: DNS that is silent, mails that are too large, and mails that cannot be fetched.
import assert from "node:assert/strict";
import { it } from "node:test";
import { withDovecot } from "../fakes/dovecot.ts";
import { composed } from "../fakes/mail-compose.ts";
import { agent, ana, mailboxRig } from "../fakes/mailbox-rig.ts";

const keyName = "s1._domainkey.example.test";
const waits = /"later":\[\{/;

it(
  "judges a mail again whose DNS failed, also after a restart, and holds up no other",
  withDovecot,
  async (t) => {
    const rig = await mailboxRig(t, { settings: { retrySeconds: 1 } });
    rig.dns.fault(keyName, "servfail");
    const first = rig.open();
    await rig.start(first);
    await rig.writes("one");
    await rig.until("the wait", () => waits.test(rig.kept.get("cursor") ?? ""));
    assert.match(rig.kept.get("cursor") ?? "", /"next":2,/);
    await rig.until("the hint", () => /^1 mail waits.*DNS/.test(first.health().lastError ?? ""));
    await rig.dovecot.deliver(
      `From: Ana <${ana}>\r\nTo: ${agent}\r\nSubject: not signed\r\n\r\nhello\r\n`,
    );
    await rig.until("the next mail", () => rig.heard.length === 1);
    assert.match(rig.heard[0]?.silent ?? "", /not proved/);
    assert.equal(rig.dovecot.mailbox().list()[0]?.seen, false);
    await first.stop();
    rig.dns.fault(keyName, undefined);
    await rig.start(rig.open());
    await rig.writes("two");
    await rig.until("both", () => rig.heard.length === 3);
    assert.deepEqual(rig.texts().slice(1).sort(), ["one", "two"]);
    assert.doesNotMatch(rig.kept.get("cursor") ?? "", waits);
    assert.match(rig.heard.find(({ text }) => text === "one")?.key ?? "", /\.1$/);
    await rig.until("its mark", () => rig.dovecot.mailbox().list()[0]?.seen === true);
  },
);

it(
  "gives up a mail whose DNS failed for too long, in silence and with the reason",
  withDovecot,
  async (t) => {
    // A minute is a millisecond here: three days are four seconds.
    const rig = await mailboxRig(t, { settings: { retrySeconds: 0.001 } });
    rig.dns.fault(keyName, "servfail");
    await rig.start(rig.open());
    await rig.writes("one");
    await rig.until("the end of it", () => rig.heard.length === 1);
    const [event] = rig.heard;
    assert.match(event?.silent ?? "", /DNS did not answer until the end/);
    assert.deepEqual([event?.text, event?.sender.account], ["", `unproved:${ana}`]);
    assert.doesNotMatch(rig.kept.get("cursor") ?? "", waits);
  },
);

const megabyte = 1024 * 1024;
const filler = (megabytes: number) =>
  `${"x".repeat(998)}\n`.repeat(Math.ceil((megabytes * megabyte) / 1000));

it(
  "takes no mail above 25 MB, but tells whoever is proved to have sent it",
  withDovecot,
  async (t) => {
    const rig = await mailboxRig(t, { settings: { answerSeconds: 20 } });
    await rig.start(rig.open());
    await rig.dovecot.deliver(
      await rig.sign(
        Buffer.from(
          `From: Ana <${ana}>\r\nTo: ${agent}\r\nSubject: large\r\nDate: ${new Date().toUTCString().replace("GMT", "+0000")}\r\nMessage-ID: <large@example.test>\r\n\r\n${filler(26).replaceAll("\n", "\r\n")}`,
        ),
      ),
    );
    await rig.until("the large one", () => rig.heard.length === 1);
    const [large] = rig.heard;
    assert.equal(large?.silent, undefined);
    assert.equal(large?.sender.account, ana);
    assert.match(
      large?.unreadable ?? "",
      /^a mail of 2\d MB: at most 25 MB are taken, and files grow by a third on their way$/,
    );
    assert.deepEqual([large?.files], [[]]);
    const most = [...rig.cut.heard().matchAll(/BODY\.PEEK\[\]<\d+\.(\d+)>/g)].map(([, size]) =>
      Number(size),
    );
    assert.ok(Math.max(...most) <= megabyte, "piece by piece");
  },
);

it("does not look at what is larger still, and hears the next mail", withDovecot, async (t) => {
  const rig = await mailboxRig(t, { settings: { answerSeconds: 20 } });
  await rig.start(rig.open());
  const head = `From: Ana <${ana}>\r\nTo: ${agent}\r\nSubject: huge\r\nMessage-ID: <huge@example.test>\r\n\r\n`;
  await rig.dovecot.deliver(head + filler(61));
  await rig.writes("after it");
  await rig.until("both", () => rig.heard.length === 2);
  assert.match(rig.heard[0]?.silent ?? "", /a mail of 6\d MB/);
  assert.equal(rig.texts()[1], "after it");
  const fetched = [...rig.cut.heard().matchAll(/UID FETCH 1 [^\r]*BODY\.PEEK\[\]/g)];
  assert.equal(fetched.length, 0);
});

it(
  "goes past a mail that the server lists and never hands out, and tries it again later",
  withDovecot,
  async (t) => {
    const rig = await mailboxRig(t);
    const first = rig.open();
    await rig.start(first);
    await first.stop();
    for (const text of ["one", "two", "three"]) await rig.writes(text);
    rig.cut.rewrite((text) =>
      /FETCH \(UID 2 BODY/.test(text)
        ? text.slice(text.lastIndexOf("\n", text.length - 2) + 1)
        : text,
    );
    await rig.start(rig.open({ retrySeconds: 0.5 }));
    await rig.until("the others", () => rig.heard.length === 2);
    assert.deepEqual(rig.texts(), ["one", "three"]);
    assert.match(rig.kept.get("cursor") ?? "", waits);
    rig.cut.rewrite();
    await rig.until("the one that was held back", () => rig.heard.length === 3);
    assert.equal(rig.texts()[2], "two");
  },
);

it(
  "fetches a file from its mail when it is wanted, and says when that is gone",
  withDovecot,
  async (t) => {
    const rig = await mailboxRig(t);
    const listener = rig.open();
    await rig.start(listener);
    const content = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 256));
    const files = [
      { name: "notes.txt", content: "remember", mime: "text/plain" },
      { name: "data.bin", content },
    ];
    const from = { name: "Ana", address: ana };
    const mail = await composed({
      from,
      to: [agent],
      messageId: "f@example.test",
      subject: "Files",
      text: "see these",
      files,
    });
    await rig.dovecot.deliver(await rig.sign(mail));
    await rig.until("the mail", () => rig.heard.length === 1);
    const [notes, data] = rig.heard[0]?.files ?? [];
    assert.ok(notes && data && listener.fetchFile);
    const fetched = async (file: typeof data) => {
      const chunks: Uint8Array[] = [];
      await listener.fetchFile?.(
        file,
        new WritableStream({ write: (chunk) => void chunks.push(chunk) }),
      );
      return Buffer.concat(chunks);
    };
    const [one, other] = await Promise.all([fetched(data), fetched(notes)]);
    assert.ok(one.equals(content));
    assert.equal(other.toString(), "remember");
    rig.cut.cut();
    assert.ok((await fetched(data)).equals(content), "after the connection broke");
    rig.dovecot.mailbox().remove(0);
    await assert.rejects(fetched(data), /not in the mailbox any more/);
    await rig.writes("still heard");
    await rig.until("the next mail", () => rig.heard.length === 2);
    await assert.rejects(fetched({ ...data, id: "7.1.0" }), /not in the mailbox any more/);
    await assert.rejects(fetched({ ...data, id: "1.2" }), /not from this mailbox/);
  },
);
