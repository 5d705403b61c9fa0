// What somebody gets for a mail: one answer, in its thread, whole, with what belongs to it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { type MailRig, scripted, startMailRig, withDovecot } from "./mail-rig.ts";

const settings = { "access.allowEmail": ["example.test"] };

it("answers a mail once, in its thread, as text and as HTML", withDovecot, async (t) => {
  const rig = await startMailRig(t, { settings });
  const ana = rig.town.person("Ana.Lee@Example.test", "Ana Lee");
  const earlier = ["before@example.test", "first@example.test"];
  const asked = ana.writes({
    subject: "Fwd: AW: Re: Plans",
    text: "say **bold** & <plain>",
    references: earlier,
  });
  const answer = await rig.answer(ana, asked);
  await rig.quiet();
  assert.equal(ana.arrived.length, 1);
  assert.equal(answer.subject, "Re: Plans");
  assert.deepEqual(answer.references, [...earlier, asked.messageId]);
  assert.deepEqual(
    [answer.from, answer.to, answer.cc],
    [rig.town.agent, ["Ana.Lee@example.test"], []],
  );
  assert.deepEqual(answer.envelope, { from: rig.town.agent, to: ["Ana.Lee@example.test"] });
  assert.equal(answer.headers.get("auto-submitted"), "auto-replied");
  assert.match(answer.messageId, /^\S+@example\.test$/);
  assert.equal(answer.counts.get("message-id"), 1);
  assert.match(answer.text, /^bold & <plain>$/m);
  assert.match(answer.html, /<b>bold<\/b> &amp; &lt;plain&gt;/);
  assert.doesNotMatch(answer.html, /<img|<script|https?:/);
  const again = ana.replies(answer, "say more");
  const second = await rig.answer(ana, again);
  assert.equal(second.subject, "Re: Plans");
  assert.deepEqual(second.references, [
    ...earlier,
    asked.messageId,
    answer.messageId,
    again.messageId,
  ]);
  assert.equal(second.text.includes("bold"), false);
});

it("sends one mail for a task, however much the agent says on the way", withDovecot, async (t) => {
  const rig = await startMailRig(t, { settings, flags: scripted() });
  const ana = rig.town.person("ana@example.test");
  const words = Array.from({ length: 30 }, (_, n) => `echo part ${n}, `);
  const steps = [...words, "stream 5000", "echo the end"];
  const asked = ana.writes({ text: steps.join("\n") });
  const answer = await rig.answer(ana, asked);
  await rig.quiet();
  assert.equal(ana.arrived.length, 1);
  assert.match(answer.text, /^part 0, part 1, [\s\S]*\b4999\s+5000\s+the end/);
});

it("takes the request from the subject when there is no other", withDovecot, async (t) => {
  const rig = await startMailRig(t, { settings });
  const ana = rig.town.person("ana@example.test");
  const bare = ana.writes({ subject: "say from the subject" });
  assert.match((await rig.answer(ana, bare)).text, /from the subject/);
  const footer = ana.writes({ subject: "say on the way", text: "\n\nSent from my iPhone\n" });
  const answer = await rig.answer(ana, footer);
  assert.match(answer.text, /on the way/);
  assert.equal(answer.subject, "Re: say on the way");
  // The subject of a reply was said before.
  const empty = await rig.answer(ana, ana.replies(answer, ""));
  assert.doesNotMatch(empty.text, /on the way/);
});

it(
  "takes the files of a mail, and sends those of a task with its answer",
  withDovecot,
  async (t) => {
    const rig = await startMailRig(t, { settings });
    const ana = rig.town.person("ana@example.test");
    const files = [
      { name: "../../.ssh/notes.txt", content: "whole content", mime: "text/plain" },
      {
        name: "bytes.bin",
        content: Buffer.from([0, 255, 10, 13, 0]),
        mime: "application/octet-stream",
      },
    ];
    // Whoever writes a mail chooses its Message-ID.
    const messageId = "../../../../../escaped@example.test";
    await rig.answer(ana, ana.writes({ subject: "Files", text: "list", files, messageId }));
    const kept = inboxOf(rig);
    assert.deepEqual([...kept.values()].map(({ length }) => length).sort(), [13, 5]);
    for (const name of kept.keys()) assert.match(name, /^[\w.-]+$/);
    const content = Buffer.from(Array.from({ length: 70_000 }, (_, n) => n % 251));
    writeFileSync(join(rig.workspace, "report.bin"), content);
    const answer = await rig.answer(ana, ana.writes({ subject: "Send", text: "send report.bin" }));
    await rig.quiet();
    assert.deepEqual(
      answer.files.map(({ name, content: bytes }) => [name, bytes.equals(content)]),
      [["report.bin", true]],
    );
    assert.equal(ana.arrived.length, 2);
  },
);

function inboxOf({ place }: MailRig): Map<string, Buffer> {
  const [home = ""] = readdirSync(place.paths.homes);
  const folder = join(place.paths.homes, home, "inbox");
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
}

it("tells whoever is proved what it cannot read, and nobody else", withDovecot, async (t) => {
  const rig = await startMailRig(t, { settings });
  const { town } = rig;
  const ana = town.person("ana@example.test");
  const winmail = { name: "winmail.dat", content: "x", mime: "application/ms-tnef" };
  const outlook = await rig.answer(ana, ana.writes({ subject: "", files: [winmail] }));
  assert.match(outlook.text, /Outlook/);
  const large = { name: "disk.img", content: Buffer.alloc(19_200_000, 7) };
  const sent = ana.writes({ subject: "Large", text: "list", files: [large] });
  const answer = await rig.answer(ana, sent);
  assert.match(answer.text, /25 MB|too large|larger/);
  ana.writes({ subject: "", files: [winmail], signed: false });
  town.person("eve@evil.test").writes({ subject: "", files: [winmail] });
  await rig.quiet();
  assert.deepEqual(told(town.story.filter(({ is }) => is === "got")), [ana.address, ana.address]);
});

function told(story: readonly { readonly by: string }[]): string[] {
  return story.map(({ by }) => by);
}

it(
  "answers the proved sender alone, whatever the mail says about answers",
  withDovecot,
  async (t) => {
    const rig = await startMailRig(t, { settings });
    const ana = rig.town.person("ana@example.test");
    const headers = {
      "Reply-To": "eve@evil.test",
      Sender: "eve@evil.test",
      "Disposition-Notification-To": "eve@evil.test",
      "Return-Receipt-To": "eve@evil.test",
      "Mail-Followup-To": "eve@evil.test",
      "Resent-From": "eve@evil.test",
    };
    const cc = ["ben@other.test", "all@example.test"];
    await rig.answer(ana, ana.writes({ subject: "Where", text: "say here", headers, cc }));
    await rig.quiet();
    assert.deepEqual(
      rig.town.sent.map(({ envelope }) => envelope.to),
      [[ana.address]],
    );
  },
);

it("gives links to the files that do not fit into the mail", withDovecot, async (t) => {
  const publicUrl = { "http.publicUrl": ["https://gate.example"] };
  const rig = await startMailRig(t, { settings: { ...settings, ...publicUrl }, flags: scripted() });
  const ana = rig.town.person("ana@example.test");
  const size = 7_000_000;
  const steps = ["a.bin", "b.bin", "c.bin"].map((name) => `file ${size} file:///${name}`);
  const answer = await rig.answer(ana, ana.writes({ text: steps.join("\n") }));
  assert.deepEqual(
    answer.files.map(({ name, content }) => [name, content.length]),
    [
      ["a.bin", size],
      ["b.bin", size],
    ],
  );
  const [, path = ""] = /https:\/\/gate\.example(\/download\/[\w.-]+)/.exec(answer.text) ?? [];
  assert.ok(path, answer.text);
  const got = await fetch(`${rig.http()}${path}`);
  assert.match(got.headers.get("content-disposition") ?? "", /^attachment/);
  assert.equal((await got.arrayBuffer()).byteLength, size);
  await rig.quiet();
  assert.equal(ana.arrived.length, 1);
});
