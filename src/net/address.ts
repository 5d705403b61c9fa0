// Classes of addresses: what may be reached depends on which class was meant.
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** `shared` is 100.64.0.0/10: carriers' networks and tailnets. `never`: link-local, multicast, reserved, tunnels. */
export type AddressClass = "public" | "private" | "shared" | "loopback" | "never";

const byRange: Readonly<Record<string, AddressClass>> = {
  loopback: "loopback",
  private: "private",
  uniqueLocal: "private",
  carrierGradeNat: "shared",
};

const globalUnicast6 = ipaddr.IPv6.parseCIDR("2000::/3");
/** Looks public, but answers inside every Azure machine. */
const azureHost = "168.63.129.16";

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv6
    ? address.match(globalUnicast6)
    : address.toString() !== azureHost;
}

/** `text` is an address as sockets and DNS write it; anything else is `never`. */
export function classOf(text: string): AddressClass {
  // Never a zone: it only makes sense for link-local addresses.
  if (isIP(text) === 0 || text.includes("%")) return "never";
  const address = ipaddr.process(text); // an IPv4 address in IPv6 clothes is an IPv4 address
  if (isPublic(address)) return "public";
  return byRange[address.range()] ?? "never";
}

/** Of this machine, the public ones among them. */
export function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map((one) => one.address));
}

/** However the two are written. */
export function isSameAddress(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) =>
    isIP(text) === 0 || text.includes("%") ? undefined : ipaddr.process(text).toString(),
  );
  return a !== undefined && a === b;
}
