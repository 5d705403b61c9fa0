// An agent's own log-in, at the terminal of whoever operates this machine: nobody can ask for it in a chat.
import { readEnvironment } from "../config/environment.ts";
import type { Place } from "../config/paths.ts";
import { readProject } from "../config/project.ts";
import { sandboxOf } from "../config/sandbox.ts";
import { stateMark } from "../config/secrets.ts";
import { loadSettings } from "../config/settings-file.ts";
import type { KnownAgentName } from "../core/known-agents.ts";
import type { Log } from "../core/log.ts";
import type { PersonsTerminal } from "../sandbox/docker/at-terminal.ts";
import { connectDocker } from "../sandbox/docker/engine.ts";
import { hostImage } from "../sandbox/image/host-image.ts";
import { logIn } from "../sandbox/login.ts";
import { logins } from "../sandbox/logins.ts";
import type { LoginHome } from "./agent-login.ts";
import { done, failed, type Outcome } from "./context.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

export interface LoginRequest {
  readonly place: Place;
  readonly agent: KnownAgentName;
  readonly to: LoginHome;
  readonly terminal: PersonsTerminal;
  readonly signal: AbortSignal;
  /** What is about to happen, before the agent has the terminal. */
  say(text: string): void;
}

export interface LoginDone {
  readonly files: readonly string[];
}

async function dockerFor({ place, agent }: LoginRequest) {
  const loaded = await loadSettings(place.paths);
  if (!loaded.ok) return loaded;
  const { config } = await readProject(place);
  const choice = sandboxOf({ sandbox: "docker" }, loaded.settings, config);
  if (typeof choice === "string" || choice.is !== "docker") return failed(String(choice));
  const connected = connectDocker(readEnvironment().variables);
  if (!connected.ok) return connected;
  const { docker } = connected;
  const { workspace } = place;
  const made =
    choice.image === undefined
      ? await hostImage({ docker, agentName: agent, workspace })
      : ({ ok: true, image: choice.image } as const);
  if (!made.ok) return made;
  return done({ docker, image: made.image, runtime: choice.runtime });
}

export async function logInAgent(request: LoginRequest): Promise<Outcome<LoginDone>> {
  const { place, agent, to, terminal, signal, say } = request;
  const { own } = logins[agent];
  if (to.sandbox === "local")
    return failed(
      `The sandbox is local: the agent runs as you, with a home of its own. Make the log-in with: HOME=${to.home} ${own}`,
    );
  const ready = await dockerFor(request);
  if (!ready.ok) return ready;
  const { docker, image, runtime } = ready.value;
  say(
    `${agent} logs in for ${to.name}, in a container of ${image}. It has the internet, by Docker's default bridge, and none of your files. What it leaves comes to lie in the home of ${to.name}, where that agent can read it.`,
  );
  const { workspace, paths } = place;
  const logged = await logIn({
    ...{ docker, image, runtime, agent, workspace, terminal, signal },
    home: to.home,
    stateDir: paths.dir,
    stateHash: stateMark(paths),
    log: silent,
  });
  if (!logged.ok) return failed(logged.problem);
  return done({ files: logged.files });
}
