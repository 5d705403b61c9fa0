// Links that go out in chats: to a file, and to a question where there are no buttons.
import { createFileTokens } from "../admin/file-tokens.ts";
import { hitlToken } from "../admin/hitl.ts";
import { systemClock } from "../core/clock.ts";
import type { SpineParts } from "../turns/spine.ts";
import { type Live, publicUrl } from "./wiring.ts";

export function linksOf(
  live: Live,
  key: Uint8Array,
): Required<Pick<SpineParts, "fileLink" | "hitlUrl">> {
  const files = createFileTokens(key, systemClock);
  return {
    fileLink(part) {
      const base = publicUrl(live);
      return base && `${base}/download/${files.make(part)}`;
    },
    // Who sits at this machine can open its own address as well.
    hitlUrl(card, listener) {
      const base = publicUrl(live) ?? (listener === "terminal" ? live.pageUrl : undefined);
      return base && `${base}/hitl/${hitlToken(key, card)}`;
    },
  };
}
