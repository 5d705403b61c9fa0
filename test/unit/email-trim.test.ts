// What is cut from a mail and, more important, what is not: a person's own words.
import assert from "node:assert/strict";
import { it } from "node:test";
import { isForward, isReply } from "../../channels/email/quote-words.ts";
import { historyMark, newText, quoteMark } from "../../channels/email/trim.ts";

const reply = { reply: true, forward: false };
const first = { reply: false, forward: false };
const forward = { reply: false, forward: true };
const wrote = "On Mon, Oct 5, 2026 at 10:00 AM Ana Ruiz <ana@example.org> wrote:";

const own = {
  "On behalf of": "On behalf of the whole team, thanks!\nOn Monday Ana wrote a test: it fails.",
  "an address with wrote:":
    "See https://example.org/wrote: it says\nOn 5 Oct it broke, as Leo wrote:\n\nthe disk is full",
  "a phone in a sentence": "Sent from my desk, the build fails",
  "a phone that crashes": "The app fails.\n\nSent from my iPhone crashes the parser",
  "a phone first": "Sent from my iPhone: does this arrive whole?\n\nPlease say.",
  "what stands after a phone":
    "Hi\n\nSent from my iPhone\n\nAnd now from the laptop: restart web1.",
  "a greeting in the middle": "Best regards\n\nshould stand at the end of the letter.",
  "a greeting with more than a name":
    "Deploy it.\n\nKind regards\nplease also restart web1 and tell me when it is up again.",
  "a request after the name": "Deploy it.\n\nRegards,\nAna\n\nPS: and restart web1.",
  "code with >": "Why does this print twice?\n\n```\n> npm test\n> node --test\n```",
  "a shell session": "I typed this:\n> npm test\n> node --test",
  "quoted words of a first mail": "What does this mean?\n\n> the disk is full",
  "a header block to be sent":
    "Write a mail:\nTo: leo@example.org\nSubject: Party\n\nCome at eight.",
  "fields without a date":
    "From: the kitchen\nTo: the hall\nSubject: moving\n\nHow long does it take?",
  rules: "one\n\n----\n\ntwo\n\n====\n\nthree\n\n____\n\nfour",
  "a list with pluses": "++\n\nyes",
  "two dashes far from the end": `a\n--\n${"line\n".repeat(40)}end`,
  "a patch":
    "Apply this:\n\ndiff --git a/q.sql b/q.sql\n@@ -1,3 +1,2 @@\n select 1;\n-- \n select 2;",
  "a colon at the end":
    "On Tuesday 5.10.2026 at 10:00 do the following:\n\nrestart web1\n\nThen tell me",
  yaml: "---\non:\n  push:\n    branches: [main]\n---",
  "a name and a colon": "Ana Ruiz:\n\nplease restart web1",
  "Op in Dutch": "Op dit moment werkt niets.\n\nJan schreef het zo op:\n\nalles is stuk",
  "an original message of one's own":
    "The original message was lost.\nOriginal message: restart web1",
};

for (const [what, text] of Object.entries(own))
  it(`keeps ${what}`, () => {
    assert.equal(newText(text, first), text);
    assert.equal(newText(`${text}\n\n${wrote}\n> old\n`, reply), text);
  });

it("cuts what is quoted at the end of an answer without an introduction", () => {
  assert.equal(newText("Yes.\n\n> Shall I?\n> Really?\n", reply), "Yes.");
});

it("keeps it in a mail that answers nothing", () => {
  assert.equal(newText("Yes.\n\n> Shall I?", first), "Yes.\n\n> Shall I?");
});

it("cuts at the rule and the header of Outlook, also in bold and with folds", () => {
  const block = [
    "________________________________",
    "*From:* Ana Ruiz <ana@example.org>",
    "*Sent:* Monday, October 5, 2026 10:00 AM",
    "*To:* Bot <bot@example.net>; Leo Berg",
    "  <leo@example.org>; Max <max@example.org>",
    "*Subject:* Build",
    "",
    "Which branch?",
  ].join("\n");
  assert.equal(newText(`Main.\n\n${block}`, reply), "Main.");
  assert.equal(newText(`Main.\n${block}`, reply), "Main.");
});

it("keeps a mail that somebody put into a new one", () => {
  const block =
    "From: Leo <leo@example.org>\nSent: Monday, October 5, 2026 10:00 AM\nTo: Ana\nSubject: Plan\n\nThe plan.";
  for (const text of [block, `Sum this up:\n\n${block}`]) {
    assert.equal(newText(text, first), text);
    assert.doesNotMatch(newText(text, reply), /plan/);
  }
});

it("cuts several layers at the first", () => {
  const older = `${wrote}\n> a\n>> On 4 Oct 2026, at 09:00, Leo <leo@example.org> wrote:\n>> b`;
  assert.equal(newText(`Main.\n\n${older}\n`, reply), "Main.");
});

it("cuts history under a short signature, and the signature", () => {
  assert.equal(newText(`Main.\n-- \nAna Ruiz\nExample Ltd\n\n${wrote}\n> a`, reply), "Main.");
  assert.equal(newText(`Main.\n\n--\nAna Ruiz\n`, first), "Main.");
});

it("cuts greetings with a name and how to reach it", () => {
  const card =
    "Mit freundlichen Grüßen\n\nAna Ruiz\nLeitung Technik\nTel.: +49 30 123456\nhttps://example.org";
  assert.equal(newText(`Bitte prüfen.\n\n${card}\n`, first), "Bitte prüfen.");
  assert.equal(newText("Go.\n\nCheers,\nAna", first), "Go.");
  assert.equal(newText("Vas-y.\n\nBien cordialement,\nAna de la Cruz", first), "Vas-y.");
});

for (const phone of [
  "Sent from my iPhone",
  "Sent from my BlackBerry 10 smartphone.",
  "Sent via BlackBerry by AT&T",
  "Sent from my Samsung Galaxy smartphone.",
  "Sent from Yahoo Mail on Android",
  "Sent from Yahoo Mail for iPhone",
  "Sent from Mail for Windows",
  "Sent from Outlook for iOS<https://aka.ms/o0ukef>",
  "Get Outlook for Android [https://aka.ms/AAb9ysg]",
  "Sent from Proton Mail for iOS",
  "Gesendet von Outlook für Android",
  "Gesendet mit der GMX Mail App",
  "Diese Nachricht wurde von meinem Android Mobiltelefon mit WEB.DE Mail gesendet.",
  "Envoyé depuis mon appareil Samsung",
  "Télécharger Outlook pour iOS",
  "Enviado desde mi iPad",
  "Obtener Outlook para Android",
  "Inviato da Yahoo Mail su Android",
  "Enviado do meu iPhone",
  "Verzonden vanaf Outlook voor Android",
  "Verstuurd vanaf mijn iPad",
  "Sendt fra min iPad",
  "Hent Outlook til Android",
  "Skickat från Outlook för iOS",
  "Hämta Outlook för Android",
  "Lähetetty Outlookista",
  "Hanki Outlook Androidille",
  "Wysłane z iPada",
  "Wysłane z aplikacji Outlook dla systemu Android",
  "Отправлено из мобильной Почты Mail.ru",
  "Отправлено с моего Samsung Galaxy",
])
  it(`cuts "${phone}"`, () => {
    assert.equal(newText(`Restart web1.\n\n${phone}\n`, first), "Restart web1.");
    assert.equal(newText(`${phone}\n\n${wrote}\n> a`, reply), "");
  });

it("keeps all of what was handed on", () => {
  const block =
    "Summarise this, please.\n\nFrom: Leo <leo@example.org>\nSent: Monday, October 5, 2026 10:00 AM\nTo: Ana\nSubject: Plan\n\nThe plan.";
  assert.equal(newText(block, forward), block);
  const gmail = `Summarise this.\n\n---------- Forwarded message ---------\nFrom: Leo <leo@example.org>\nDate: Mon, Oct 5, 2026 at 10:00 AM\nSubject: Plan\nTo: Ana\n\nThe plan.`;
  assert.equal(newText(gmail, first), gmail);
  assert.equal(newText(gmail, reply), gmail);
});

it("knows answers and what was handed on by their subjects", () => {
  for (const subject of [
    "Fwd: x",
    "FW: x",
    "WG: Re: x",
    "TR : x",
    "RV: x",
    "I: x",
    "ENC: x",
    "Doorst: x",
    "PD: x",
  ])
    assert.equal(isForward(subject), true, subject);
  for (const subject of ["Re: Fwd: x", "AW: x", "Forward: march", "In: x", "Trouble: x", "Wgt: x"])
    assert.equal(isForward(subject), false, subject);
  for (const subject of ["Re: x", "RE[2]: x", "AW: x", "SV: x", "Odp: x", "Ответ: x", "Re : x"])
    assert.equal(isReply(subject), true, subject);
  for (const subject of ["Reset: x", "Awful: x", "Red", "x"])
    assert.equal(isReply(subject), false, subject);
});

it("cuts where the HTML marks a quote whose language nobody knows", () => {
  const marked = `New.\n\n${quoteMark}\nUnknown words of some language\n\n> old\n`;
  assert.equal(newText(marked, reply), "New.");
  assert.equal(newText(`New.\n\n${historyMark}\nfoo\nbar\n`, reply), "New.");
  assert.equal(newText(`New.\n\n${quoteMark}\nfoo\n\n> old\n\nBelow.\n`, reply), "New.\n\nBelow.");
});

it("shows no mark of ours, wherever it stands", () => {
  for (const about of [first, reply, forward])
    assert.doesNotMatch(
      newText(`> ${quoteMark}\na ${historyMark} b\n${quoteMark}`, about),
      /[\ufdd0\ufdd1]/,
    );
});

const floods = {
  "quoted lines": "> quoted text of an older mail\n".repeat(33_000),
  "one quoted line": `> ${"x".repeat(1_000_000)}`,
  "one long line": "On ".repeat(330_000),
  "a long line that ends like an introduction": `On ${"1 ".repeat(500_000)} wrote:`,
  introductions: "On Mon, Oct 5, 2026 Ana wrote:\n\n".repeat(30_000),
  "introductions of nothing": "On Mon 10:00 2026 a wrote :\nno\n".repeat(30_000),
  "beginnings of introductions": "On Mon, Oct 5, 2026 at 10:00 AM Ana\n".repeat(28_000),
  "dates that end with a colon": "x 05.10.2026 10:00 y:\n".repeat(45_000),
  "addresses that end with a colon": "Ana <ana@example.org>:\n".repeat(40_000),
  "Dutch words": "Op de schreef \n".repeat(60_000),
  "quoted introductions with answers":
    "> On Mon, Oct 5, 2026 Ana <a@b.example> wrote:\nyes\n".repeat(20_000),
  labels: "From: a\n".repeat(120_000),
  "labels and dates": "From: a\nDate: b\n".repeat(60_000),
  "blank lines": "\n".repeat(1_000_000),
  spaces: " ".repeat(1_000_000),
  "greater signs": ">".repeat(1_000_000),
  "signature lines": "-- \n".repeat(250_000),
  dashes: "-".repeat(1_000_000),
  underscores: "____\n".repeat(200_000),
  greetings: "Cheers\n\n".repeat(120_000),
  phones: "Sent from my iPhone\n".repeat(50_000),
  fences: "```\n".repeat(250_000),
  marks: `${quoteMark}\n`.repeat(250_000),
  "forward marks": "--- Forwarded message\n".repeat(1).concat("> x\ny\n".repeat(150_000)),
};

/** Of this process, so that a busy machine is not taken for a slow pattern. */
function millisecondsFor(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user / 1000;
}

for (const [what, text] of Object.entries(floods))
  it(`takes a megabyte of ${what} as it comes`, () => {
    for (const about of [reply, first, forward]) {
      const quarter = millisecondsFor(() => newText(text.slice(0, text.length / 4), about));
      const whole = millisecondsFor(() => newText(text, about));
      assert.ok(whole < 1200, `${whole} ms`);
      // In proportion; what takes next to no time tells nothing.
      assert.ok(whole < Math.max(400, 8 * quarter), `${quarter} and ${whole} ms`);
    }
  });
