// The terminal's chat by its own connection: what is said, what is seen, and a press of a button by its label.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { connect } from "../../src/cli/terminal/connection.ts";
import { after, emptyConversation, openCard } from "../../src/cli/terminal/conversation.ts";

export interface AgentsChat {
  /** Resolves once nothing is under way: with the answer, or with an open card. */
  say(text: string): Promise<void>;
  press(label: string): Promise<void>;
  /** The labels of the open card; none: nothing is asked. */
  asked(): readonly string[];
  /** All messages, as they stand now. */
  seen(): string;
}

export function agentsChat(t: TestContext, state: string): AgentsChat {
  let conversation = emptyConversation;
  const connection = connect({
    socket: () => join(state, "control.sock"),
    after: "now",
    patience: 30_000,
    on: (event) => {
      conversation = after(conversation, event);
    },
    onState: () => {},
  });
  t.after(() => connection.close());
  const settled = async () => void (await connection.settled());
  return {
    async say(text) {
      await connection.settled();
      await connection.say({ id: randomUUID(), text });
      await settled();
    },
    async press(label) {
      const card = openCard(conversation);
      const button = card?.buttons.find((one) => one.label === label);
      assert.ok(card && button, `no button ${label} in ${JSON.stringify(conversation.items)}`);
      await connection.press({ id: randomUUID(), message: card.id, data: button.data });
      await settled();
    },
    asked: () => openCard(conversation)?.buttons.map(({ label }) => label) ?? [],
    seen: () => JSON.stringify(conversation.items),
  };
}
