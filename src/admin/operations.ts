// All that an operator can do, as one table: run directly, or through the control socket of a running gateway.
import { z } from "zod";
import * as agentLogin from "./agent-login.ts";
import * as channel from "./channel.ts";
import type { AdminContext, Operation, Outcome } from "./context.ts";
import { doctor } from "./doctor.ts";
import { link } from "./link.ts";
import * as pair from "./pair.ts";
import * as settings from "./settings.ts";
import * as work from "./work.ts";

export const operations = {
  link,
  "pair.invite": pair.invite,
  "pair.list": pair.list,
  "pair.set": pair.set,
  "pair.link": pair.link,
  "pair.unlink": pair.unlinkAccounts,
  "pair.rm": pair.remove,
  "channel.add": channel.add,
  "channel.list": channel.list,
  "channel.rm": channel.remove,
  "channel.test": channel.test,
  "config.list": settings.list,
  "config.get": settings.get,
  "config.set": settings.set,
  "config.add": settings.add,
  "config.drop": settings.drop,
  "config.unset": settings.unset,
  "config.project": settings.project,
  "config.confirm": settings.confirm,
  "secret.set": settings.secretSet,
  "secret.list": settings.secretList,
  "secret.rm": settings.secretRemove,
  "agent.home": agentLogin.home,
  "agent.login": agentLogin.loggedIn,
  "agent.reset": agentLogin.reset,
  "task.list": work.tasks,
  "task.show": work.task,
  "task.cancel": work.cancel,
  "approval.list": work.approvals,
  "approval.allow": work.allow,
  "approval.deny": work.deny,
  "audit.list": work.auditRows,
  doctor,
} as const;

type Operations = typeof operations;
export type OperationName = keyof Operations;
export type InputOf<N extends OperationName> = z.input<Operations[N]["input"]>;
export type OutputOf<N extends OperationName> = Operations[N]["run"] extends (
  ...given: never[]
) => Promise<Outcome<infer O>>
  ? O
  : never;

function isName(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}

/** Undefined when there is no such operation. */
export async function runOperation(
  context: AdminContext,
  name: string,
  input: unknown,
): Promise<Outcome<unknown> | undefined> {
  if (!isName(name)) return undefined;
  const { input: schema, run } = operations[name] as Operation<unknown, unknown>;
  const parsed = schema.safeParse(input);
  if (parsed.success) return run(context, parsed.data);
  return { ok: false, problem: z.prettifyError(parsed.error).replace(/^✖ /gm, "") };
}
