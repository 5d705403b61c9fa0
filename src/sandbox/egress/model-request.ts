// Looks at a request to the model before anything goes out: whose it is, whether an agent needs it, whether it may be paid for.
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { ModelEndpoint } from "../../core/egress.ts";
import type { SandboxScope } from "../../core/sandbox.ts";
import { isPublicRoot } from "../../net/forward.ts";
import { isPlainJson } from "./foreground.ts";
import { isBackgroundPath, isNeeded } from "./model-api.ts";
import { problemWithModelUrl } from "./model-url.ts";

export type ModelRefusal =
  | "wrong-token"
  | "no-model"
  | "wrong-url"
  | "background"
  | "forbidden-path"
  | "no-key"
  | "over-budget"
  | "too-large";

export interface RefusedRequest {
  readonly status: number;
  readonly why: ModelRefusal;
  /** For the agent, who shows it to people. */
  readonly message: string;
}

export interface Admission {
  readonly scope: SandboxScope;
  readonly placeholder: string;
  /** Read at each request. */
  readonly model: () => ModelEndpoint | undefined;
  /** A sentence: why this scope may ask the model for nothing more. */
  readonly overBudget?: ((scope: SandboxScope) => string | undefined) | undefined;
  readonly bodyBytes: number;
}

export interface Admitted {
  readonly endpoint: ModelEndpoint;
  /** Its body must not ask for work in the background. */
  readonly foreground: boolean;
  /** At the endpoint. */
  readonly url: URL;
}

export const tokenHeaders: ReadonlySet<string> = new Set([
  ...["x-api-key", "authorization", "x-goog-api-key", "api-key"],
]);

function refuse(status: number, why: ModelRefusal, message: string): RefusedRequest {
  return { status, why, message };
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function hasToken({ headers }: IncomingMessage, url: URL, placeholder: string): boolean {
  const given = [
    headers["x-api-key"],
    headers["x-goog-api-key"],
    headers.authorization?.replace(/^bearer +/i, ""),
    ...url.searchParams.getAll("key"),
  ];
  return given.flat().some((token) => token !== undefined && isSame(token, placeholder));
}

/** Some name the base of an API with its version, as https://HOST/v1; agents always ask with one. */
function urlAt({ url }: ModelEndpoint, asked: URL): URL {
  const target = new URL(url);
  const base = target.pathname.replace(/\/+$/, "");
  const path = /\/v\d\w*$/.test(base) ? asked.pathname.replace(/^\/v\d\w*/, "") : asked.pathname;
  target.pathname = `${base}${path}`;
  const query = new URLSearchParams(asked.searchParams);
  query.delete("key");
  target.search = query.toString();
  target.hash = "";
  return target;
}

export const background: RefusedRequest = {
  status: 403,
  why: "background",
  message:
    "Sallyport: agents may not use the model in the background, nor send what is not plain JSON here.",
};

export function tooLarge(most: number): RefusedRequest {
  return refuse(413, "too-large", `Sallyport: a request may have at most ${most} bytes.`);
}

/** By what its body is, which is only looked at as it passes. */
function refuseBody(request: IncomingMessage, foreground: boolean, most: number) {
  if (Number(request.headers["content-length"] ?? 0) > most) return tooLarge(most);
  return foreground && !isPlainJson(request.headers) ? background : undefined;
}

function refuseEndpoint(endpoint: ModelEndpoint): RefusedRequest | undefined {
  const problem = problemWithModelUrl(endpoint.url);
  if (problem !== undefined) {
    const message = `Sallyport: ${problem} The owner should set another: sallyport config set model.url URL`;
    return refuse(502, "wrong-url", message);
  }
  if (endpoint.key !== undefined || !isPublicRoot(endpoint.url)) return undefined;
  const message = `No key is set. The owner should run: sallyport secret set ${endpoint.secret}`;
  return refuse(401, "no-key", message);
}

export function admit(
  request: IncomingMessage,
  { scope, placeholder, model, overBudget, bodyBytes }: Admission,
): Admitted | RefusedRequest {
  const { method = "", url: path = "" } = request;
  // What is checked here is what goes out: parsed, without dots.
  const asked = path.startsWith("/") ? URL.parse(`http://model${path}`) : null;
  if (asked === null) return refuse(403, "forbidden-path", "Sallyport: this is not a path.");
  if (!hasToken(request, asked, placeholder))
    return refuse(401, "wrong-token", "Sallyport: this is not the key of this sandbox.");
  const endpoint = model();
  if (endpoint === undefined)
    return refuse(404, "no-model", "Sallyport: no model is set. The owner should choose one.");
  if (!isNeeded(endpoint.api, method, asked.pathname))
    return refuse(403, "forbidden-path", `Sallyport: agents may not use ${method} on this path.`);
  const foreground = isBackgroundPath(endpoint.api, asked.pathname);
  const refused = refuseEndpoint(endpoint) ?? refuseBody(request, foreground, bodyBytes);
  if (refused !== undefined) return refused;
  const spent = overBudget?.(scope);
  if (spent !== undefined) return refuse(429, "over-budget", spent);
  return { endpoint, foreground, url: urlAt(endpoint, asked) };
}
