// The guard as a table: what is refused, in this order, with which status and words. The code runs it, the reference prints it, the tests walk it.
import type { Asked } from "./asked.ts";
import { mostBytes } from "./asked.ts";
import { isPlain } from "./target.ts";

export type Step =
  | "limits"
  | "host"
  | "path"
  | "cross-site"
  | "content type"
  | "authentication"
  | "authorisation";

export interface Refusal {
  readonly name: string;
  readonly status: number;
  /** When it is refused, for the reference. */
  readonly when: string;
  /** What the caller is told. */
  readonly say: string;
}

interface GuardRow extends Refusal {
  readonly step: Step;
  holds(asked: Asked): boolean | Promise<boolean>;
}

/** Headers that mean nothing when there are two of them. */
const single = new Set(["host", "origin", "content-type", "content-length", "authorization"]);

const link = "Get a link with: sallyport link";

const limits = [
  {
    step: "limits",
    name: "long-target",
    status: 414,
    when: "path and query are too long",
    say: "This address is too long.",
    holds: ({ target, limits }) => target.length > limits.target,
  },
  {
    step: "limits",
    name: "odd-target",
    status: 400,
    when: "the path is a whole URL, is not printable ASCII, or has `//`, a part `.` or `..`, a backslash, or a slash, backslash, dot or control character as its code",
    say: "This path can be read in more than one way: write it plainly.",
    holds: ({ target }) => !isPlain(target),
  },
  {
    step: "limits",
    name: "twice",
    status: 400,
    when: "`Host`, `Origin`, `Content-Type`, `Content-Length` or `Authorization` is there twice",
    say: "A header that may be there once is there twice.",
    holds: ({ rawHeaders }) => hasTwice(rawHeaders),
  },
  {
    step: "limits",
    name: "upgrade",
    status: 400,
    when: "`Upgrade` is asked for",
    say: "This speaks HTTP/1.1 and nothing else: leave Upgrade out.",
    holds: ({ headers }) => headers.upgrade !== undefined,
  },
  {
    step: "limits",
    name: "expect",
    status: 417,
    when: "`Expect` is anything but `100-continue`",
    say: "Only Expect: 100-continue can be met.",
    holds: ({ headers }) =>
      headers.expect !== undefined && headers.expect.toLowerCase() !== "100-continue",
  },
  {
    step: "limits",
    name: "big-body",
    status: 413,
    when: "the body is said to be larger than its route takes, or there is one where none is taken",
    say: "This body is larger than may be sent here.",
    holds: tooBig,
  },
  {
    step: "limits",
    name: "crowded-server",
    status: 503,
    when: "strangers have three quarters of all open requests, and this is a stranger; or all are open",
    say: "Too much is going on: try again in a moment.",
    holds: async ({ place, visitor }) =>
      place.crowded === "server" && (place.full || (await visitor()) === undefined),
  },
  {
    step: "limits",
    name: "crowded-address",
    status: 429,
    when: "the address of a stranger has as many open requests as one may have",
    say: "Too many open requests from your address: try again in a moment.",
    holds: async ({ place, visitor }) =>
      place.crowded === "address" && (await visitor()) === undefined,
  },
] as const satisfies readonly GuardRow[];

const place = [
  {
    step: "host",
    name: "host",
    status: 403,
    when: "`Host` is not an address the server is bound to, localhost or the bound name with its port, `http.publicUrl` or one of `http.hosts`",
    say: "This host name is not served here. The operator can add it to http.hosts.",
    holds: ({ site, headers, end }) => !site.isOurs(headers.host, end),
  },
  {
    step: "path",
    name: "unknown-path",
    status: 404,
    when: "nothing has this path",
    say: "There is nothing here.",
    holds: ({ route, allowed }) => route === undefined && allowed.length === 0,
  },
  {
    step: "path",
    name: "method",
    status: 405,
    when: "the path has no such method; `Allow` says which",
    say: "This cannot be done here.",
    holds: ({ route }) => route === undefined,
  },
  {
    step: "cross-site",
    name: "foreign-origin",
    status: 403,
    when: "there is an `Origin`, and it is not that of this request, of `http.publicUrl` or one of `http.origins`. Not for `GET` on public routes outside of `/api`",
    say: "A page of another site may not do this. The operator can set http.publicUrl or add to http.origins.",
    holds: ({ headers, site, origin, ...asked }) =>
      isGuarded(asked) && headers.origin !== undefined && !site.mayAct(headers.origin, origin()),
  },
  {
    step: "cross-site",
    name: "foreign-site",
    status: 403,
    when: "there is no `Origin`, and `Sec-Fetch-Site` is not `same-origin` or `none`: another port of this host is another site. Not for `GET` on public routes outside of `/api`",
    say: "A page of another site may not do this.",
    holds: ({ headers, ...asked }) =>
      isGuarded(asked) &&
      headers.origin === undefined &&
      !["same-origin", "none", undefined].includes(one(headers["sec-fetch-site"])),
  },
  {
    step: "cross-site",
    name: "no-origin",
    status: 403,
    when: "a file comes without an `Origin`",
    say: "Files are sent from the page: there is no Origin.",
    holds: ({ route, headers }) => route?.body === "file" && headers.origin === undefined,
  },
  {
    step: "content type",
    name: "encoding",
    status: 415,
    when: "`Content-Encoding` is anything but `identity`",
    say: "Send it without compression.",
    holds: ({ headers }) =>
      (headers["content-encoding"] ?? "identity").trim().toLowerCase() !== "identity",
  },
  {
    step: "content type",
    name: "content-type",
    status: 415,
    when: "`Content-Type` is not exactly what the route takes: `application/json` or `application/*+json`, `application/octet-stream` for a file",
    say: "Send it with the Content-Type that is taken here: application/json, or application/octet-stream for a file.",
    holds: ({ route, headers }) => !isTaken(route?.body, headers["content-type"]),
  },
] as const satisfies readonly GuardRow[];

const who = [
  {
    step: "authentication",
    name: "nobody",
    status: 401,
    when: "there is no valid session or token",
    say: `You are not signed in, or your session is over. ${link}`,
    holds: async ({ route, visitor }) =>
      route?.access !== "public" && (await visitor()) === undefined,
  },
  {
    step: "authorisation",
    name: "program",
    status: 403,
    when: "a file comes from a program with a token",
    say: "Files are sent from the page, by a browser that is signed in.",
    holds: async ({ route, visitor }) =>
      route?.body === "file" && route.access !== "public" && (await visitor())?.by !== "session",
  },
  {
    step: "authorisation",
    name: "operator",
    status: 403,
    when: "the route is the operator's, and the session is not from a link made on the gateway's machine",
    say: `This is for the operator, with a link made on the gateway's machine. ${link}`,
    holds: async ({ route, visitor }) =>
      route?.access === "operator" && (await visitor())?.operator !== true,
  },
] as const satisfies readonly GuardRow[];

const rows = [...limits, ...place, ...who] as const;

export type RowName = (typeof rows)[number]["name"];
export type Row = GuardRow & { readonly name: RowName };
export const table: readonly Row[] = rows;

/** What is asked once more when a body is there: who sends it may have lost their place meanwhile. */
export const lateRows: readonly Row[] = who;

/** The first row that holds; undefined: nothing is against it. */
export async function firstRefusal(
  asked: Asked,
  among: readonly Row[] = table,
): Promise<Row | undefined> {
  for (const row of among) {
    const held = row.holds(asked);
    if (held === true || (held !== false && (await held))) return row;
  }
  return undefined;
}

function hasTwice(rawHeaders: readonly string[]): boolean {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? "";
    if (!single.has(name)) continue;
    if (seen.has(name)) return true;
    seen.add(name);
  }
  return false;
}

function tooBig({ headers, route, limits }: Asked): boolean {
  const most = mostBytes(route, limits);
  if (most === 0 && headers["transfer-encoding"] !== undefined) return true;
  return Number(headers["content-length"] ?? 0) > most;
}

/** Whether it matters which page a request is from: not for what a link may lead to. Under /api only our own pages ask. */
function isGuarded({ method, route, target }: Pick<Asked, "method" | "route" | "target">): boolean {
  return method !== "GET" || route?.access !== "public" || target.startsWith("/api/");
}

function isTaken(body: string | undefined, header: string | undefined): boolean {
  if (body !== "json" && body !== "file") return true;
  const type = (header ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return body === "file"
    ? type === "application/octet-stream"
    : /^application\/(?:[\w.!#$&^-]+\+)?json$/.test(type);
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(",") : header;
}
