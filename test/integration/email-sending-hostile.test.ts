// Whatever strangers, agents and file names hold, a mail has our headers, one receiver, and the text that was meant.
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { render } from "../../channels/email/outbound.ts";
import { echoOf } from "../../channels/email/threads.ts";
import { agent, ana, headerOf, headersOf, senderRig } from "../fakes/mail-sender-rig.ts";

const nasty = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        ...[
          "\r\n",
          "\r",
          "\n",
          "\0",
          "\u2028",
          "\u0085",
          "\u000b",
          "\t",
          " ",
          ">",
          "<",
          ",",
          ";",
          ":",
        ],
        ...[
          '"',
          "\\",
          "@",
          "(",
          ")",
          "=?utf-8?Q?=0D=0ABcc:_x@y.z?=",
          "=?UTF-8?B?DQpCY2M6IHhAeS56?=",
        ],
        ...[
          "Bcc: eve@example.com",
          "To: eve@example.com",
          "\r\n\r\n",
          "\r\n.\r\n",
          "RCPT TO:<eve@example.com>",
        ],
        ...[
          "<eve@example.com>",
          "eve@example.com",
          "X-Evil: 1",
          "\ud800",
          "\u202e",
          "ü",
          "a",
          "Re: ",
          "--_NmP-",
        ],
      ),
      { maxLength: 12 },
    )
    .map((pieces) => pieces.join("")),
);
const hostile = fc.record({
  subject: nasty,
  address: fc.oneof(nasty, fc.constant("ANA@example.org")),
  messageId: fc.oneof(
    nasty,
    nasty.map((text) => `<${text}@x.y>`),
  ),
  references: fc.array(
    fc.oneof(
      nasty,
      nasty.map((text) => `<${text}@x.y>`),
    ),
    { maxLength: 5 },
  ),
  replyTo: fc.oneof(
    nasty,
    nasty.map((text) => `<${text}@x.y>`),
  ),
  text: nasty,
  name: nasty,
  mime: nasty,
  key: nasty,
  known: fc.boolean(),
});

const usual = ["from", "to", "subject", "message-id", "date", "mime-version", "content-type"];
const ours = new Set([...usual, "auto-submitted", "x-auto-response-suppress"]);
const maybe = new Set([...ours, "in-reply-to", "references", "content-transfer-encoding"]);
/** Of ours; no address is in it. */
const idList = /^<[\x21-\x3b\x3d\x3f-\x7e]+>(?: <[\x21-\x3b\x3d\x3f-\x7e]+>)*$/;

it("nothing of a hostile mail, part or file reaches a header or the envelope", {
  timeout: 120_000,
}, async (test) => {
  const rig = await senderRig(test);
  const file = await rig.file("x", "content");
  await fc.assert(
    fc.asyncProperty(hostile, async ({ text, name, mime, replyTo, key, known, ...heard }) => {
      const { thread: _, ...chat } = await rig.hear({ ...heard, account: ana });
      const to = known ? await rig.hear({ ...heard, account: ana }) : chat;
      const echo = known ? { echo: echoOf(heard) } : {};
      const [part] = await render(text);
      const given = {
        plain: text,
        ...part,
        file: { ...file, name, mime },
        along: [{ ...file, name }],
      };
      const mail = await rig.sent(
        to,
        { ...given, replyTo: { chat: ana, id: replyTo, ...echo } },
        key,
      );
      assert.equal(mail.from, agent);
      assert.equal(mail.to.length, 1);
      assert.equal(mail.to[0]?.toLowerCase(), ana);
      const headers = headersOf(mail);
      const names = headers.map(([header]) => header);
      assert.equal(new Set(names).size, names.length, names.join());
      for (const header of ours) assert.ok(names.includes(header), header);
      for (const header of names) assert.ok(maybe.has(header), header);
      for (const [header, value] of headers) assert.match(value, /^[\x20-\x7e]*$/, header);
      assert.equal(headerOf(mail, "to"), mail.to[0]);
      assert.equal(headerOf(mail, "from"), `Sally <${agent}>`);
      assert.match(headerOf(mail, "message-id") ?? "", /^<[\w.-]+@sally\.test>$/);
      for (const header of ["in-reply-to", "references"])
        assert.match(headerOf(mail, header) ?? "<none>", idList);
      assert.equal(mail.parsed.attachments.length, 2);
      for (const { content, disposition, filename } of mail.parsed.attachments) {
        assert.equal(Buffer.from(content as ArrayBuffer).toString(), "content");
        assert.equal(disposition, "attachment");
        assert.doesNotMatch(filename ?? "", /[\p{Cc}/\\\u202e]/u);
      }
      assert.doesNotMatch(mail.parsed.subject ?? "", /[\p{Cc}\u202e\u2028]/u);
    }),
    { numRuns: 150 },
  );
});

it("what looks like the end of a mail, or a command, arrives as text", async (test) => {
  const rig = await senderRig(test);
  const to = await rig.hear();
  const plain = "one\n.\nQUIT\n..\nFrom here\n\n.\n-- \nBcc: eve@example.com";
  const mail = await rig.sent(to, { plain });
  assert.equal(mail.parsed.text?.replace(/\n$/, ""), plain);
  assert.equal(rig.smtp.mails.length, 1);
});
