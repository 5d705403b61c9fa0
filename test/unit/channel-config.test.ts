// What `config set` writes for a channel's own keys is text: the channel takes it as what it means.
import assert from "node:assert/strict";
import { it } from "node:test";
import { configSchema as discord } from "../../channels/discord/config.ts";
import { configSchema as email } from "../../channels/email/config.ts";
import { configSchema as slack } from "../../channels/slack/config.ts";
import { configSchema as telegram } from "../../channels/telegram/config.ts";

const token = "123456789:AAAAAAAAAAAAAAAAAAAAAAAA";
const mailbox = {
  address: "agent@example.org",
  imap: "imaps://imap.example.org",
  smtp: "smtps://smtp.example.org",
  password: "secret",
};

it("takes numbers, switches and lists of a channel as the words that were typed", () => {
  assert.equal(telegram.parse({ token, pollSeconds: "10" }).pollSeconds, 10);
  const bot = { token: `${"A".repeat(24)}.${"B".repeat(6)}.${"C".repeat(27)}` };
  assert.equal(discord.parse({ ...bot, deafSeconds: "60" }).deafSeconds, 60);
  assert.equal(discord.parse({ ...bot, allowBots: "on" }).allowBots, true);
  assert.equal(discord.parse({ ...bot, allowBots: "false" }).allowBots, false);
  const app = { token: "xoxb-1234567890-abcdef", signingSecret: "0123456789abcdef" };
  assert.equal(slack.parse({ ...app, checkSeconds: "5" }).checkSeconds, 5);
  const read = email.parse({ ...mailbox, idleSeconds: "30", arcSealers: "a.example, b.example" });
  assert.deepEqual([read.idleSeconds, read.arcSealers], [30, ["a.example", "b.example"]]);
});

it("refuses words that are no number, switch or list of domains", () => {
  assert.throws(() => telegram.parse({ token, pollSeconds: "soon" }), /pollSeconds/);
  assert.throws(() => email.parse({ ...mailbox, arcSealers: "not a domain!" }), /arcSealers/);
  assert.throws(() => email.parse({ ...mailbox, password: undefined }), /needs a password/);
});
