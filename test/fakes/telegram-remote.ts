// Starts the fake Bot API server in a process of its own, so that a bench measures the gateway and not the fake.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Order, OrderAnswer, OrderName, Orders } from "./telegram-process.ts";
import type { TelegramServerOptions } from "./telegram-server.ts";

export interface RemoteTelegram {
  url: string;
  token: string;
  pid: number;
  order<Name extends OrderName>(
    name: Name,
    args: Parameters<Orders[Name]>[1],
  ): Promise<Awaited<ReturnType<Orders[Name]>>>;
  close(): Promise<void>;
}

type Pending = Map<number, (answer: OrderAnswer) => void>;

/** `now` cannot cross to another process. */
export async function startTelegramProcess(
  options: Omit<TelegramServerOptions, "now"> = {},
): Promise<RemoteTelegram> {
  const entry = `${import.meta.dirname}/telegram-process.ts`;
  const child = fork(entry, [JSON.stringify(options)], { execArgv: [] });
  const ended = new Promise<never>((_, reject) => {
    child.once("exit", (code) => reject(new Error(`the fake ended with ${code}`)));
  });
  // Only an order that still waits hears of the end.
  ended.catch(() => undefined);
  const [ready] = await Promise.race([once(child, "message"), ended]);
  const pending: Pending = new Map();
  child.on("message", (answer: OrderAnswer) => pending.get(answer.id)?.(answer));
  let lastId = 0;
  const order = <Name extends OrderName>(name: Name, args: Parameters<Orders[Name]>[1]) => {
    lastId += 1;
    const answer = ask<Awaited<ReturnType<Orders[Name]>>>(child, pending, {
      ...{ id: lastId, name, args },
    });
    return Promise.race([answer, ended]);
  };
  return {
    ...(ready as { url: string; token: string }),
    pid: child.pid ?? 0,
    order,
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, "exit");
      child.disconnect();
      await exit;
    },
  };
}

/** The answer has the type that the order of that name gives. */
function ask<Result>(child: ChildProcess, pending: Pending, order: Order): Promise<Result> {
  return new Promise((resolve, reject) => {
    pending.set(order.id, (answer) => {
      pending.delete(order.id);
      if ("error" in answer) reject(new Error(answer.error));
      else resolve(answer.result as Result);
    });
    child.send(order, (error) => error && reject(error));
  });
}
