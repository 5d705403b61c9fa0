// Mails as large providers and usual servers send them: their order of fields, their folds, and what they sign.
import { type DomainKey, handSigned, rawMail } from "./mail-signed.ts";
import { agent, type MailWorld } from "./mail-world.ts";

export interface Provided {
  readonly what: string;
  readonly from: string;
  /** Of the newest signature first; BH, T and X stand for the hash of the body and two times. */
  readonly signatures: readonly (readonly [signer: string, tags: string])[];
  readonly fields: readonly string[];
  readonly body: string;
}

const text = "Please restart web1.\n";
const base64 = Buffer.from("Bitte starte web1 für Jörg.\r\n").toString("base64");
const twoParts = (boundary: string, preamble = "") =>
  `${preamble}--${boundary}\nContent-Type: text/plain; charset="UTF-8"\n\n${text}\n--${boundary}\nContent-Type: text/html; charset="UTF-8"\nContent-Transfer-Encoding: quoted-printable\n\n<div dir=3D"ltr">Please restart web1.</div>\n\n--${boundary}--\n`;
const gmailTags =
  "v=1; a=rsa-sha256; c=relaxed/relaxed;\r\n        d=legit.test; s=s1; t=T; x=X; darn=here.test;\r\n        h=to:subject:message-id:date:from:mime-version:from:to:cc:subject\r\n         :date:message-id:reply-to;\r\n        bh=BH";
const microsoftTags =
  "v=1; a=rsa-sha256; c=relaxed/relaxed; d=legit.test;\r\n s=s1;\r\n h=From:Date:Subject:Message-ID:Content-Type:MIME-Version:X-MS-Exchange-SenderADCheck;\r\n bh=BH";

export const provided: readonly Provided[] = [
  {
    what: "Gmail, written in a browser",
    from: "=?UTF-8?Q?J=C3=B6rg_M=C3=BCller?= <ana@legit.test>",
    signatures: [["legit.test", gmailTags]],
    fields: [
      'Content-Type: multipart/alternative; boundary="000000000000a1b2c3062f"',
      "X-Gm-Message-State: AOJu0Yx",
    ],
    body: twoParts("000000000000a1b2c3062f"),
  },
  {
    what: "Gmail, as plain text",
    from: "Ana <ana@legit.test>",
    signatures: [["legit.test", gmailTags]],
    fields: ['Content-Type: text/plain; charset="UTF-8"'],
    body: "if x = 1:\n> a = b\n",
  },
  {
    what: "Gmail, written in Apple Mail",
    from: "Ana <ana@legit.test>",
    signatures: [
      ["legit.test", gmailTags.replace("mime-version", "content-transfer-encoding:mime-version")],
    ],
    fields: [
      "Content-Type: text/plain;\r\n\tcharset=us-ascii",
      "Content-Transfer-Encoding: 7bit",
      "Mime-Version: 1.0 (Mac OS X Mail 16.0 \\(3774.600.62\\))",
      "X-Mailer: Apple Mail (2.3774.600.62)",
    ],
    body: text,
  },
  {
    what: "Gmail, written in Outlook",
    from: '"Ruiz, Ana" <ana@legit.test>',
    signatures: [["legit.test", gmailTags]],
    fields: [
      'Content-Type: multipart/alternative;\r\n\tboundary="----=_NextPart_000_0001_01DC5F1A.7B3C2D10"',
      "X-Mailer: Microsoft Outlook 16.0",
      "Content-Language: de",
      "Thread-Index: AQHcXxo",
    ],
    body: twoParts(
      "----=_NextPart_000_0001_01DC5F1A.7B3C2D10",
      "This is a multipart message in MIME format.\n\n",
    ),
  },
  {
    what: "Microsoft 365, HTML",
    from: '"Ruiz, Ana (Sales)" <ana@legit.test>',
    signatures: [["legit.test", microsoftTags]],
    fields: [
      'Content-Type: multipart/alternative;\r\n\tboundary="_000_AM0PR01MB1234ABCDAM0PR01MB1234eurp_"',
      "X-MS-Exchange-SenderADCheck: 1",
      "X-MS-Exchange-AntiSpam-Relay: 0",
      "Accept-Language: en-US",
      "Thread-Topic: Please",
    ],
    body: twoParts("_000_AM0PR01MB1234ABCDAM0PR01MB1234eurp_"),
  },
  {
    what: "Microsoft 365, plain text",
    from: "Ana Ruiz <ana@legit.test>",
    signatures: [["legit.test", microsoftTags]],
    fields: [
      'Content-Type: text/plain; charset="iso-8859-1"',
      "Content-Transfer-Encoding: quoted-printable",
    ],
    body: "Bitte starte web1 f=FCr J=F6rg, und zwar so bald wie m=F6glich, denn alle wa=\nrten.\n",
  },
  {
    what: "iCloud",
    from: "Ana <ana@legit.test>",
    signatures: [
      [
        "legit.test",
        "v=1; a=rsa-sha256; c=relaxed/relaxed; d=legit.test; s=s1; t=T; bh=BH; h=Content-Type:From:Mime-Version:Subject:Date:Message-Id:To:x-icloud-hme",
      ],
    ],
    fields: ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64"],
    body: `${base64}\n`,
  },
  {
    what: "Fastmail",
    from: "Ana <ana@legit.test>",
    signatures: [
      [
        "esp.test",
        "v=1; a=rsa-sha256; c=relaxed/relaxed; d=esp.test; h=cc\r\n\t:content-type:content-type:date:date:feedback-id:from:from\r\n\t:in-reply-to:message-id:mime-version:reply-to:subject:subject:to\r\n\t:to; s=s1; t=T; x=X; bh=BH",
      ],
      [
        "legit.test",
        "v=1; a=rsa-sha256; c=relaxed/relaxed; d=legit.test; h=\r\n\tcc:content-type:content-type:date:date:from:from:in-reply-to\r\n\t:message-id:mime-version:reply-to:subject:subject:to:to; s=s1; t=\r\n\tT; x=X; bh=BH",
      ],
    ],
    fields: ["Content-Type: text/plain", "Content-Transfer-Encoding: 7bit"],
    body: text,
  },
  {
    what: "Yahoo",
    from: "Ana Ruiz <ana@legit.test>",
    signatures: [
      [
        "legit.test",
        "v=1; a=rsa-sha256; c=relaxed/relaxed; d=legit.test; s=s1; t=T; bh=BH; h=Date:From:To:Subject:References:From:Subject:Reply-To",
      ],
    ],
    fields: ['Content-Type: multipart/alternative; \r\n\tboundary="----=_Part_1_2.3"'],
    body: twoParts("----=_Part_1_2.3"),
  },
  {
    what: "GMX, which names the user in i=",
    from: "Ana Ruiz <ana@legit.test>",
    signatures: [
      [
        "legit.test",
        "v=1; a=rsa-sha256; c=relaxed/relaxed; d=legit.test;\r\n\ts=s1; t=T; x=X; i=ana@legit.test;\r\n\tbh=BH;\r\n\th=X-UI-Sender-Class:MIME-Version:Message-ID:From:To:Subject:\r\n\t Content-Type:Date:cc:content-transfer-encoding:content-type:date:from:\r\n\t message-id:mime-version:reply-to:subject:to",
      ],
    ],
    fields: ["Content-Type: text/html; charset=UTF-8", "X-UI-Sender-Class: 01bb95c1"],
    body: "<html><head></head><body><div>Please restart web1.</div></body></html>\n",
  },
  {
    what: "Proton",
    from: "Ana <ana@legit.test>",
    signatures: [
      [
        "legit.test",
        "v=1; a=rsa-sha256; c=relaxed/relaxed; d=legit.test;\r\n\ts=s1; t=T; x=X;\r\n\tbh=BH;\r\n\th=Date:To:From:Subject:Message-ID:Feedback-ID:From:To:Cc:Date:\r\n\t Subject:Reply-To:Feedback-ID:Message-ID:BIMI-Selector",
      ],
    ],
    fields: [
      "Feedback-ID: 1234567:user:proton",
      'Content-Type: multipart/alternative;\r\n boundary="b1=_xy"',
    ],
    body: twoParts("b1=_xy", "This is a multi-part message in MIME format.\n\n"),
  },
  {
    what: "Thunderbird, Postfix and OpenDKIM",
    from: "=?UTF-8?Q?Ana_Mu=C3=B1oz?= <ana@legit.test>",
    signatures: [
      [
        "legit.test",
        "v=1; a=rsa-sha256; c=relaxed/relaxed; d=legit.test;\r\n\ts=s1; t=T;\r\n\tbh=BH;\r\n\th=Date:To:From:Subject:From",
      ],
    ],
    fields: [
      "User-Agent: Mozilla Thunderbird",
      "Content-Language: en-US",
      "Content-Type: text/plain; charset=UTF-8; format=flowed",
      "Content-Transfer-Encoding: 8bit",
    ],
    body: "Please restart web1.\n",
  },
  {
    what: "mutt, which says that its text is to be shown",
    from: "Ana Ruiz <ana@legit.test>",
    signatures: [
      [
        "legit.test",
        "v=1; a=rsa-sha256; c=relaxed/relaxed; d=legit.test; s=s1; t=T; bh=BH; h=Date:From:To:Subject",
      ],
    ],
    fields: ["Content-Type: text/plain; charset=us-ascii", "Content-Disposition: inline"],
    body: text,
  },
  {
    what: "Amazon SES",
    from: "Ana <ana@legit.test>",
    signatures: [
      [
        "legit.test",
        "v=1; a=rsa-sha256; q=dns/txt; c=relaxed/relaxed;\r\n\ts=s1; d=legit.test; t=T;\r\n\th=From:To:Subject:MIME-Version:Content-Type:Content-Transfer-Encoding:Message-ID:Date;\r\n\tbh=BH",
      ],
      [
        "esp.test",
        "v=1; a=rsa-sha256; q=dns/txt; c=relaxed/relaxed;\r\n\ts=s1; d=esp.test; t=T;\r\n\th=From:To:Subject:MIME-Version:Content-Type:Content-Transfer-Encoding:Message-ID:Date:Feedback-ID;\r\n\tbh=BH",
      ],
    ],
    fields: [
      "Content-Type: text/plain; charset=UTF-8",
      "Content-Transfer-Encoding: 7bit",
      "Feedback-ID: ::1.eu-west-1.abc=:AmazonSES",
    ],
    body: text,
  },
  {
    what: "Mailgun",
    from: "Ana <ana@legit.test>",
    signatures: [
      [
        "mail.legit.test",
        "a=rsa-sha256; v=1; c=relaxed/relaxed; d=mail.legit.test; q=dns/txt;\r\n s=s1; t=T; x=X;\r\n h=Content-Transfer-Encoding: Content-Type: Message-Id: To: To: From: From: Subject: Subject: Mime-Version: Date: Sender: Sender;\r\n bh=BH",
      ],
    ],
    fields: [
      "Sender: ana@legit.test",
      "Content-Type: text/plain; charset=ascii",
      "Content-Transfer-Encoding: 7bit",
    ],
    body: text,
  },
];

/** As it comes out of the provider, a server or two later. */
export function sent(world: MailWorld, one: Provided): Buffer {
  const now = Math.floor(Date.now() / 1000);
  const date = new Date().toUTCString().replace("GMT", "+0000 (Coordinated Universal Time)");
  const version = one.fields.some((field) => /^mime-version:/i.test(field));
  const lines = [
    ...(version ? [] : ["MIME-Version: 1.0"]),
    `From: ${one.from}`,
    `Date: ${date}`,
    `Message-ID: <${Math.random()}@legit.test>`,
    "Subject: =?UTF-8?B?V2ViMQ==?=\r\n please",
    `To: =?iso-8859-1?Q?The_Agent?=\r\n\t<${agent}>`,
    ...one.fields,
  ];
  const times = (tags: string) =>
    tags.replace(/\bT\b/, String(now - 5)).replace(/\bX\b/, String(now + 604_800));
  const keyOf = (signer: string): DomainKey => world.key(signer);
  const mail = one.signatures.reduceRight(
    (raw, [signer, tags]) => handSigned(raw, keyOf(signer), times(tags)),
    rawMail(lines, one.body),
  );
  const received =
    "Received: from mta.legit.test (mta.legit.test [192.0.2.1])\r\n\tby mx.here.test (Postfix) with ESMTPS id 4XyZ\r\n\tfor <agent@here.test>; Tue,  2 Dec 2025 10:00:00 +0000 (UTC)\r\n";
  return Buffer.concat([Buffer.from(`Return-Path: <ana@legit.test>\r\n${received}`), mail]);
}
