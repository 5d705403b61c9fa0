// What platforms call: each listener has one address of its own, and checks itself who signed what came there.
import type { Listener } from "../core/channel.ts";
import type { ListenerId } from "../core/words.ts";
import type { PublicRoute } from "./guard/route.ts";

/** `find`: the listener of a channel that was set up; found at each call, since they come and go. */
export function hookRoute(
  find: (id: ListenerId) => Pick<Listener, "routes"> | undefined,
): PublicRoute {
  return {
    method: "POST",
    path: "/in/:listener",
    access: "public",
    body: "raw",
    async handle(request, { params }) {
      const routes = find(params.listener ?? "")?.routes?.() ?? [];
      const route = routes.find(({ method, path }) => method === "POST" && path === "/");
      return route
        ? await route.handle(request)
        : Response.json({ problem: "No channel listens here." }, { status: 404 });
    },
  };
}
