// The page that a platform keeps for each person: who they are to us, their tasks, what waits for them.
import type { HomeOpened } from "../core/events.ts";
import type { Caller, ListenerId } from "../core/words.ts";
import { approvals, tasks, whoami } from "./lists.ts";
import type { TurnPorts } from "./ports.ts";

export async function showHome(
  ports: TurnPorts,
  it: { readonly listener: ListenerId; readonly caller: Caller; readonly event: HomeOpened },
): Promise<void> {
  const { listener, caller, event } = it;
  const show = ports.listener(listener)?.showHome;
  if (!show) return;
  const known = caller.pairing !== null;
  const sections = [
    await whoami(ports, it),
    ...(known ? [`## Your tasks\n\n${await tasks(ports, it)}`] : []),
    ...(known ? [`## What waits\n\n${await approvals(ports, it)}`] : []),
  ];
  const parts = await ports.render(listener, sections.join("\n\n"));
  await show(event.sender.account, parts).catch((error) =>
    ports.log.warn({ listener, error }, "A home page could not be shown"),
  );
}
