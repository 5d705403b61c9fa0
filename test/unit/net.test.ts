// What the guarded HTTP client refuses. No packet of these tests leaves the machine: every connection is injected.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { it } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { type Connect, directConnect, type Lookup } from "../../src/net/connector.ts";
import { createGuardedFetch, type GuardOptions } from "../../src/net/guarded-fetch.ts";
import { Refused } from "../../src/net/refused.ts";

const publicAddress = "93.184.216.34";

/** Looks up nothing but what it is told, and connects to nobody. */
function isolated(answers: Readonly<Record<string, readonly string[]>> = {}) {
  const tried: string[] = [];
  const lookup: Lookup = async (host) =>
    (answers[host] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const connect: Connect = ({ hostname, port }, callback) => {
    tried.push(`${hostname}:${port}`);
    callback(new Error("not connected in this test"), null);
  };
  return { tried, lookup, connect };
}

async function reject(options: GuardOptions, url: string): Promise<unknown> {
  const client = createGuardedFetch(options);
  try {
    await client.fetch(url);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await client.close();
  }
}

const insideNames = {
  "inside.example": ["10.0.0.1"],
  "both.example": [publicAddress, "127.0.0.1"],
  "mapped.example": ["::ffff:127.0.0.1"],
  "nowhere.example": [],
};

const refused: Readonly<Record<string, readonly string[]>> = {
  "SS-01 numbers for 127.0.0.1": [
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://0/",
  ],
  "SS-02 any": ["http://0.0.0.0:8080/", "http://[::]/"],
  "SS-03 IPv4 in IPv6": [
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
  ],
  "SS-05 special ranges": [
    "http://[fe80::1%25eth0]/",
    "http://[fe80::1]/",
    "http://[fc00::1]/",
    "http://[ff02::1]/",
    "http://[::1]/",
    "http://[2001:db8::1]/",
    "http://240.0.0.1/",
    "http://224.0.0.1/",
    "http://198.18.0.1/",
    "http://192.0.0.1/",
    "http://255.255.255.255/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://168.63.129.16/",
  ],
  "SS-06 carriers and tailnets": ["http://100.64.0.1/"],
  "SS-07 names of this machine and of clouds": [
    "http://localhost/",
    "http://localhost./",
    "http://LOCALHOST../",
    "http://foo.localhost/",
    "http://169.254.169.254./",
    "http://metadata.google.internal./",
  ],
  "SS-09 look-alikes": [
    "http://good.example@127.0.0.1/",
    "http://127.0.0.1#@good.example",
    "http://user@good.example/",
  ],
  "SS-10 names that lead inside": Object.keys(insideNames).map((name) => `http://${name}/`),
  "SS-12 other schemes": [
    "file:///etc/passwd",
    "ftp://good.example/",
    "data:text/plain,x",
    "nonsense",
  ],
  "SS-15 ports": [
    "http://good.example:22/",
    "http://good.example:25/%0d%0aRCPT",
    "http://good.example:6379/",
    "http://good.example:11211/",
  ],
};

for (const [name, urls] of Object.entries(refused)) {
  it(`refuses for callers, without a connection: ${name}`, async () => {
    for (const url of urls) {
      const { tried, ...ports } = isolated({ ...insideNames, "good.example": [publicAddress] });
      const error = await reject({ allow: "public", ...ports }, url);
      assert.ok(error instanceof Refused, `${url}: ${error}`);
      assert.deepEqual(tried, [], url);
    }
  });
}

it("connects to the address that was checked, in IPv4 first, and to nothing that DNS says later", async () => {
  const { tried, connect } = isolated();
  const answers = [["2606:4700::1", publicAddress], ["127.0.0.1"]];
  const lookup: Lookup = async () =>
    (answers.shift() ?? []).map((address) => ({ address, family: 4 }));
  const client = createGuardedFetch({ allow: "public", lookup, connect });
  await assert.rejects(client.fetch("http://turns.example/"), /fetch failed/);
  assert.deepEqual(tried, [`${publicAddress}:`, "2606:4700::1:"]);
  await assert.rejects(client.fetch("http://turns.example/"), Refused);
  assert.equal(tried.length, 2);
  await client.close();
});

it("SS-09 reads a backslash as browsers do: what follows it is a path, not a host", async () => {
  const { tried, ...ports } = isolated({ "good.example": [publicAddress] });
  await reject({ allow: "public", ...ports }, "http://good.example\\@127.0.0.1");
  assert.deepEqual(tried, [`${publicAddress}:`]);
});

it("SS-16 names the host in TLS although it connects to an address", async (t) => {
  const names: string[] = [];
  const SNICallback = (name: string, done: (error: Error) => void) => {
    names.push(name);
    done(new Error("no certificate in this test"));
  };
  const server = createTlsServer({ SNICallback }).listen(0, "127.0.0.1");
  server.on("tlsClientError", () => {});
  await once(server, "listening");
  t.after(() => server.close());
  const port = String((server.address() as AddressInfo).port);
  const lookup: Lookup = async () => [{ address: publicAddress, family: 4 }];
  const connect: Connect = (target, callback) => {
    assert.equal(target.hostname, publicAddress);
    directConnect(5000)({ ...target, hostname: "127.0.0.1", port }, callback);
  };
  await reject({ allow: "public", lookup, connect }, "https://good.example/");
  assert.deepEqual(names, ["good.example"]);
});

const roots: readonly [root: string, url: string, reached: boolean][] = [
  ["http://127.0.0.1:8081", "http://127.0.0.1:8081/bot1/getMe", true],
  ["http://127.0.0.1:8081", "http://127.0.0.1:8082/", false],
  ["http://127.0.0.1:8081", "http://10.0.0.1:8081/", false],
  ["http://localhost:8081", "http://localhost:8081/x", true],
  ["http://10.0.0.5", "http://10.0.0.5/x", true],
  ["http://10.0.0.5", "http://10.0.0.6/x", false],
  ["http://100.64.0.9", "http://100.64.0.9/", true],
  ["http://nas.lan", "http://nas.lan/", true],
  ["http://bot-api", "http://bot-api/", false],
  ["https://api.example", "https://files.example/x", true],
  ["https://api.example", "https://inside.example/x", false],
  ["https://api.example", "http://10.0.0.5/", false],
  ["https://api.example:8443", "https://api.example:8443/", true],
];

it("reaches from a configured root its class of address and never turns", async () => {
  for (const [root, url, reached] of roots) {
    const { tried, ...ports } = isolated({
      ...insideNames,
      localhost: ["127.0.0.1"],
      "nas.lan": ["192.168.1.9"],
      "bot-api": [publicAddress],
      "api.example": [publicAddress],
      "files.example": [publicAddress],
    });
    const error = await reject({ allow: { root }, ...ports }, url);
    assert.equal(error instanceof Refused, !reached, `${root} -> ${url}: ${error}`);
    assert.equal(tried.length, reached ? 1 : 0, `${root} -> ${url}`);
  }
});

it("takes no root that is link-local, reserved or no URL", () => {
  for (const root of ["http://169.254.169.254/", "http://0.0.0.0/", "ftp://x.example", "x"]) {
    assert.throws(() => createGuardedFetch({ allow: { root } }), Refused, root);
  }
});
