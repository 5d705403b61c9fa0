// Starts a fake platform in a process of its own and gives it orders over an IPC channel.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

export interface Order {
  id: number;
  name: string;
  args: unknown;
}

export type OrderAnswer = { id: number; result: unknown } | { id: number; error: string };

/** What a process can be told to do: a stage, and what an order needs to know. */
export type OrderTable = Record<string, (stage: never, args: never) => unknown>;

/** What a bot is given. */
export interface Way {
  url: string;
  token: string;
}

export type Remote<Orders extends OrderTable, W extends Way = Way> = W & {
  pid: number;
  order<Name extends keyof Orders & string>(
    name: Name,
    args: Parameters<Orders[Name]>[1],
  ): Promise<Awaited<ReturnType<Orders[Name]>>>;
  close(): Promise<void>;
};

type Pending = Map<number, (answer: OrderAnswer) => void>;

export async function startRemote<Orders extends OrderTable, W extends Way = Way>(
  entry: string,
  options: object,
): Promise<Remote<Orders, W>> {
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
  return {
    ...(ready as W),
    pid: child.pid ?? 0,
    order: (name, args) => {
      lastId += 1;
      return Promise.race([ask(child, pending, { id: lastId, name, args }), ended]) as never;
    },
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, "exit");
      child.disconnect();
      await exit;
    },
  };
}

function ask(child: ChildProcess, pending: Pending, order: Order): Promise<unknown> {
  return new Promise((resolve, reject) => {
    pending.set(order.id, (answer) => {
      pending.delete(order.id);
      if ("error" in answer) reject(new Error(answer.error));
      else resolve(answer.result);
    });
    child.send(order, (error) => error && reject(error));
  });
}

/** The other end: carries out what comes, until whoever started this is gone or done. */
export function takeOrders<Stage>(
  orders: OrderTable,
  stage: Stage & { fake: { close(): Promise<void> } },
  way: Way,
): void {
  process.on("message", async ({ id, name, args }: Order) => {
    try {
      const order = orders[name] as (stage: Stage, args: unknown) => unknown;
      process.send?.({ id, result: await order(stage, args) });
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? error.message : String(error) });
    }
  });
  process.on("disconnect", () => void stage.fake.close());
  process.send?.(way);
}
