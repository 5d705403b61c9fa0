// POST /api/files?name=…: a file on its way in, streamed to disk.
import type { GuardedRoute } from "../guard/route.ts";
import { answer, pairingOf, refusal } from "./answer.ts";
import type { Uploads } from "./uploads.ts";

export function fileRoutes(uploads: Uploads, most: number): GuardedRoute[] {
  const tooLarge = () =>
    refusal(413, `The file is larger than the ${most / 1_000_000} MB that fit here.`);
  return [
    {
      method: "POST",
      path: "/api/files",
      access: "caller",
      body: "file",
      async handle(request, { visitor }) {
        if (Number(request.headers.get("content-length") ?? 0) > most) return tooLarge();
        const name = new URL(request.url).searchParams.get("name") ?? "";
        const received = await uploads.receive(pairingOf(visitor), { name, bytes: request.body });
        switch (received) {
          case "too-large":
            return tooLarge();
          case "too-many":
            return refusal(
              429,
              "Too many files wait to be sent. Send those first, or try again in an hour.",
            );
          case "broken":
            return refusal(400, "The file did not come whole. Try it again.");
          default:
            return answer(received);
        }
      },
    },
  ];
}
