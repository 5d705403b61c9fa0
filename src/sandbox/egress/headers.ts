// Headers on their way through: what belongs to one connection stays on it.
import type { ForwardHeaders } from "../../net/forward.ts";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const ofConnection: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "expect"],
]);

/** Without those that the Connection header names, those of proxies, and `more` (in lower case). */
export function passedOn(headers: Headers, more: ReadonlySet<string>): ForwardHeaders {
  const named = [headers.connection ?? ""]
    .flat()
    .join(",")
    .toLowerCase()
    .split(/[\s,]+/);
  const dropped = new Set([...ofConnection, ...named, ...more]);
  const kept: ForwardHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    const isOurs = dropped.has(name) || name.startsWith("proxy-") || name.startsWith(":");
    if (value !== undefined && !isOurs) kept[name] = value;
  }
  return kept;
}

export function hasBody(headers: Headers): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}
