// Plain connections for somebody else's bytes, to public addresses only.
import { isIP, type Socket } from "node:net";
import { ownAddresses } from "./address.ts";
import { type Connect, guardedConnector, type Lookup } from "./connector.ts";
import { checkUrl, publicReach, type Reach } from "./reach.ts";
import { Refused } from "./refused.ts";

/** Which ports are meant is somebody else's to say. */
export const anyPublic: Reach = { ...publicReach, anyPort: true, own: ownAddresses };

export interface Target {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

export function authorityOf({ host, port }: Target): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/** False for what is refused without a look at DNS: addresses that are not public, names of this machine. */
export function maybePublic(target: Target): boolean {
  try {
    checkUrl(new URL(`http://${authorityOf(target)}/`), anyPublic);
    return true;
  } catch {
    return false;
  }
}

/** Whether a request failed because of where it leads. */
export function isRefused(error: unknown): boolean {
  return error instanceof Refused || (error instanceof Error && error.cause instanceof Refused);
}

export interface TunnelPorts {
  readonly lookup: Lookup;
  readonly connect: Connect;
  /** Addresses of this machine, which are never reached. */
  readonly own?: () => readonly string[];
}

/** Rejects with Refused where the name, one of its addresses or the peer is not public. */
export function openTunnel(
  { host, port }: Target,
  { lookup, connect, own = ownAddresses }: TunnelPorts,
): Promise<Socket> {
  const open = guardedConnector({ reach: { ...anyPublic, own }, lookup, connect });
  const target = { hostname: host, host, protocol: "http:", port: String(port) };
  return new Promise((resolve, reject) => {
    open(target, (error, socket) => {
      if (socket) resolve(socket);
      else reject(error);
    });
  });
}
