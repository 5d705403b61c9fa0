// GET /health: how the listeners are, for whoever watches this machine.
import type { GuardedRoute } from "./guard/route.ts";

/** For the local owner's token, or a session of theirs. */
export function healthRoute(health: () => unknown): GuardedRoute {
  return {
    method: "GET",
    path: "/health",
    access: "operator",
    body: "none",
    handle: async () => Response.json(health()),
  };
}
