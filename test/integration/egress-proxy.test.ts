// From inside a real container: what is allowed is reached, nothing else is, and there is no other way out.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { withDocker } from "../fakes/docker-rig.ts";
import { containerRig } from "../fakes/egress-container.ts";
import { forever } from "../fakes/egress-rig.ts";

it(
  "reaches an allowed host with curl and with Node, and can read why another is refused",
  withDocker,
  async (t) => {
    const rig = await containerRig(t, {});
    const node = (url: string) =>
      `node -e 'fetch("${url}").then(async (r) => console.log(r.status, await r.text()), (e) => console.log(e.cause?.message ?? e.message))'`;
    const { out, err } = await rig.run(`
    curl -sS -w ' %{http_code}\\n' http://good.example/
    curl -sS -p -w ' %{http_code}\\n' http://good.example/
    ${node("http://good.example/")}
    curl -sS -w '%{http_code}\\n' http://other.example/
    curl -sS https://other.example/ 2>&1
    curl -sSi https://other.example/ 2>/dev/null
    git ls-remote http://other.example/x.git 2>&1 | tail -1
  `);
    const lines = out.split("\n").map((line) => line.trim());
    assert.deepEqual(lines.slice(0, 3), ["hello 200", "hello 200", "200 hello"], `${out}${err}`);
    assert.equal(
      lines[3],
      "Sallyport: other.example is not allowed here. The owner can allow it with: sallyport config add egress.allow other.example",
    );
    assert.equal(lines[4], "403");
    assert.match(lines[5] ?? "", /403/);
    assert.match(lines[6] ?? "", /^HTTP\/1\.1 403 .*other\.example is not allowed here/);
    assert.match(lines.at(-1) ?? "", /403/);
    assert.deepEqual(new Set(rig.tried), new Set(["93.184.216.34:80"]));
  },
);

it("asks an owner for another host, and reaches it after a yes", withDocker, async (t) => {
  const asked: string[] = [];
  const onEgress = async ({ host, port }: { host: string; port: number }) => {
    asked.push(`${host}:${port}`);
    return { until: forever };
  };
  const rig = await containerRig(t, { egress: { onEgress } });
  const { out } = await rig.run("curl -sS http://other.example/");
  assert.deepEqual([out, asked], ["hello", ["other.example:80"]]);
});

const inside = [
  "169.254.169.254",
  "10.0.0.1",
  "127.0.0.1",
  "2852039166",
  "[::ffff:169.254.169.254]",
];

it("reaches no address that is not public, though it is allowed", withDocker, async (t) => {
  const rig = await containerRig(t, { egress: { allow: () => inside } });
  const ask = (host: string) =>
    `curl -sS -g --noproxy '' -x http://127.0.0.1:3128 http://${host}/;`;
  const { out } = await rig.run(inside.map(ask).join("\n"));
  const lines = out.split("\n");
  assert.equal(lines.length, inside.length);
  for (const line of lines) assert.match(line, /^Sallyport: blocked address/);
  assert.deepEqual(rig.tried, []);
});

it("has no interface, no route, no DNS and no way round the proxy", withDocker, async (t) => {
  const rig = await containerRig(t, {});
  const dial = `for (const [host, port] of [["93.184.216.34", 80], ["172.17.0.1", 80], ["2606:4700::1", 443]])
    require("net").connect(port, host).on("error", (e) => console.log(e.code)).on("connect", () => console.log("in"));`;
  const { out } = await rig.run(`
    ls /sys/class/net | xargs
    tail -n +2 /proc/net/route | wc -l
    node -e 'require("dns").lookup("good.example", (e) => console.log(e.code))'
    curl -sS --noproxy '*' http://good.example/ >/dev/null 2>&1 || echo "curl $?"
    node -e '${dial}' | sort -u
  `);
  const [interfaces, routes, dns, curl, ...codes] = out.split("\n");
  assert.deepEqual([interfaces, routes, curl], ["lo", "0", "curl 6"], out);
  assert.match(dns ?? "", /^(?:EAI_AGAIN|ENOTFOUND)$/);
  assert.ok(
    codes.length > 0 && codes.every((code) => /^E(?:NETUNREACH|ADDRNOTAVAIL)$/.test(code)),
    out,
  );
});

it(
  "can change nothing of the gateway's folder, which is gone after the end",
  withDocker,
  async (t) => {
    const rig = await containerRig(t, {});
    const { out } = await rig.run(`
    cd /run/sallyport; ls | xargs
    touch x 2>/dev/null || echo no; rm -f egress.sock 2>/dev/null || echo no
    mv shim.ts y 2>/dev/null || echo no; chmod 777 . 2>/dev/null || echo no
    echo > files.json 2>/dev/null || echo no
  `);
    const [names = "", ...rest] = out.split("\n");
    assert.ok(names.includes("egress.sock") && names.includes("model.sock"), names);
    assert.ok(!names.includes("tools.sock"));
    assert.deepEqual(rest, ["no", "no", "no", "no", "no"]);
    assert.deepEqual(readdirSync(join(rig.stateDir, "beside")), []);
  },
);
