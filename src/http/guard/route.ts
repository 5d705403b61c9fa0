// A route behind the guard: who may call it, with what kind of body, and what it answers.
import type { Visitor } from "../../access/visitor.ts";

export type RouteAccess =
  | "public" // anyone, within the limits of strangers
  | "caller" // a browser session or a caller token
  | "operator"; // a session from a link that was made on this machine

export type RouteBody =
  | "none"
  | "json" // application/json or application/*+json, at most 64 KiB on public routes, 1 MB else
  | "raw" // any type, the bytes as they came, at most 1 MB: of a channel whose platform signs what it sends
  | "file"; // application/octet-stream, streamed, from a browser session with an Origin of ours

/** What the guard found out about a request. */
export interface From {
  /** Of the caller, as the trusted proxies say; IPv6 by its /64. Strangers are told apart by it. */
  readonly address: string;
  /** It came to the loopback address itself, not through a proxy or the public URL. */
  readonly local: boolean;
  /** Scheme, host and port that the caller used, without a slash at the end. */
  readonly origin: string;
  /** Of the path, decoded: `/api/tasks/:id` gives `id`. */
  readonly params: Readonly<Record<string, string>>;
}

interface Basic {
  readonly method: "GET" | "POST";
  /** `/api/conversations/:id`; a `*` at the end stands for the rest. */
  readonly path: string;
  readonly body: RouteBody;
}

export interface PublicRoute extends Basic {
  readonly access: "public";
  handle(request: Request, from: From): Promise<Response>;
}

export interface KnownRoute extends Basic {
  readonly access: "caller" | "operator";
  handle(request: Request, from: From & { readonly visitor: Visitor }): Promise<Response>;
}

export type GuardedRoute = PublicRoute | KnownRoute;
