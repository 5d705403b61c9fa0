// Telegram's updates as it documents them, and the events they become.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { it } from "node:test";
import type { Update } from "grammy/types";
import { toInboundEvent } from "../../channels/telegram/inbound.ts";

interface Case {
  readonly what: string;
  readonly update: Update;
  readonly event: unknown;
}

const bot = { id: 7_000_000_001, username: "sallyport_bot", now: () => 1_760_000_009_000 };
const files = globSync("fixtures/telegram/*.json").sort();
const cases = files.flatMap((file) =>
  (JSON.parse(readFileSync(file, "utf8")) as Case[]).map((one) => ({
    ...one,
    name: `${basename(file, ".json")}: ${one.what}`,
  })),
);

for (const { name, update, event } of cases)
  it(`translates ${name}`, () => assert.deepEqual(toInboundEvent(update, bot), event));

it("has read the fixtures", () => assert.ok(cases.length > 80, `${cases.length} cases`));

it("makes the same key of an update that comes again under another number", () => {
  for (const { name, update } of cases) {
    const first = toInboundEvent(update, bot);
    const again = toInboundEvent({ ...update, update_id: update.update_id + 1_000_000 }, bot);
    assert.equal(again?.key, first?.key, name);
  }
});

it("makes another key for another bot: message ids of private chats count per bot", () => {
  for (const { name, update } of cases) {
    const first = toInboundEvent(update, bot);
    const other = toInboundEvent(update, { ...bot, id: 7_000_000_002 });
    if (first && other) assert.notEqual(other.key, first.key, name);
  }
});

it("makes the two tellings of a migration one event", () => {
  const migrations = cases
    .map(({ update }) => toInboundEvent(update, bot))
    .filter((event) => event?.kind === "chat" && event.change === "migrated");
  assert.equal(migrations.length, 2);
  assert.equal(migrations[0]?.key, migrations[1]?.key);
});

it("throws for what is no update, so that it can be skipped", () => {
  for (const message of [
    { message_id: "1", date: 1 },
    { message_id: 1, date: 1, from: {}, chat: {} },
  ])
    assert.throws(() =>
      toInboundEvent(
        {
          update_id: 1,
          message: { text: "x", from: { id: 1 }, chat: { id: 1 }, ...message },
        } as never,
        bot,
      ),
    );
});
