// Runs an operation: through the control socket when a gateway runs, else directly.
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import type { Outcome } from "../admin/context.ts";
import type { InputOf, OperationName, OutputOf } from "../admin/operations.ts";
import { readEnvironment } from "../config/environment.ts";
import { type Place, placeOf, socketOf } from "../config/paths.ts";
import { call } from "./control-client.ts";
import { print, printJson } from "./output.ts";

interface Globals {
  readonly workspace: string;
  readonly state?: string;
  readonly json?: boolean;
}

/** Said to the person as it is; the command ends with exit code 1. */
export class Failure extends Error {}

export function placeFor(command: Command): Place {
  const placed = placeOf(command.optsWithGlobals<Globals>(), readEnvironment());
  if (!placed.ok) throw new Failure(placed.problem);
  return placed.place;
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<Globals>().json === true;
}

const patience = 10_000;

export async function operate<N extends OperationName>(
  command: Command,
  name: N,
  input: InputOf<N>,
): Promise<OutputOf<N>> {
  const place = placeFor(command);
  const until = performance.now() + patience;
  for (;;) {
    const outcome =
      (await throughSocket(place, name, input)) ?? (await directly(place, name, input));
    if (outcome !== "busy") {
      if (!outcome.ok) throw new Failure(outcome.problem);
      return outcome.value as OutputOf<N>;
    }
    if (performance.now() > until)
      throw new Failure(
        `A gateway holds ${place.paths.dir}, but does not answer. If it hangs, end its process and try again.`,
      );
    await sleep(100);
  }
}

/** Undefined when no gateway answers there. */
async function throughSocket(
  place: Place,
  name: string,
  input: unknown,
): Promise<Outcome<unknown> | undefined> {
  try {
    const { status, body } = await call(socketOf(place.paths), {
      path: `/admin/${name}`,
      body: input,
    });
    if (status === 200) return body as Outcome<unknown>;
    const problem = (body as { problem?: string } | undefined)?.problem;
    return { ok: false, problem: problem ?? `The gateway answered ${status}.` };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (["ENOENT", "ECONNREFUSED", "ECONNRESET", "ENOTDIR"].includes(code)) return undefined;
    if (code === "EACCES")
      return {
        ok: false,
        problem: `${place.paths.dir} belongs to another user. Name your own with --state DIR.`,
      };
    throw error;
  }
}

async function directly(
  place: Place,
  name: string,
  input: unknown,
): Promise<Outcome<unknown> | "busy"> {
  const { runDirectly } = await import("../admin/direct.ts");
  const outcome = await runDirectly(place, name, input);
  return outcome ?? { ok: false, problem: `There is no operation ${name}.` };
}

/** Prints what an operation gave: JSON when asked for, else as `show` says. */
export async function report<N extends OperationName>(
  command: Command,
  { name, input }: { readonly name: N; readonly input: InputOf<N> },
  show: (value: OutputOf<N>) => string,
): Promise<void> {
  const value = await operate(command, name, input);
  if (wantsJson(command)) printJson(value);
  else print(show(value));
}

/** Reads what follows `flag`: 1 and up, in digits. */
export function wholeNumber(flag: string): (text: string) => number {
  return (text) => {
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw new Failure(`${flag} ${JSON.stringify(text)} is not a number: give one from 1 up.`);
  };
}
