// /enable and /disable: an owner opens a group to the agent, or closes it.
import { audit } from "../access/audit.ts";
import { may } from "../access/authorise.ts";
import { nameChat, setEnabled } from "../store/chats.ts";
import type { Asked } from "./lists.ts";
import { openly, type Reply } from "./openly.ts";
import type { Moves, TurnPorts } from "./ports.ts";
import { closeChat, leave, lostText } from "./share.ts";
import { closed } from "./stop.ts";

export async function enable(
  ports: TurnPorts,
  moves: Moves,
  { caller, event, listener, command }: Asked,
): Promise<Reply> {
  if (event.chat.kind === "direct") return "That is for groups: send it to me there.";
  if (!may(caller, "enable")) return "Only an owner can open or close a chat to me.";
  const on = command.name === "enable";
  const at = ports.clock.now();
  const ended = await ports.store.run(function* () {
    const place = `${listener} ${event.chat.id}`;
    const row = { at, who: caller.id, name: caller.name, place, target: event.chat.id, why: "" };
    yield* audit({ ...row, action: "chat", outcome: on ? "enabled" : "disabled" });
    if (!on) return yield* closeChat(ports, listener, event.chat.id);
    yield* setEnabled({ listener, chat: event.chat.id, enabled: true, at });
    yield* nameChat({ listener, chat: event.chat.id, title: event.title, at });
    return undefined;
  });
  if (ended) leave(ports, ended, (effect) => moves.stopped(effect, closed));
  return openly(
    on
      ? "I answer here from now on, when I am addressed, and only people who are paired."
      : `I am silent here from now on.${ended ? lostText(ended) : ""}`,
  );
}
