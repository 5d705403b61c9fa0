// What a guarded client may reach, and which URLs are refused before anything is looked up.
import { isIP } from "node:net";
import { type AddressClass, classOf, isSameAddress } from "./address.ts";
import { Refused } from "./refused.ts";

export interface Reach {
  readonly classes: ReadonlySet<AddressClass>;
  /** Where only this origin may be reached. */
  readonly origin?: string;
  readonly anyPort: boolean;
  /** Refused whatever their class: this machine's own. Read at each check. */
  readonly own?: () => readonly string[];
}

/** For URLs that a stranger can influence. */
export const publicReach: Reach = { classes: new Set(["public"]), anyPort: false };

// Above 1023: where services listen that were never meant for strangers. Below it only the web's own two are left.
const servicePorts: ReadonlySet<number> = new Set([
  1080, 1433, 1521, 1723, 2049, 2181, 2375, 2376, 2379, 2380, 3000, 3128, 3268, 3306, 3389, 4369,
  4444, 5000, 5060, 5432, 5555, 5601, 5672, 5900, 5984, 5985, 5986, 6000, 6379, 6443, 6667, 7000,
  7001, 8086, 8200, 8500, 9000, 9042, 9090, 9092, 9100, 9200, 9300, 10250, 10255, 11211, 15672,
  27017, 50070,
]);
const privateSuffixes = [".local", ".internal", ".lan", ".home.arpa", ".ts.net"];

/** The host without brackets and trailing dots, as the checks need it. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
}

function isLocalName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

/** The class that a host configured by the operator stands for. A name never stands for more than its form says. */
function classesOfHost(host: string): readonly AddressClass[] {
  if (isIP(host) !== 0) return [classOf(host)];
  if (isLocalName(host)) return ["loopback"];
  const isPrivate = !host.includes(".") || privateSuffixes.some((end) => host.endsWith(end));
  return isPrivate ? ["private", "shared"] : ["public"];
}

function isWeb(url: URL): boolean {
  return url.protocol === "http:" || url.protocol === "https:";
}

/** For an operator's own URL: the class of its host, and nothing but its origin unless that is public. */
export function reachOf(root: string): Reach {
  const url = URL.parse(root);
  if (url === null || !isWeb(url)) throw new Refused("The configured URL is not http or https.");
  const host = hostOf(url);
  const classes = new Set(classesOfHost(host));
  if (classes.has("never") || host === "metadata.google.internal") {
    throw new Refused(`The configured address ${host} is of a kind that is never reached.`);
  }
  return classes.has("public")
    ? { classes, anyPort: true }
    : { classes, anyPort: true, origin: url.origin };
}

function checkPort(url: URL): void {
  const port = url.port === "" ? 443 : Number(url.port);
  if ((port < 1024 && port !== 80 && port !== 443) || servicePorts.has(port)) {
    throw new Refused(`Port ${port} is not for the web.`);
  }
}

function checkHost(url: URL, reach: Reach): void {
  const host = hostOf(url);
  if (host === "") throw new Refused("The URL names no host.");
  if (isIP(host) !== 0) checkAddress(host, reach);
  if (isLocalName(host) && !reach.classes.has("loopback")) {
    throw new Refused(`${host} is this machine.`);
  }
  if (host === "metadata.google.internal") throw new Refused(`${host} is never reached.`);
}

/** The last word on an address: called for literals, for every answer of DNS and for the socket's real peer. */
export function checkAddress(address: string, reach: Reach): void {
  const found = classOf(address);
  if (found === "never" || !reach.classes.has(found)) {
    const wanted = [...reach.classes].join(" or ");
    throw new Refused(`The address ${address} is not ${wanted}.`);
  }
  if (reach.own?.().some((one) => isSameAddress(one, address)))
    throw new Refused(`The address ${address} is this machine's own.`);
}

/** Throws Refused, with a message that holds no path: paths may hold tokens. */
export function checkUrl(url: URL, reach: Reach): void {
  if (!isWeb(url)) throw new Refused(`${url.protocol} is not http or https.`);
  if (url.username !== "" || url.password !== "") {
    throw new Refused("The URL holds a user name or password.");
  }
  if (reach.origin !== undefined && url.origin !== reach.origin) {
    throw new Refused(`${url.origin} is not the configured ${reach.origin}.`);
  }
  if (!reach.anyPort) checkPort(url);
  checkHost(url, reach);
}
