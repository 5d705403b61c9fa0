// What is not the agent's own protocol may put into a running turn.
import type { TurnInlet } from "../core/agent.ts";
import type { ConversationId } from "../core/words.ts";
import type { Turn } from "./turn.ts";

export function inletOf(turn: Turn, conversation: ConversationId): TurnInlet {
  return {
    conversation,
    over: turn.over,
    sendFile: (file) => turn.addFile(file),
    askForm: (form, signal) => turn.openForm(form, signal),
    askOwner: (call, options, signal) => turn.askOwner(call, options, signal),
  };
}
