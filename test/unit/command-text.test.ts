// Commands in our own texts, as each channel's people type them.
import assert from "node:assert/strict";
import { it } from "node:test";
import { channel as slack } from "../../channels/slack/index.ts";
import { channel as telegram } from "../../channels/telegram/index.ts";
import { typed, writeCommands } from "../../src/core/command-text.ts";

const text = `Send ${typed("help")}, or \`${typed("resume 2")}\`. /help of somebody else stays.`;

it("writes a command with a slash where that reaches us", () => {
  assert.equal(
    writeCommands(text, telegram.writeCommand),
    "Send /help, or `/resume 2`. /help of somebody else stays.",
  );
});

it("writes it on Slack behind the one command that is ours there", () => {
  assert.equal(
    writeCommands(text, slack.writeCommand),
    "Send /sallyport help, or `/sallyport resume 2`. /help of somebody else stays.",
  );
});
