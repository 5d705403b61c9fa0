// Secrets of ACP sessions: each says whose conversation a connection is, in which sandbox. Kept in memory only.
import { randomBytes } from "node:crypto";
import type { SandboxScope } from "../core/sandbox.ts";
import type { ConversationId } from "../core/words.ts";

export interface Pass {
  readonly secret: string;
  readonly conversation: ConversationId;
  readonly scopeKey: string;
}

export interface Passes {
  /** The secret of a new session; an older one of the same conversation stops counting. */
  give(conversation: ConversationId, scope: SandboxScope): string;
  find(secret: string): Pass | undefined;
}

/** Far more than there are sessions at once: the oldest go first. */
const passesKept = 5000;

export function createPasses(): Passes {
  const bySecret = new Map<string, Pass>();
  const byConversation = new Map<ConversationId, Pass>();

  const drop = (pass: Pass | undefined) => {
    if (pass === undefined) return;
    bySecret.delete(pass.secret);
    byConversation.delete(pass.conversation);
  };
  return {
    give(conversation, scope) {
      drop(byConversation.get(conversation));
      if (bySecret.size >= passesKept) drop(bySecret.values().next().value);
      const secret = randomBytes(32).toString("base64url");
      const pass = { secret, conversation, scopeKey: scope.key };
      bySecret.set(secret, pass);
      byConversation.set(conversation, pass);
      return secret;
    },
    find: (secret) => bySecret.get(secret),
  };
}
