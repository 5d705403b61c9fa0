// Addresses of callers, and which of them are proxies that may speak for others.
import { BlockList, isIP } from "node:net";

/** As it is written once: IPv4 in IPv6 clothes is IPv4, IPv6 is in its short form without a zone. */
export function plainAddress(address: string): string {
  const [text = ""] = address.split("%", 1);
  if (isIP(text) !== 6) return text;
  const short = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short);
  if (!mapped) return short;
  const [high = 0, low = 0] = mapped.slice(1).map((part) => Number.parseInt(part, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** Whom we tell apart: one IPv4 address, or the network of 64 bits that one IPv6 subscriber has. */
export function callerAddress(address: string): string {
  const plain = plainAddress(address);
  if (isIP(plain) !== 6 || plain === "::1") return plain;
  const [head = "", tail] = plain.split("::");
  const before = head.split(":").filter(Boolean);
  const after = (tail ?? "").split(":").filter(Boolean);
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...Array.from({ length: zeros }, () => "0"), ...after];
  return `${all.slice(0, 4).join(":")}::/64`;
}

/** Throws with a message for the operator when an entry is neither an address nor a network. */
export function proxiesFrom(entries: readonly string[]): (address: string) => boolean {
  const known = new BlockList();
  for (const entry of entries) {
    const [text = "", bits] = entry.split("/", 2);
    const family = isIP(text) === 6 ? "ipv6" : "ipv4";
    const most = family === "ipv6" ? 128 : 32;
    const size = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (isIP(text) === 0 || size < 0 || size > most)
      throw new Error(
        `http.trustedProxies: ${entry} is no address and no network. Write it like 10.0.0.5 or 10.0.0.0/8.`,
      );
    known.addSubnet(text, size, family);
  }
  return (address) => {
    const plain = plainAddress(address);
    const version = isIP(plain);
    return version !== 0 && known.check(plain, version === 6 ? "ipv6" : "ipv4");
  };
}
