// Waits until nothing is under way in a chat; what waits looks at the rows, as everything that waits does.
import { setTimeout as sleep } from "node:timers/promises";
import type { ListenerId } from "../core/words.ts";
import { chatState } from "../store/settled.ts";
import type { Store } from "../store/store.ts";

const lookEvery = 20;

export async function settled(
  store: Store,
  { listener, chat }: { readonly listener: ListenerId; readonly chat: string },
  signal: AbortSignal,
): Promise<"answered" | "question"> {
  for (;;) {
    const state = await store.run(() => chatState(listener, chat));
    if (state !== "busy") return state;
    await sleep(lookEvery, undefined, { signal });
  }
}
