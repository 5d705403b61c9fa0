// What the page reads: each look is one operation over the store, for one caller.
import type { Caller } from "../../core/words.ts";
import { type ConversationRow, conversations } from "./conversations.ts";
import { type History, history, webHistory } from "./history.ts";
import { type Operator, type OperatorPorts, operator } from "./operator.ts";
import { type ApprovalRow, approvals, type TaskRow, tasks } from "./tasks.ts";

export interface Views {
  conversations(caller: Caller): Promise<{ readonly conversations: readonly ConversationRow[] }>;
  /** Undefined: there is none that they may see. `before`: ms since 1970. */
  history(caller: Caller, id: string, before?: number): Promise<History | undefined>;
  /** Of a chat of the page that is this caller's own by its name: whoever asks makes sure of that. */
  chat(caller: Caller, chat: string, before?: number): Promise<History | undefined>;
  tasks(caller: Caller): Promise<{ readonly tasks: readonly TaskRow[] }>;
  approvals(caller: Caller): Promise<{ readonly approvals: readonly ApprovalRow[] }>;
  operator(caller: Caller): Promise<Operator | undefined>;
}

export function createViews(ports: OperatorPorts): Views {
  const { store } = ports;
  return {
    conversations: (caller) =>
      store.run(function* () {
        return { conversations: yield* conversations(ports, caller) };
      }),
    history: (caller, id, before) => store.run(() => history(ports, caller, { id, before })),
    chat: (caller, chat, before) => store.run(() => webHistory(ports, caller, { chat, before })),
    tasks: (caller) =>
      store.run(function* () {
        return { tasks: yield* tasks(caller) };
      }),
    approvals: (caller) =>
      store.run(function* () {
        return { approvals: yield* approvals(caller) };
      }),
    operator: (caller) => store.run(() => operator(ports, caller)),
  };
}
