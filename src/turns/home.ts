// The page that a platform keeps for each person: who they are to us, what waits for them, their latest tasks.

import { escapeInline } from "../approvals/card.ts";
import { typed } from "../core/command-text.ts";
import type { HomeOpened } from "../core/events.ts";
import type { Caller, ListenerId, Markdown } from "../core/words.ts";
import { findTask } from "../store/tasks.ts";
import { tasks, titled, whoami } from "./lists.ts";
import { openFor } from "./open-questions.ts";
import type { TurnPorts } from "./ports.ts";

interface Looking {
  readonly listener: ListenerId;
  readonly caller: Caller;
  readonly event: HomeOpened;
}

export async function showHome(ports: TurnPorts, it: Looking): Promise<void> {
  const { listener, caller, event } = it;
  const show = ports.listener(listener)?.showHome;
  if (!show) return;
  const text = caller.pairing === null ? stranger : await pageFor(ports, it);
  const parts = await ports.render(listener, text);
  await show(event.sender.account, parts).catch((error) =>
    ports.log.warn({ listener, error }, "A home page could not be shown"),
  );
}

const stranger =
  "I do not know you yet. Ask the person who runs me for a code, then send me `join` and the code in a direct message.";

const shownMost = 5;

async function pageFor(ports: TurnPorts, it: Looking): Promise<Markdown> {
  const sections = [
    await whoami(ports, it),
    `## Waiting for you\n\n${await questions(ports, it)}`,
    `## Latest tasks\n\n${await tasks(ports, it, shownMost)}`,
    `Write me a direct message to begin something; ${typed("help")} says what else there is.`,
  ];
  return sections.join("\n\n");
}

/** By their titles only, and without numbers: nobody decides on what they have not read. */
async function questions({ store }: TurnPorts, { caller }: Looking): Promise<Markdown> {
  const { lines, more } = await store.run(function* () {
    const open = yield* openFor(caller);
    const shown: Markdown[] = [];
    for (const { task, title } of open.slice(0, shownMost)) {
      const whose = titled(yield* findTask(task), caller);
      shown.push(`- **${escapeInline(title)}**, for: ${whose}`);
    }
    return { lines: shown, more: open.length - shown.length };
  });
  if (lines.length === 0) return "Nothing.";
  if (more > 0) lines.push(`- and ${more} more`);
  return `${lines.join("\n")}\n\nSend me ${typed("approvals")} in a direct message: there they have buttons.`;
}
