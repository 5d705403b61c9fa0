// What the page reads: each look is one operation over the store, for one caller.
import type { Approvals, Conversations, History, Operator, Tasks } from "../../core/page.ts";
import type { Caller } from "../../core/words.ts";
import { conversations } from "./conversations.ts";
import { history, webHistory } from "./history.ts";
import { type OperatorPorts, operator } from "./operator.ts";
import { approvals, tasks } from "./tasks.ts";

export interface Views {
  conversations(caller: Caller): Promise<Conversations>;
  /** Undefined: there is none that they may see. `before`: ms since 1970. */
  history(caller: Caller, id: string, before?: number): Promise<History | undefined>;
  /** Of a chat of the page that is this caller's own by its name: whoever asks makes sure of that. */
  chat(caller: Caller, chat: string, before?: number): Promise<History | undefined>;
  tasks(caller: Caller): Promise<Tasks>;
  approvals(caller: Caller): Promise<Approvals>;
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
