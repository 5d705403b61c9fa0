// Connects only where a reach allows: resolves first, checks every answer, pins the address, checks the real peer.
import type { LookupAddress } from "node:dns";
import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import { buildConnector } from "undici";
import { checkAddress, type Reach } from "./reach.ts";
import { Refused } from "./refused.ts";

export type Connect = buildConnector.connector;
type Connected = Parameters<buildConnector.Callback>[1];
export type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

export interface ConnectorOptions {
  readonly reach: Reach;
  readonly lookup: Lookup;
  /** Gets an address, never a name. */
  readonly connect: Connect;
}

/** A name may have many addresses; trying more than a few only takes time. */
const attempts = 4;

export const resolve: Lookup = (host) => systemLookup(host, { all: true });

export function directConnect(timeoutMs: number): Connect {
  return buildConnector({ timeout: timeoutMs, allowH2: false });
}

async function addressesOf(host: string, options: ConnectorOptions): Promise<readonly string[]> {
  const literal = host.replace(/^\[|\]$/g, "");
  const answers = isIP(literal) === 0 ? await options.lookup(host) : [{ address: literal }];
  if (answers.length === 0) throw new Refused(`${host} has no address.`);
  // One bad answer is enough: a name that is both inside and outside is a trick.
  for (const { address } of answers) checkAddress(address, options.reach);
  const addresses = answers.map(({ address }) => address);
  return addresses.sort((a, b) => isIP(a) - isIP(b)).slice(0, attempts);
}

function connectTo(
  address: string,
  target: buildConnector.Options,
  options: ConnectorOptions,
): Promise<NonNullable<Connected>> {
  return new Promise((resolve, reject) => {
    options.connect({ ...target, hostname: address }, (error, socket) => {
      if (!socket) {
        reject(error);
        return;
      }
      try {
        checkAddress(socket.remoteAddress ?? "", options.reach);
        resolve(socket);
      } catch (refusal) {
        socket.destroy();
        reject(refusal);
      }
    });
  });
}

async function connectToOneOf(
  target: buildConnector.Options,
  options: ConnectorOptions,
): Promise<NonNullable<Connected>> {
  let failure: unknown;
  for (const address of await addressesOf(target.hostname, options)) {
    try {
      return await connectTo(address, target, options);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

export function guardedConnector(options: ConnectorOptions): Connect {
  return (target, callback) => {
    connectToOneOf(target, options).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}
