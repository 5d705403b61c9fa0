// Hosts as requests name them, and what the settings allow of them.
import { isIP } from "node:net";
import { hostOf } from "../../net/reach.ts";
import { authorityOf, type Target } from "../../net/tunnel.ts";

/** Narrower than what URLs take: a host is shown to people inside a command line. */
const hostName = /^(?=.{1,253}$)[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9_][a-z0-9_-]*)*$/;
const authority = /^(\[[0-9a-f:.]{2,45}\]|[^[\]:/?#@\\\s]{1,255}):(\d{1,5})$/i;
const rule = /^(\*\.)?(\[[0-9a-f:.]{2,45}\]|[^[\]:/?#@\\\s]{1,255})(?::(\d{1,5}))?$/i;

/** In the one form in which hosts are compared, whatever form of number or script it came in. */
function canonical(url: URL | null): string | undefined {
  const host = url === null ? "" : hostOf(url).toLowerCase();
  return isIP(host) !== 0 || hostName.test(host) ? host : undefined;
}

function isPort(port: number): boolean {
  return port > 0 && port < 65_536;
}

/** Of CONNECT: a host and a port. */
export function targetOfAuthority(text: string): Target | undefined {
  const [, name, digits] = authority.exec(text) ?? [];
  const [host, port] = [canonical(URL.parse(`http://${name}/`)), Number(digits)];
  return name === undefined || host === undefined || !isPort(port) ? undefined : { host, port };
}

/** Of a request in absolute form; only http, since https comes by CONNECT. */
export function targetOfUrl(text: string): { url: URL; target: Target } | undefined {
  const url = /^http:\/\//i.test(text) ? URL.parse(text) : null;
  if (url === null || url.username !== "" || url.password !== "") return undefined;
  const [host, port] = [canonical(url), url.port === "" ? 80 : Number(url.port)];
  if (host === undefined || !isPort(port)) return undefined;
  // What was compared is what is looked up.
  url.host = authorityOf({ host, port });
  return { url, target: { host, port } };
}

export function isWebPort(port: number): boolean {
  return port === 80 || port === 443;
}

/** As the settings name it. */
export function shownAs(target: Target): string {
  return isWebPort(target.port) ? target.host : authorityOf(target);
}

function matches(text: string, { host, port }: Target): boolean {
  const [, wild, name, digits] = rule.exec(text.trim()) ?? [];
  const allowed = name === undefined ? undefined : canonical(URL.parse(`http://${name}/`));
  if (allowed === undefined) return false;
  if (digits === undefined ? !isWebPort(port) : Number(digits) !== port) return false;
  if (wild === undefined) return host === allowed;
  return isIP(host) === 0 && host.endsWith(`.${allowed}`);
}

export function isAllowed(rules: readonly string[], target: Target): boolean {
  return rules.some((text) => matches(text, target));
}
