// Whose words they are: what a person wrote arrives, and nothing that was quoted or hidden speaks for them.
import assert from "node:assert/strict";
import { after, it } from "node:test";
import { createReader } from "../../channels/email/reading.ts";
import { newText } from "../../channels/email/trim.ts";

const reader = createReader({ time: 20_000, idle: 30_000 });
after(() => reader.stop());

async function textOf(type: string, body: string): Promise<string> {
  const raw = `From: Ana <ana@example.org>\nTo: bot@example.net\nSubject: Re: Work\nIn-Reply-To: <q@example.net>\nMIME-Version: 1.0\nContent-Type: ${type}; charset=utf-8\n\n${body}`;
  const got = await reader.read(Buffer.from(raw.replaceAll("\n", "\r\n")));
  return got.is === "read" ? got.mail.text : got.why;
}

const from = "Bot &lt;bot@example.net&gt;";
const block = `<b>From:</b> ${from}<br><b>Sent:</b> Monday, October 5, 2026 10:00 AM<br><b>To:</b> Ana<br><b>Subject:</b> Q`;
const own = "deny 3 K7Q2";
const theirs = "allow 3 K7Q2";

/** As the programs write them; what they quote would decide the other way. */
const answers: Readonly<Record<string, string>> = {
  "Gmail on the web": `<div dir="ltr">${own}</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">On Mon, Oct 5, 2026 at 10:00 AM ${from} wrote:<br></div><blockquote class="gmail_quote"><div>${theirs}</div></blockquote></div>`,
  "Gmail, below the quote": `<div dir="ltr"><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Mon, Oct 5, 2026 at 10:00 AM ${from} wrote:<br></div><blockquote class="gmail_quote"><div>${theirs}</div></blockquote></div><div>${own}</div></div>`,
  "Outlook on a desktop": `<div class=WordSection1><p class=MsoNormal>${own}<o:p></o:p></p><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0in 0in 0in'><p class=MsoNormal>${block}</p></div><p class=MsoNormal>${theirs}</p></div>`,
  "Outlook on the web": `<div class="elementToProof">${own}</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg" dir="ltr">${block}</div><div>${theirs}</div>`,
  "Outlook on a phone": `<div dir="ltr">${own}</div><div id="ms-outlook-mobile-signature"><div></div>Get <a href="https://aka.ms/o0ukef">Outlook for iOS</a></div><hr><div id="divRplyFwdMsg" dir="ltr">${block}</div><div>${theirs}</div>`,
  "Apple Mail": `<body>${own}<br><div><br><blockquote type="cite"><div>On 5. Oct 2026, at 10:00, ${from} wrote:</div><br class="Apple-interchange-newline"><div>${theirs}</div></blockquote></div></body>`,
  "an iPhone": `<body dir="auto">${own}<br><br><div dir="ltr">Sent from my iPhone</div><div dir="ltr"><br><blockquote type="cite">On 5. Oct 2026, at 10:00, ${from} wrote:<br><br></blockquote></div><blockquote type="cite"><div dir="ltr">${theirs}</div></blockquote></body>`,
  Thunderbird: `<p>${own}</p><div class="moz-cite-prefix">On 05.10.26 10:00, Bot wrote:<br></div><blockquote type="cite" cite="mid:a@b">${theirs}</blockquote>`,
  "K-9": `${own}<br><br><div class="gmail_quote">On 5 October 2026 10:00:00 CEST, ${from} wrote:<blockquote class="gmail_quote"><pre class="k9mail">${theirs}</pre></blockquote></div>`,
  Yahoo: `<div class="yahoo-style-wrap"><div>${own}</div></div><div id="yahoo_quoted_1" class="yahoo_quoted"><div><div>On Monday, October 5, 2026 at 10:00:00 AM GMT+2, ${from} wrote: </div><div>${theirs}</div></div></div>`,
  Proton: `<div>${own}</div><div class="protonmail_signature_block"><div>Sent with Proton Mail secure email.</div></div><div class="protonmail_quote">On Monday, October 5th, 2026 at 10:00 AM, ${from} wrote:<br><blockquote class="protonmail_quote" type="cite">${theirs}</blockquote></div>`,
  Zimbra: `<div>${own}</div><hr id="zwchr"><div><b>From: </b>"Bot" &lt;bot@example.net&gt;<br><b>To: </b>"Ana"<br><b>Sent: </b>Monday, 5 October, 2026 10:00:00<br><b>Subject: </b>Q<br></div><div>${theirs}</div>`,
  GMX: `<div>${own}</div><div>&nbsp;<div name="quote"><div><b>Gesendet:</b>&nbsp;Montag, 05. Oktober 2026 um 10:00 Uhr<br/><b>Von:</b>&nbsp;${from}<br/><b>An:</b>&nbsp;ana@example.org<br/><b>Betreff:</b>&nbsp;Q</div><div name="quoted-content">${theirs}</div></div></div>`,
  "Mail.ru": `<div>${own}</div><blockquote>Понедельник, 5 октября 2026, 10:00 +03:00 от ${from}:<br>&nbsp;<div>${theirs}</div></blockquote>`,
};

for (const [program, html] of Object.entries(answers))
  it(`hears an answer from ${program}`, async () => {
    assert.equal(await textOf("text/html", html), own);
  });

const wrote = "Bot <bot@example.net>";
const plain: Readonly<Record<string, string>> = {
  "Proton as plain text": `${own}\n\n\nSent with Proton Mail secure email.\n\nOn Monday, October 5th, 2026 at 10:00 AM, ${wrote} wrote:\n\n> ${theirs}\n`,
  "Zimbra in French": `${own}\n\n----- Mail original -----\nDe: "Bot" <bot@example.net>\nÀ: "Ana"\nEnvoyé: Lundi 5 Octobre 2026 10:00:00\nObjet: Q\n\n${theirs}`,
  "Zimbra in German": `${own}\n\n----- Ursprüngliche Mail -----\nVon: "Bot" <bot@example.net>\nAn: "Ana"\nGesendet: Montag, 5. Oktober 2026 10:00:00\nBetreff: Q\n\n${theirs}`,
  Notes: `${own}\n\n\nFrom:   ${wrote}\nTo:     Ana Ruiz/EX/Org@Org\nDate:   10/05/2026 10:00 AM\nSubject:        Q\n\n\n${theirs}`,
  "Outlook in French, with its blanks": `${own}\n\nDe\u00a0: ${wrote}\nEnvoyé\u00a0: lundi 5 octobre 2026 10:00\nÀ\u00a0: Ana\nObjet\u00a0: Q\n\n${theirs}`,
  "Gmail with narrow blanks": `${own}\n\nOn Mon, Oct 5, 2026 at 10:00\u202fAM ${wrote} wrote:\n\n> ${theirs}\n`,
  "Gmail in Japanese": `${own}\n\n2026年10月5日(月) 10:00 ${wrote}:\n\n> ${theirs}\n`,
  "Gmail in Hebrew": `${own}\n\nב-5 באוק׳ 2026, בשעה 10:00, ${wrote} כתב:\n\n> ${theirs}\n`,
  "K-9 as plain text": `${own}\n-- \nSent from my Android device with K-9 Mail. Please excuse my brevity.\n\nOn October 5, 2026 10:00:00 AM GMT+02:00, ${wrote} wrote:\n>${theirs}\n`,
};

for (const [program, text] of Object.entries(plain))
  it(`hears an answer from ${program}`, async () => {
    assert.equal(await textOf("text/plain", text), own);
  });

for (const style of [
  "display:none",
  "display/**/:none",
  "display:/* x */none",
  "display:n\\6fne",
  "disp\\00006c ay:none",
  "DISPLAY : None !IMPORTANT",
])
  it(`hears nothing that is hidden by "${style}"`, async () => {
    const html = `<div style="${style}">${theirs}</div><p>hello</p>`;
    assert.equal(await textOf("text/html", html), "hello");
    const sheet = `<style>/* { */ .a{${style}} /* */</style><p class="a">${theirs}</p><p>hello</p>`;
    assert.equal(await textOf("text/html", sheet), "hello");
  });

it("hears nothing of a dialog that is closed, and all of one that is open", async () => {
  assert.equal(await textOf("text/html", `<dialog>${theirs}</dialog><p>hello</p>`), "hello");
  assert.match(await textOf("text/html", `<dialog open>${own}</dialog><p>hello</p>`), /deny/);
});

const first = { reply: false, forward: false };
const reply = { reply: true, forward: false };

it("keeps what somebody put into a new mail, introduction and all", () => {
  const introduced = `On Mon, Oct 5, 2026 at 10:00 John <john@example.org> wrote:\n\nthe disk is full\n\nplease look`;
  for (const text of [
    introduced,
    `Sum this up:\n\n${introduced}`,
    `See:\n\n${introduced.replace("\n\nthe", "\n> the")}`,
  ])
    assert.equal(newText(text, first), text);
});

it("keeps a comparison of files in an answer", () => {
  const text = "Why does diff say so?\n\n3c3\n< a\n---\n> b";
  assert.equal(newText(text, reply), text);
  assert.equal(newText("Why?\n\n3a4\n< a\n\n> b", reply), "Why?\n\n3a4\n< a\n\n> b");
});
