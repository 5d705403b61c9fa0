// The app manifest of the guide, held against what the channel calls, hears and offers.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { it } from "node:test";
import { parse } from "yaml";
import { configSchema } from "../../channels/slack/config.ts";
import { groupMenu, menu } from "../../src/turns/words.ts";

const guide = readFileSync("docs/guides/slack.md", "utf8");
const code = globSync("channels/slack/*.ts")
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

interface Manifest {
  readonly features: {
    readonly app_home: Readonly<Record<string, boolean>>;
    readonly slash_commands: readonly { readonly command: string; readonly usage_hint: string }[];
  };
  readonly oauth_config: { readonly scopes: { readonly bot: readonly string[] } };
  readonly settings: {
    readonly event_subscriptions: { readonly bot_events: readonly string[] };
    readonly interactivity: { readonly is_enabled: boolean };
    readonly socket_mode_enabled: boolean;
  };
}

const manifest = parse(/```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? "") as Manifest;
const scopes = manifest.oauth_config.scopes.bot;
const events = manifest.settings.event_subscriptions.bot_events;

/** As Slack documents them. */
const scopesOfMethods: Record<string, readonly string[]> = {
  "auth.test": [],
  "chat.postMessage": ["chat:write"],
  "chat.postEphemeral": ["chat:write"],
  "chat.update": ["chat:write"],
  "chat.delete": ["chat:write"],
  "conversations.open": ["im:write"],
  "conversations.info": ["channels:read", "groups:read"],
  "conversations.history": ["channels:history", "groups:history", "im:history", "mpim:history"],
  "conversations.replies": ["channels:history", "groups:history", "im:history", "mpim:history"],
  "files.getUploadURLExternal": ["files:write"],
  "files.completeUploadExternal": ["files:write"],
  "files.info": ["files:read"],
  "users.info": ["users:read"],
  "views.publish": [],
};
const scopesOfEvents: Record<string, readonly string[]> = {
  app_home_opened: [],
  app_mention: ["app_mentions:read"],
  app_uninstalled: [],
  channel_id_changed: ["channels:read"],
  channel_left: ["channels:read"],
  group_left: ["groups:read"],
  member_joined_channel: ["channels:read", "groups:read"],
  member_left_channel: ["channels:read", "groups:read"],
  "message.channels": ["channels:history"],
  "message.groups": ["groups:history"],
  "message.im": ["im:history"],
  "message.mpim": ["mpim:history"],
  tokens_revoked: [],
};

function calledIn(text: string): string[] {
  const call = /\bclient\s*\.(auth|chat|conversations|files|users|views)\s*\.(\w+)\(/g;
  return [...new Set([...text.matchAll(call)].map(([, group, name]) => `${group}.${name}`))].sort();
}

it("asks for the scopes that its calls and events need, and for no other", () => {
  assert.deepEqual(calledIn(code), Object.keys(scopesOfMethods).sort());
  assert.deepEqual([...events].sort(), Object.keys(scopesOfEvents).sort());
  const needed = [...Object.values(scopesOfMethods), ...Object.values(scopesOfEvents)].flat();
  assert.deepEqual([...scopes], [...new Set([...needed, "commands"])].sort());
});

it("hears of the events that the channel reads", () => {
  for (const event of events) {
    const name = event.startsWith("message.") ? "message" : event;
    assert.ok(code.includes(`"${name}"`), `${event} is read nowhere`);
  }
});

it("offers the commands of the menu", () => {
  const [command, ...others] = manifest.features.slash_commands;
  assert.deepEqual([command?.command, others], ["/sallyport", []]);
  const wanted = [...menu, ...groupMenu].map((one) => one.command);
  assert.deepEqual(command?.usage_hint.split(" | "), wanted);
});

it("switches on what the channel uses", () => {
  const { features, settings } = manifest;
  assert.deepEqual(features.app_home, {
    home_tab_enabled: true,
    messages_tab_enabled: true,
    messages_tab_read_only_enabled: false,
  });
  assert.deepEqual([settings.socket_mode_enabled, settings.interactivity.is_enabled], [true, true]);
});

it("says which of the secrets is missing or of another kind", () => {
  const said = (config: object) => configSchema.safeParse(config).error?.issues[0]?.message ?? "";
  const token = "xoxb-1234567890-abc";
  assert.match(said({ token }), /app-level token .* or a signing secret/);
  assert.match(said({ token: "xoxp-1234567890", appToken: "xapp-1234567890" }), /xoxb-/);
  assert.match(said({ token, appToken: token }), /xapp-/);
  assert.equal(said({ token, appToken: "xapp-1234567890" }), "");
  assert.equal(said({ token, signingSecret: "8f742231b10e8888abcd99yyyzzz85a5" }), "");
});
