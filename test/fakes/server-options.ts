// How tests serve: on this machine, any free port, open to nobody else, nothing configured.
import type { ServerOptions } from "../../src/http/server.ts";

export const anyPort = {
  host: "127.0.0.1",
  port: 0,
  anyFreeOtherwise: false,
  allowOpenBind: false,
  hosts: [],
  origins: [],
  trustedProxies: [],
} as const satisfies Partial<ServerOptions>;
