// Slack's way to write what people typed, and what they typed.
import assert from "node:assert/strict";
import { it } from "node:test";
import { toInboundEvent } from "../../channels/slack/inbound.ts";
import { readable, withCommand, withoutMention } from "../../channels/slack/text.ts";
import { codeIn } from "../../src/access/codes.ts";
import type { InboundMessage } from "../../src/core/events.ts";
import { commandIn } from "../../src/turns/words.ts";

const names: Record<string, string> = { UBEN: "Ben" };

function textOf(text: string): string {
  const event = { type: "message", channel: "C1", user: "UANA", ts: "1760000000.000100", text };
  const found = toInboundEvent(
    { type: "event_callback", event },
    {
      me: { team: "T1", user: "UBOT" },
      replies: "channel",
      nameOf: (id) => names[id],
      dmOf: () => undefined,
      now: Date.now,
    },
  );
  return (found as InboundMessage).text;
}

const texts: [string, string][] = [
  ["<@UBOT> join K7Q2-9XF4", "join K7Q2-9XF4"],
  ["\n<@UBOT|sallyport> join “K7Q2-9XF4”", "join “K7Q2-9XF4”"],
  ["join\u00A0K7Q2-9XF4", "join K7Q2-9XF4"],
  ["<@UBOT>: !stop now", "/stop now"],
  ["!tasks", "/tasks"],
  ["!!", "!!"],
  ["!5 of them", "!5 of them"],
  [" /tasks", " /tasks"],
  ["read <http://notes.md|notes.md> please", "read notes.md please"],
  ["<https://x.y|x.y>", "x.y"],
  ["<https://x.y/?a=1&amp;b=2>", "https://x.y/?a=1&b=2"],
  ["<https://x.y/long|the docs>", "the docs (https://x.y/long)"],
  ["<mailto:a@b.cd|a@b.cd>", "a@b.cd"],
  ["ask <@UBEN> in <#C2|general> or <!here>", "ask @Ben in #general or @here"],
  ["<@UNEW> <!subteam^S1|@ops> <#C3>", "@UNEW @ops #C3"],
  ["a &amp;lt; b &lt;c&gt;", "a &lt; b <c>"],
  ["tell <@UBOT> that", "tell @me that"],
  ["thanks <@UBOT>", "thanks"],
  ["<@UBOT> <@UBOT> twice <@UBOT>", "twice"],
];
for (const [raw, wanted] of texts)
  it(`reads ${JSON.stringify(raw)}`, () => assert.equal(textOf(raw), wanted));

it("decodes once, wherever signs stand", () => {
  assert.equal(
    readable("&amp;amp;", () => undefined),
    "&amp;",
  );
  assert.equal(
    readable("<https://a.b|&lt;c&gt;>", () => undefined),
    "<c> (https://a.b)",
  );
  assert.equal(withoutMention("x", "UBOT"), "x");
  assert.equal(withCommand("say !stop"), "say !stop");
});

it("leaves commands and codes as the middle reads them", () => {
  for (const raw of ["<@UBOT>\u00A0!stop", "!stop", " /stop", "\n<@UBOT|sallyport>  !STOP"])
    assert.equal(commandIn({ text: textOf(raw) })?.name, "stop", raw);
  for (const raw of ["allow 3", "<@UBOT> deny #3 because …", "retry"])
    assert.ok(commandIn({ text: textOf(raw) }), raw);
  for (const raw of [
    "<@UBOT|sallyport> join K7Q2-9XF4",
    "\n join\u00A0“K7Q2-9XF4”",
    "join `K7Q2-9XF4`",
    "join *K7Q2-9XF4*.",
  ])
    assert.ok(codeIn(textOf(raw)), raw);
});
