// The only place that reads the environment of this process.
import { isIP } from "node:net";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";

export interface Environment {
  readonly stateHome: string;
  /** A folder of this user's for sockets. */
  readonly runtimeDir: string;
  readonly colour: boolean;
  /** Where whoever came here over SSH reached this machine. */
  readonly ssh: SshEnd | undefined;
  /** Counts only with `http.useEnvProxy`. */
  readonly proxies: Proxies;
  /** Where an agent's PATH and language come from. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

export interface SshEnd {
  readonly user: string;
  readonly host: string;
  readonly port: number;
}

/** URLs of proxies; `no` lists the hosts that are reached without one. Empty: none. */
export interface Proxies {
  readonly http: string;
  readonly https: string;
  readonly no: string;
}

export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const folder = (name: string, otherwise: string) => {
    const value = variables[name];
    // XDG: a relative path is to be ignored.
    return value && isAbsolute(value) ? value : otherwise;
  };
  const either = (name: string) => variables[name] ?? variables[name.toUpperCase()] ?? "";
  return {
    stateHome: folder("XDG_STATE_HOME", join(homedir(), ".local", "state")),
    runtimeDir: folder("XDG_RUNTIME_DIR", tmpdir()),
    proxies: {
      http: either("http_proxy"),
      https: either("https_proxy"),
      no: either("no_proxy"),
    },
    ssh: sshEnd(variables),
    colour: !variables.NO_COLOR && variables.TERM !== "dumb",
    variables,
  };
}

/** `SSH_CONNECTION` is the client's address and port, then ours. */
function sshEnd({ SSH_CONNECTION = "", USER, LOGNAME }: NodeJS.ProcessEnv): SshEnd | undefined {
  const [, , host = "", port = ""] = SSH_CONNECTION.trim().split(/\s+/);
  if (isIP(host) === 0 || !/^\d{1,5}$/.test(port)) return undefined;
  return { user: USER || LOGNAME || "USER", host, port: Number(port) };
}
