// Every route that the gateway serves, without a gateway: their handlers are never called here.
import { createFileRoutes } from "../src/http/files/routes.ts";
import type { GuardedRoute } from "../src/http/guard/route.ts";
import { healthRoute } from "../src/http/health.ts";
import { hookRoute } from "../src/http/hook.ts";
import { pageRoutes } from "../src/http/page/assets.ts";
import { apiRoutes } from "../src/http/web/api.ts";
import { createWeb } from "../src/http/web/channel.ts";
import { hitlRoutes } from "../src/http/web/hitl.ts";

/** Stands for ports that nobody uses. */
const unused = {} as never;

export function allRoutes(): GuardedRoute[] {
  return [
    ...createWeb(unused).routes(),
    ...apiRoutes(unused),
    ...hitlRoutes(unused),
    ...createFileRoutes(unused),
    ...pageRoutes(),
    healthRoute(() => undefined),
    hookRoute(() => undefined),
  ];
}
