// An agent that is not on our side: what it tries from inside a container to read what is not its own, and to get out.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { ask } from "../fakes/docker-ask.ts";
import {
  containersOf,
  dockerRig,
  firstLine,
  image,
  shell,
  withDocker,
} from "../fakes/docker-rig.ts";

/** Every file that can be read, and what each process was started with: where the word of ~/own is. */
const search =
  "grep -rlaFs -D skip -f ~/own --exclude-dir=proc --exclude-dir=sys / /proc/[0-9]*/environ /proc/[0-9]*/cmdline";

it(
  "reads neither the state, nor another caller's home, nor a key of the gateway, wherever it looks",
  withDocker,
  async (t) => {
    const rig = dockerRig(t);
    // In two halves, so that the search does not find itself.
    const [half, other] = ["sk-ant-", "9d8f7e6c5b4a"];
    process.env.ANTHROPIC_API_KEY = half + other;
    t.after(() => delete process.env.ANTHROPIC_API_KEY);
    const places = ["server.db", "secrets/ANTHROPIC_API_KEY", "local-token", "homes/p-2/diary"];
    for (const name of ["secrets", "homes/p-2"])
      mkdirSync(join(rig.stateDir, name), { recursive: true });
    for (const name of places) writeFileSync(join(rig.stateDir, name), half + other);
    const { out } = await rig.run(
      `printf '%s' "${half}" > ~/own; printf '%s\\n' "${other}" >> ~/own; cp ~/own /tmp/own\n${search}; echo searched`,
    );
    assert.deepEqual(out.split("\n").sort(), ["/home/agent/own", "/tmp/own", "searched"]);
    const { out: followed } = await rig.run(
      places
        .map((name, at) => `ln -s ${join(rig.stateDir, name)} ~/l${at}; cat ~/l${at} 2>/dev/null`)
        .concat(
          "cat ../../state/server.db ../state/server.db /proc/1/root/../server.db 2>/dev/null",
        )
        .concat("echo end")
        .join("\n"),
    );
    assert.equal(followed, "end");
  },
);

it(
  "meets nobody: not the home, files, shared memory, sockets or processes of another caller",
  withDocker,
  async (t) => {
    const rig = dockerRig(t);
    const victim = await rig.sandbox.spawn(
      rig.scope("p-2"),
      shell(
        [
          "echo mine > ~/secret; echo mine > /tmp/secret; echo mine > /dev/shm/secret",
          `exec node -e '
          const { createServer } = require("node:net");
          createServer().listen(4321, "127.0.0.1", () => createServer().listen("\\0secret", () => console.log("up")));
        '`,
        ].join("\n"),
      ),
    );
    assert.equal(await firstLine(victim), "up");
    const seen = await ask<{ files: string[]; codes: string[]; processes: number }>(
      rig,
      async () => {
        const fs = process.getBuiltinModule("node:fs");
        const net = process.getBuiltinModule("node:net");
        const reach = (to: object) =>
          new Promise((resolve) => {
            const line = net.connect({ timeout: 3000, ...to } as never, () => resolve("reached"));
            line.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
          });
        const files = ["/home/agent/secret", "/home/p-2/secret", "/tmp/secret", "/dev/shm/secret"];
        return {
          files: files.filter((path) => fs.existsSync(path)),
          codes: [
            await reach({ host: "127.0.0.1", port: 4321 }),
            await reach({ path: "\0secret" }),
          ],
          processes: fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name)).length,
        };
      },
    );
    assert.deepEqual(seen, { files: [], codes: ["ECONNREFUSED", "ECONNREFUSED"], processes: 2 });
    await victim.kill();
  },
);

async function listening(t: TestContext, host: string | undefined, path?: string) {
  const reached: string[] = [];
  const server: Server = createServer((socket) => {
    reached.push(host ?? path ?? "");
    socket.destroy();
  });
  server.listen(path === undefined ? { host, port: 0 } : { path });
  t.after(() => server.close());
  await once(server, "listening");
  const address = server.address();
  return { reached, port: typeof address === "object" && address ? address.port : 0 };
}

interface Tried {
  readonly links: string[];
  readonly codes: Record<string, string>;
}

/** By TCP and by UDP, in one container. */
const reachAll = async (given: string) => {
  const fs = process.getBuiltinModule("node:fs");
  const net = process.getBuiltinModule("node:net");
  const dgram = process.getBuiltinModule("node:dgram");
  const { hosts, port, names } = JSON.parse(given);
  const codes: Record<string, string> = {};
  const tcp = (host: string) =>
    new Promise<string>((resolve) => {
      const line = net.connect({ host, port, timeout: 5000 }, () => resolve("reached"));
      line.on("error", (error: NodeJS.ErrnoException) => resolve(String(error.code)));
      line.on("timeout", () => resolve("timeout"));
    });
  const udp = (host: string) =>
    new Promise<string>((resolve) => {
      const socket = dgram.createSocket(host.includes(":") ? "udp6" : "udp4");
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(String(error.code)));
      socket.send("x", 53, host, (error) => {
        resolve(error ? String((error as NodeJS.ErrnoException).code) : "sent");
        socket.close();
      });
    });
  for (const host of hosts) {
    codes[`tcp ${host}`] = await tcp(host);
    codes[`udp ${host}`] = await udp(host);
  }
  for (const name of names) codes[`name ${name}`] = await tcp(name);
  const links = fs.readdirSync("/sys/class/net").filter((name) => name !== "bonding_masters");
  return { links, codes };
};

it(
  "has no way to metadata, host, LAN, tailnet or the internet: nothing leaves it, in any form",
  withDocker,
  async (t) => {
    const open = await listening(t, "0.0.0.0");
    const own = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, address }) => !internal && !address.startsWith("fe80"))
      .map(({ address }) => address);
    const hosts = [
      ...own,
      "169.254.169.254",
      "169.254.170.2",
      "100.100.100.200",
      "168.63.129.16",
      "::ffff:169.254.169.254",
      "fd00:ec2::254",
      "172.17.0.1",
      "10.0.0.1",
      "192.168.0.1",
      "100.64.0.1",
      "fd7a:115c:a1e0::1",
      "224.0.0.251",
      "192.0.2.1",
      "2001:db8::1",
    ];
    const names = [
      "2852039166",
      "0xA9FEA9FE",
      "0251.0376.0251.0376",
      "169.16689662",
      "metadata.google.internal",
      "host.docker.internal",
      "gateway.docker.internal",
      "example.com",
    ];
    const argument = JSON.stringify({ hosts, names, port: open.port });
    const { links, codes } = await ask<Tried>(dockerRig(t), reachAll, { argument });
    assert.deepEqual(links, ["lo"]);
    assert.equal(Object.keys(codes).length, 2 * new Set(hosts).size + names.length);
    // The kernel itself has no way there: so it is for every address, and no packet is made.
    for (const [what, code] of Object.entries(codes))
      assert.match(
        code,
        what.startsWith("name ")
          ? /^(ENETUNREACH|EAI_AGAIN|ENOTFOUND)$/
          : /^(ENETUNREACH|EADDRNOTAVAIL|EHOSTUNREACH)$/,
        what,
      );
    assert.deepEqual(open.reached, []);
  },
);

it(
  "reaches no server of this machine: not on its loopback, not on a socket without a file",
  withDocker,
  async (t) => {
    const [tcp, abstract] = [
      await listening(t, "127.0.0.1"),
      await listening(t, undefined, "\0sallyport-attack"),
    ];
    const argument = JSON.stringify({ port: tcp.port });
    const codes = await ask<string[]>(
      dockerRig(t),
      async (given) => {
        const net = process.getBuiltinModule("node:net");
        const { port } = JSON.parse(given);
        const reach = (to: object) =>
          new Promise((resolve) => {
            const line = net.connect(to as never, () => resolve("reached"));
            line.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
          });
        const ways = ["127.0.0.1", "::1", "0.0.0.0", "127.1"].map((host) => ({ host, port }));
        return Promise.all([...ways, { path: "\0sallyport-attack" }].map(reach));
      },
      { argument },
    );
    for (const code of codes) assert.match(code, /^(ECONNREFUSED|EADDRNOTAVAIL|ENETUNREACH)$/);
    assert.deepEqual([tcp.reached, abstract.reached], [[], []]);
  },
);

/** Processes of this machine whose command line has this word. */
function running(word: string): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(word);
    } catch {
      return false;
    }
  });
}

it(
  "does not outlive the gateway: what was killed with it is gone after the next start, daemons too",
  withDocker,
  async (t) => {
    const rig = dockerRig(t);
    const word = `${process.pid}.4242`;
    // Leaves its group, its session and its parent.
    const detached = '{ detached: true, stdio: "ignore" }';
    const daemon = `node -e 'require("node:child_process").spawn("sleep", ["${word}"], ${detached}).unref()'`;
    const script = `trap '' TERM HUP; ${daemon}; ${daemon}; (while :; do sleep ${word}; done) & echo up; exec sleep ${word}`;
    const gateway = fileURLToPath(new URL("../fakes/docker-gateway.ts", import.meta.url));
    const dead = spawn(process.execPath, [gateway, rig.folder, image, script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    t.after(() => dead.kill("SIGKILL"));
    await once(dead.stdout, "data");
    dead.kill("SIGKILL");
    await once(dead, "exit");
    // It lives on for now.
    for (let look = 0; running(`sleep\0${word}`).length < 4; look += 1) {
      assert.ok(look < 500, "it did not live on");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.equal(await rig.sandbox.sweep(), "clean");
    assert.deepEqual([running(`sleep\0${word}`), await containersOf(rig)], [[], []]);
    assert.equal((await rig.run("echo next")).out, "next");
  },
);

it("ends a shell's fork bomb with all of it, and this machine goes on", withDocker, async (t) => {
  const rig = dockerRig(t, { limits: { processes: 64 } });
  const word = `bomb${process.pid}`;
  const bomb = `sh -c 'b() { sh -c "sleep 60 # ${word}" & b | b & }; echo up; b; sleep 60' ${word}`;
  const agent = await rig.sandbox.spawn(rig.scope(), shell(bomb));
  assert.equal(await firstLine(agent), "up");
  assert.equal((await rig.run("echo beside it", rig.scope("p-2"))).out, "beside it");
  assert.ok(running(word).length <= 64);
  await agent.kill();
  assert.match(agent.stderrTail(), /cannot fork|Resource temporarily unavailable/i);
  assert.deepEqual([running(word), await containersOf(rig)], [[], []]);
});
