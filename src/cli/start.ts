// Runs the gateway; at a terminal the chat is right there.
import type { Command } from "commander";
import type { Outcome } from "../admin/context.ts";
import type { PageLink } from "../admin/link.ts";
import { type Config, loadConfig, type StartFlags } from "../config/config.ts";
import { type Environment, readEnvironment } from "../config/environment.ts";
import { asksForReadOnly, ensureState, type Place, placeOf, socketOf } from "../config/paths.ts";
import { confirmProject, readProject } from "../config/project.ts";
import type { Gateway } from "../gateway.ts";
import { askYes, projectText } from "./commands/config.ts";
import { call } from "./control-client.ts";
import { linkText } from "./link-text.ts";
import { Failure } from "./operator.ts";
import { complain, print } from "./output.ts";
import { makePlayground } from "./playground.ts";
import type { Chat } from "./terminal/interactive.ts";

interface Flags extends StartFlags {
  readonly playground?: boolean;
  readonly workspace: string;
  readonly state?: string;
}

export async function start(command: Command): Promise<void> {
  const flags = command.optsWithGlobals<Flags>();
  const environment = readEnvironment();
  const named = command.getOptionValueSourceWithGlobals("workspace") !== "default";
  const playground = flags.playground === true && !named;
  const workspace = playground ? makePlayground() : flags.workspace;
  const placed = placeOf({ workspace, state: flags.state }, environment);
  if (!placed.ok) throw new Failure(placed.problem);
  const { place } = placed;
  ensureState(place.paths);
  await askAboutProject(place);
  const screen: { chat?: Chat } = {};
  const log = logTo(screen);
  const readOnly = flags.readOnly === true || asksForReadOnly(workspace);
  const started = { ...flags, playground, readOnly };
  const config = await loadConfig({ place, environment, flags: started, log });
  if (!config.ok) throw new Failure(config.problem);
  const { startGateway } = await import("../gateway.ts");
  const opened = await startGateway(config.value);
  if (!opened.ok) throw new Failure(opened.problem);
  const { playground: showLink = false } = flags;
  await serve({ config: config.value, gateway: opened.gateway, environment, screen, showLink });
}

const atTerminal = () => process.stdin.isTTY === true && process.stdout.isTTY === true;

/** With the chat open, the log must not write over it. */
function logTo(screen: { readonly chat?: Chat }) {
  const pretty = process.stdout.isTTY === true;
  return {
    pretty,
    quiet: atTerminal(),
    write(line: string) {
      if (screen.chat) screen.chat.note(line.trimEnd());
      else process.stdout.write(line);
    },
  };
}

async function askAboutProject(place: Place): Promise<void> {
  const file = await readProject(place);
  if (file.problem) complain(`${file.path} does not count: ${file.problem}`);
  if (file.unconfirmed.length === 0) return;
  complain(projectText(file));
  if (await askYes("Let it count?")) confirmProject(place, file);
  else complain("It does not count until: sallyport config confirm");
}

interface Serving {
  readonly config: Config;
  readonly gateway: Gateway;
  readonly environment: Environment;
  readonly screen: { chat?: Chat };
  readonly showLink: boolean;
}

async function serve(serving: Serving): Promise<void> {
  const { config, gateway, environment, screen } = serving;
  const { log, paths, workspace } = config;
  const stopping = onSignals(serving);
  try {
    await gateway.ready;
  } catch (error) {
    await stopping.stop();
    throw error;
  }
  const { name, asks } = gateway.running.agent;
  if (!atTerminal()) {
    log.info(
      {
        workspace,
        agent: name,
        approvals: asks,
        sandbox: config.sandbox.is === "local" ? "local: isolates nothing" : config.sandbox.is,
        page: gateway.running.pageUrl(),
      },
      "Sallyport is ready",
    );
    // A service's log is kept; what was started by hand is read by whoever started it.
    if (serving.showLink) print(await pageLink(serving));
    await stopping.asked;
  } else {
    const { openInteractive } = await import("./terminal/interactive.ts");
    screen.chat = openInteractive({
      socket: () => socketOf(paths),
      stdin: process.stdin,
      stdout: process.stdout,
      colour: environment.colour,
      greeting: await greeting(serving),
      signal: stopping.signal,
    });
    await screen.chat.ended;
    delete screen.chat;
  }
  await sayWhileItLasts(stopping.stop());
}

/** What runs is given time to finish: nobody should wonder why the prompt does not come back. */
async function sayWhileItLasts(stopped: Promise<void>): Promise<void> {
  const timer = setTimeout(
    () => complain("Finishing what runs, at most 25 s. Ctrl-C ends it at once."),
    500,
  );
  await stopped;
  clearTimeout(timer);
}

async function greeting(serving: Serving): Promise<string> {
  const { config, gateway } = serving;
  const { name, asks } = gateway.running.agent;
  return [
    `Sallyport is ready: agent ${name} in ${config.workspace}`,
    sandboxLine(config),
    ...(asks
      ? []
      : [
          "! This agent has not been seen to ask before it acts, so approvals may not apply to it. Try it out with: sallyport doctor",
        ]),
    await pageLink(serving),
    "Type a message, /help for what can be said, /quit to stop.",
  ].join("\n");
}

function sandboxLine({ sandbox }: Config): string {
  if (sandbox.is === "local")
    return "! The sandbox local isolates nothing: the agent can do what you can do on this machine.";
  return `It works in a container of its own (${sandbox.image ?? "an image of this machine's own programs"}), without network.`;
}

/** As `sallyport link` makes it; without one, why there is none. */
async function pageLink({ config, environment }: Serving): Promise<string> {
  const { body } = await call(socketOf(config.paths), { path: "/admin/link", body: {} });
  const made = body as Outcome<PageLink>;
  return made.ok ? linkText(made.value, environment.ssh) : made.problem;
}

/** The first signal stops in order, the second at once. */
function onSignals({ gateway, config }: Serving) {
  const asked = resolvers();
  const controller = new AbortController();
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= gateway.stop();
    return stopped;
  };
  const onSignal = () => {
    if (stopped || controller.signal.aborted) process.exit(130);
    controller.abort();
    asked.resolve();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  const onError = (error: unknown) => {
    config.log.error(
      { error },
      "Unexpected: the gateway ends, and the next start goes on where it was",
    );
    process.exit(1);
  };
  process.on("uncaughtException", onError);
  process.on("unhandledRejection", onError);
  return { asked: asked.promise, signal: controller.signal, stop };
}

function resolvers(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}
