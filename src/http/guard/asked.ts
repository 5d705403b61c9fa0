// What the guard knows of a request before its body is read.
import type { IncomingHttpHeaders } from "node:http";
import type { Visitor } from "../../access/visitor.ts";
import type { Place } from "./crowd.ts";
import type { Limits } from "./limits.ts";
import type { RouteAccess, RouteBody } from "./route.ts";
import type { OurEnd, Site } from "./site.ts";

/** What the table needs to know of a route. */
export interface Rules {
  readonly access: RouteAccess;
  readonly body: RouteBody;
}

export interface Asked {
  readonly method: string;
  /** As it was sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly route: Rules | undefined;
  /** Methods of the path, when it has others. */
  readonly allowed: readonly string[];
  readonly limits: Limits;
  readonly end: OurEnd;
  readonly site: Site;
  readonly place: Place;
  /** Scheme, host and port that the caller used; only once the host is known to be ours. */
  origin(): string;
  /** Looked up once, when it is first asked. */
  visitor(): Promise<Visitor | undefined>;
}

/** Bytes that a body of this route may have; without a route, of any. */
export function mostBytes(route: Rules | undefined, limits: Limits): number {
  if (route?.body === "none") return 0;
  if (route?.body === "file") return limits.fileBytes;
  if (route?.body === "raw") return limits.jsonBytes;
  return route?.access === "public" || !route ? limits.publicBytes : limits.jsonBytes;
}

export type Credentials =
  | { readonly by: "session"; readonly value: string }
  | { readonly by: "token"; readonly value: string };

/** A token wins: who sends one means it. A proxy's own sign-in (Basic) says nothing to us. */
export function credentialsOf(
  headers: IncomingHttpHeaders,
  cookieName: string,
): Credentials | undefined {
  const [, token] = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(headers.authorization ?? "") ?? [];
  if (token !== undefined) return { by: "token", value: token };
  const values = (headers.cookie ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${cookieName}=`))
    .map((pair) => pair.slice(cookieName.length + 1));
  // Cookies are shared between the ports of a host: with a second one of our name, somebody else chose who this is.
  const [value] = values;
  return values.length === 1 && value !== undefined && /^[\w.~-]{1,512}$/.test(value)
    ? { by: "session", value }
    : undefined;
}
