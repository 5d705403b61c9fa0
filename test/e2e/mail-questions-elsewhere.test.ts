// A question of a task that came by mail, answered elsewhere: on another channel, on the page behind its link, or never.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { MailPerson } from "../fakes/mail-person.ts";
import type { Person } from "../fakes/telegram-people.ts";
import type { SeenMessage } from "../fakes/telegram-transcript.ts";
import { eventually, type MailRig, startMailRig, withDovecot } from "./mail-rig.ts";

const settings = { "access.allowEmail": ["example.test"] };
const made = ({ workspace }: MailRig, name: string) => existsSync(join(workspace, name));

interface OnTelegram {
  readonly person: Person;
  readonly chat: number;
  /** The newest message of the bot there that matches. */
  until(pattern: RegExp): Promise<SeenMessage>;
}

/** Comes in on Telegram with a code for somebody of that name. */
async function onTelegram(rig: MailRig, name: string, role: string): Promise<OnTelegram> {
  const { telegram, admin } = rig;
  assert.ok(telegram);
  const person = telegram.user({ name });
  const { id: chat } = telegram.privateChat(person);
  const until = (pattern: RegExp) =>
    telegram.waitFor(
      () => telegram.messages(chat).findLast(({ byBot, text }) => byBot && pattern.test(text)),
      { timeoutMs: 15_000, what: String(pattern) },
    );
  const { code } = (await admin("pair.invite", { name, role })) as { code: string };
  person.sends(chat, `join ${code}`);
  await until(/Welcome/);
  return { person, chat, until };
}

/** The same person by mail. */
async function alsoByMail(rig: MailRig, name: string, address: string): Promise<MailPerson> {
  await rig.admin("pair.link", { name, channel: "email", account: address });
  return rig.town.person(address);
}

it(
  "lets an owner decide on Telegram what was asked for by mail, and the other way round",
  withDovecot,
  async (t) => {
    const rig = await startMailRig(t, { settings, telegram: true });
    const owner = await onTelegram(rig, "ana", "owner");
    const ana = await alsoByMail(rig, "ana", "ana@example.test");
    const asked = ana.writes({ subject: "By mail", text: "write a.txt\nmade" });
    await rig.until(ana, /allow \d+ \w{4}/);
    owner.person.sends(owner.chat, "/approvals");
    const list = await owner.until(/a\.txt/);
    const [number] =
      /\d+/.exec(/(?:Question|#)?\s*(\d+)[^\n]*a\.txt/.exec(list.text)?.[0] ?? list.text) ?? [];
    owner.person.sends(owner.chat, `allow ${number}`);
    await eventually("the file", () => made(rig, "a.txt"));
    await rig.until(ana, /Created a\.txt/);
    assert.equal(
      ana.inbox.filter(({ inReplyTo }) => inReplyTo === asked.messageId).length > 0,
      true,
    );
    owner.person.sends(owner.chat, "write b.txt\nmade");
    await owner.until(/Create b\.txt/);
    const listed = await rig.answer(ana, ana.writes({ subject: "/approvals" }));
    const [, which] = /allow (\d+ [A-Z2-9]{4})/.exec(listed.text) ?? [];
    assert.ok(which, listed.text);
    ana.replies(listed, `allow ${which}`);
    await eventually("the file", () => made(rig, "b.txt"));
    await owner.until(/Allow once · ana/);
  },
);

it("decides on the page behind the link of a mail, by a POST alone", withDovecot, async (t) => {
  const publicUrl = { "http.publicUrl": ["https://gate.example"] };
  const rig = await startMailRig(t, { settings: { ...settings, ...publicUrl } });
  const ana = rig.town.person("ana@example.test");
  const sent = ana.writes({ subject: "By link", text: "write a.txt\nmade" });
  const card = await rig.answer(ana, sent);
  const [, path = ""] = /https:\/\/gate\.example(\/hitl\/[\w.-]+)/.exec(card.text) ?? [];
  assert.ok(path, card.text);
  const url = `${rig.http()}${path}`;
  // Whatever looks at a mail's links (a scanner, a preview) decides nothing.
  for (const method of ["HEAD", "OPTIONS", "GET", "GET"]) {
    const looked = await fetch(url, { method });
    assert.equal(looked.status, method === "GET" ? 200 : 405);
  }
  assert.equal(made(rig, "a.txt"), false);
  const body = JSON.stringify({ option: "allow:0" });
  const headers = { "content-type": "application/json" };
  const decided = await fetch(url, { method: "POST", headers, body });
  assert.equal(decided.status, 200, await decided.text());
  await eventually("the file", () => made(rig, "a.txt"));
  await rig.until(ana, /Created a\.txt/);
  const again = await fetch(url, { method: "POST", headers, body });
  assert.equal(again.status, 409);
  const late = await rig.answer(
    ana,
    ana.replies(card, /allow \d+ \w{4}/.exec(card.text)?.[0] ?? ""),
  );
  assert.match(late.text, /[Aa]lready/);
});

it(
  "says that a restart ended the question, in the thread, and takes its word no more",
  withDovecot,
  async (t) => {
    const rig = await startMailRig(t, { settings });
    const ana = rig.town.person("ana@example.test");
    const sent = ana.writes({ subject: "Restart", text: "write a.txt\nmade" });
    const card = await rig.answer(ana, sent);
    const [yes = ""] = /allow \d+ \w{4}/.exec(card.text) ?? [];
    await rig.stop();
    await rig.start();
    const anew = await rig.town.waitFor(() =>
      ana.inbox.find((mail) => mail !== card && mail.references.includes(sent.messageId)),
    );
    const told = await rig.answer(ana, ana.replies(card, yes));
    assert.match(told.text, /expired|restart/i, rig.town.transcript());
    assert.equal(made(rig, "a.txt"), false);
    assert.ok(anew);
  },
);
