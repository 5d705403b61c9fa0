// GET /api/events: what happens in all chats of the caller, as server-sent events.
import type { GuardedRoute } from "../guard/route.ts";
import { refusal } from "./answer.ts";
import type { Streams } from "./streams.ts";

const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  // A proxy that collects the answer first would show nothing.
  "x-accel-buffering": "no",
};

/**
 * A page opens this first, then fetches what it shows, and applies the events of meanwhile over that: so nothing falls in between.
 * Its first lines name its position, which the browser sends as Last-Event-ID after a drop.
 */
export function eventRoutes(streams: Streams): GuardedRoute[] {
  return [
    {
      method: "GET",
      path: "/api/events",
      access: "caller",
      body: "none",
      async handle(request, { visitor }) {
        // The browser's own word on where it stands is newer than what the page put into the address.
        const after =
          request.headers.get("last-event-id") || new URL(request.url).searchParams.get("after");
        const page = streams.open(visitor, after || "now");
        if (!page) return refusal(503, "Too many pages are open here. Try again in a moment.");
        request.signal.addEventListener("abort", page.close, { once: true });
        return new Response(page.stream, { headers });
      },
    },
  ];
}
