// The only place that reads the environment of this process.
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";

export interface Environment {
  readonly stateHome: string;
  /** A folder of this user's for sockets. */
  readonly runtimeDir: string;
  readonly colour: boolean;
  /** Where an agent's PATH and language come from. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const folder = (name: string, otherwise: string) => {
    const value = variables[name];
    // XDG: a relative path is to be ignored.
    return value && isAbsolute(value) ? value : otherwise;
  };
  return {
    stateHome: folder("XDG_STATE_HOME", join(homedir(), ".local", "state")),
    runtimeDir: folder("XDG_RUNTIME_DIR", tmpdir()),
    colour: !variables.NO_COLOR && variables.TERM !== "dumb",
    variables,
  };
}
