// A real mailbox and mail server as a stage: a decision is a reply, nothing ever changes in an inbox, and a repeat is the same mail.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CliRig } from "../fakes/cli-rig.ts";
import type { MailPerson, Writing } from "../fakes/mail-person.ts";
import type { SeenMail } from "../fakes/mail-seen.ts";
import { type MailTown, startMailTown } from "../fakes/mail-town.ts";
import type { Member, Said, SaidButton, Stage } from "./kill-stage.ts";

export async function emailStage(): Promise<Stage> {
  // In the clear, so that the gateway can be stopped at a word of IMAP.
  const town = await startMailTown({ plain: true });
  const page = { number: 0 };
  return {
    channel: "email",
    url: "",
    token: "",
    // With these a card and a whole answer are on the wire, and a connection dies.
    seeds: [10, 15, 24],
    keepsPresses: true,
    sendsOnce: true,
    cardsStay: true,
    addTo: (cli) => addTo(cli, town),
    turnPage: () => {
      page.number += 1;
    },
    member: (name) => memberOf(town, name, page),
    // A mark in the mailbox is for people: what was taken is known by the gateway alone.
    unconfirmed: () => undefined,
    listening: () => town.waitFor(() => town.cut.connected() > 0),
    holdIncoming: () => ({
      arrived: town.cut.when({ from: "client", at: /UID FETCH/, how: "stall" }),
      release: () => {},
    }),
    holdConfirming: () => undefined,
    holdSend: ({ place }, { when, wanted }) =>
      town.hold({ to: place, when, wanted: ({ text }) => wanted(text) }),
    dropSend: ({ place }) =>
      town.smtp.faults.add(
        "dot",
        { drop: true, kept: true },
        { times: 1, line: new RegExp(place) },
      ),
    // Whoever decides by mail waits for nothing.
    holdPressAnswer: () => ({ arrived: Promise.resolve(), release: () => {} }),
    clear: () => town.smtp.faults.clear(),
    close: () => town.close(),
  };
}

async function addTo(cli: CliRig, { agent, smtp, cut, dovecot, dns, password }: MailTown) {
  const file = join(cli.workspace, "../password");
  writeFileSync(file, password, { mode: 0o600 });
  const add = ["channel", "add", "email", "--skip-test", "--address", agent, "--pace", "off"];
  const servers = ["--imap", `imap://localhost:${cut.port}`, "--smtp", smtp.url, "--dns", dns.at];
  const rest = ["--ca", dovecot.caFile, "--password-file", file];
  const { code, err } = await cli.run([...add, ...servers, ...rest]);
  if (code !== 0) throw new Error(`channel add email: ${err}`);
}

/** One thread each for a round, without a subject: the agent takes each line for a step. Mails that ask never change, so those that were answered are known here. */
function memberOf(town: MailTown, name: string, page: { readonly number: number }): Member {
  const person = town.person(`${name}@example.test`, name);
  const answered = new Set<string>();
  const roots = new Map<number, string>();
  const writes = (letter: Writing) => {
    const root = roots.get(page.number);
    const thread = root ? { inReplyTo: root, references: [root] } : {};
    const sent = person.writes({ subject: "", ...thread, ...letter });
    if (!root) roots.set(page.number, sent.messageId);
    return sent;
  };
  const decide = (id: string, words: string) => person.replies(mailOf(person, id), words);
  return {
    name,
    place: person.address,
    says: (text) => `${uidValidityOf(town)}.${writes({ text }).uid}`,
    presses(card, label) {
      const button = card.buttons.find((one) => one.label === label);
      if (!button) throw new Error(`no ${label} in ${card.text}`);
      answered.add(card.id);
      decide(card.id, button.data);
    },
    pressesLate({ id }, { data }) {
      answered.add(id);
      const { messageId } = decide(id, data);
      return { answer: () => person.inbox.find((mail) => mail.inReplyTo === messageId)?.text };
    },
    heard: () => person.inbox.map((mail) => saidOf(mail, answered)),
    transcript: () => town.transcript(person.address),
  };
}

function mailOf({ inbox }: MailPerson, id: string): SeenMail {
  const mail = inbox.find(({ messageId }) => `<${messageId}>` === id);
  if (!mail) throw new Error(`nobody got ${id}`);
  return mail;
}

function saidOf({ messageId, text }: SeenMail, answered: ReadonlySet<string>): Said {
  const id = `<${messageId}>`;
  return { id, text, buttons: answered.has(id) ? [] : buttonsIn(text) };
}

/** What a reply may begin with. */
function buttonsIn(text: string): SaidButton[] {
  const [allow] = /allow \d+ [A-Z2-9]{4}/.exec(text) ?? [];
  const [deny] = /deny \d+ [A-Z2-9]{4}/.exec(text) ?? [];
  return [
    ...(allow ? [{ label: "Allow once", data: allow }] : []),
    ...(deny ? [{ label: "Deny", data: deny }] : []),
    ...(/A restart cut me off/.test(text) ? [{ label: "Retry", data: "retry" }] : []),
  ];
}

/** Dovecot numbers mails in the order in which they came. */
function uidValidityOf({ dovecot, agent }: MailTown): string {
  const file = join(dirname(dovecot.caFile), "mail", agent, "dovecot-uidlist");
  return /^3 V(\d+)/.exec(readFileSync(file, "utf8"))?.[1] ?? "";
}
