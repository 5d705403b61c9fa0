// By which names we are called, and which pages are ours.
import { isIP } from "node:net";
import { isLoopback } from "../../core/loopback.ts";
import { plainAddress } from "./address.ts";

export interface SiteOptions {
  /** What the server was told to bind. */
  readonly host: string;
  readonly publicUrl?: string | undefined;
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

/** The end of a connection that is ours. */
export interface OurEnd {
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
}

export interface Site {
  /** Does this Host header name us? A page that was rebound to our address has another name. */
  isOurs(header: string | undefined, end: OurEnd): boolean;
  /** Scheme, host and port as the caller sees them. `header` is ours. */
  origin(header: string, scheme: "http" | "https"): string;
  /** Is a page of this origin ours, for a request to `own`? */
  mayAct(origin: string, own: string): boolean;
}

interface Name {
  readonly name: string;
  readonly port: number | undefined;
}

export function siteOf({ host, publicUrl, hosts, origins }: SiteOptions): Site {
  const front = publicUrl === undefined ? undefined : new URL(publicUrl);
  // A proxy in front may pass our name on with its port, with ours, or without any.
  const named = hosts.map(parse).filter((one) => one !== undefined);
  if (front) named.push({ name: front.hostname.replace(/^\[|\]$/g, ""), port: undefined });
  const pages = new Set(origins.map((one) => new URL(one).origin));
  if (front) pages.add(front.origin);
  const wildcard = host === "0.0.0.0" || plainAddress(host) === "::";
  const direct = (name: string, { localAddress = "" }: OurEnd) =>
    name === "localhost" ||
    (isIP(host) === 0 && name === host.toLowerCase()) ||
    (isIP(name) !== 0 && (name === plainAddress(localAddress) || (wildcard && isLoopback(name))));
  return {
    isOurs(header, end) {
      const asked = parse(header ?? "");
      if (!asked) return false;
      if (direct(asked.name, end) && (asked.port ?? 80) === end.localPort) return true;
      return named.some(
        ({ name, port }) => name === asked.name && (port === undefined || port === asked.port),
      );
    },
    origin(header, scheme) {
      if (front && parse(header)?.name === front.hostname.replace(/^\[|\]$/g, ""))
        return front.origin;
      return new URL(`${scheme}://${header}`).origin;
    },
    mayAct: (origin, own) => origin === own || pages.has(origin),
  };
}

/** A host name or an address as a browser writes it, and its port; no other spelling. */
function parse(header: string): Name | undefined {
  const found = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/.exec(header.toLowerCase());
  if (!found) return undefined;
  const [, six, name = "", port] = found;
  if (six !== undefined && isIP(six) !== 6) return undefined;
  if (port !== undefined && Number(port) > 65_535) return undefined;
  return {
    name: six === undefined ? name : plainAddress(six),
    port: port === undefined ? undefined : Number(port),
  };
}
