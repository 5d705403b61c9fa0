// GET /api/files, /download and /view: files that agents made, for whoever may have them, and never as part of our own site.
import { artifactKind } from "../../core/artifact.ts";
import type { OutFile } from "../../core/channel.ts";
import type { Caller } from "../../core/words.ts";
import type { GuardedRoute } from "../guard/route.ts";
import { createFrames } from "./frame.ts";
import { attachment, gone, notFound, openFile, refusal } from "./serve.ts";
import { viewPage } from "./view-page.ts";

/** Who may have which file is decided elsewhere; undefined is "not here" and "not yours" alike. */
export interface FilePorts {
  forCaller(part: string, caller: Caller): Promise<OutFile | undefined>;
  byToken(token: string): Promise<OutFile | undefined>;
}

export function createFileRoutes(ports: FilePorts): GuardedRoute[] {
  const frameOf = createFrames();
  const get = { method: "GET", body: "none" } as const;
  return [
    {
      ...get,
      path: "/api/files/:id",
      access: "caller",
      async handle(request, { params, visitor }) {
        const file = await ports.forCaller(params.id ?? "", visitor.caller);
        return file ? attachment(request, file) : notFound();
      },
    },
    {
      ...get,
      path: "/download/:token",
      access: "public",
      async handle(request, { params }) {
        const file = await ports.byToken(params.token ?? "");
        return file ? attachment(request, file) : notFound();
      },
    },
    {
      ...get,
      path: "/view/:id",
      access: "caller",
      async handle(_, { params, visitor, origin }) {
        const file = await ports.forCaller(params.id ?? "", visitor.caller);
        if (!file || !artifactKind(file)) return notFound();
        return viewPage(file, { origin, part: params.id ?? "" });
      },
    },
    {
      ...get,
      path: "/view/:id/frame",
      access: "caller",
      async handle(request, { params, visitor }) {
        if (!isFramed(request))
          return refusal(403, "This is shown inside its own page only: open it without /frame.");
        const file = await ports.forCaller(params.id ?? "", visitor.caller);
        return file ? framed(file, frameOf) : notFound();
      },
    },
  ];
}

/** A browser that says nothing of it still keeps to the sandbox that comes with the answer. */
function isFramed({ headers }: Request): boolean {
  return ["iframe", null].includes(headers.get("sec-fetch-dest"));
}

async function framed(file: OutFile, frameOf: ReturnType<typeof createFrames>): Promise<Response> {
  const handle = await openFile(file);
  if (handle === undefined) return gone();
  try {
    // What lies there now decides, not what was said of it.
    const { size } = await handle.stat();
    const kind = artifactKind({ ...file, size });
    if (kind === undefined) return notFound();
    const content = Buffer.alloc(size);
    const { bytesRead } = await handle.read(content, 0, size, 0);
    const { body, headers } = await frameOf(kind, content.subarray(0, bytesRead));
    return new Response(body, { headers });
  } finally {
    await handle.close();
  }
}
