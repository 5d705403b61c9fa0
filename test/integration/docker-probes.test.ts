// What the kernel says from inside a container of the docker sandbox: each promise about it is read there, and attacked.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { ask } from "../fakes/docker-ask.ts";
import { dockerRig, shell, toEnd, withDocker } from "../fakes/docker-rig.ts";

interface Limits {
  readonly memory: string;
  readonly swap: string;
  readonly quota: string;
  readonly processes: string;
}

it("has no capabilities, cannot gain any, and is filtered by seccomp", withDocker, async (t) => {
  const { out } = await dockerRig(t).run(
    "grep -E '^(Cap|NoNewPrivs|Seccomp:|Uid|Groups)' /proc/self/status",
  );
  const status = Object.fromEntries(out.split("\n").map((line) => line.split(/:\s*/)));
  const none = "0000000000000000";
  const { CapInh, CapPrm, CapEff, CapBnd, CapAmb, NoNewPrivs, Seccomp } = status;
  assert.deepEqual([CapInh, CapPrm, CapEff, CapBnd, CapAmb], [none, none, none, none, none]);
  assert.deepEqual([NoNewPrivs, Seccomp], ["1", "2"]);
  assert.doesNotMatch(status.Uid, /\b0\b/);
  assert.doesNotMatch(status.Groups, /\b0\b/);
});

it("cannot become root of a namespace of its own, mount or unmount", withDocker, async (t) => {
  const { out } = await dockerRig(t).run(
    "for what in -Ur -m -n; do unshare $what true 2>&1; echo $?; done; ls -l /dev/kmsg /dev/mem /dev/vda 2>&1 | grep -c 'No such'",
  );
  const lines = out.split("\n");
  assert.equal(lines.filter((line) => /Operation not permitted/.test(line)).length, 3, out);
  assert.equal(lines.at(-1), "3");
});

it(
  "has the limits that were set, of memory without swap, of CPUs and of processes",
  withDocker,
  async (t) => {
    const limits = await ask<Limits>(
      dockerRig(t, { limits: { memoryMB: 512, cpus: 0.5, processes: 77 } }),
      () => {
        const { readFileSync } = process.getBuiltinModule("node:fs");
        // One of the two kinds of control groups.
        const first = (...paths: string[]) => {
          for (const path of paths) {
            try {
              return readFileSync(`/sys/fs/cgroup/${path}`, "utf8").trim();
            } catch {}
          }
          return "";
        };
        const [old, period] = [first("cpu/cpu.cfs_quota_us"), first("cpu/cpu.cfs_period_us")];
        return {
          memory: first("memory/memory.limit_in_bytes", "memory.max"),
          swap: first("memory/memory.memsw.limit_in_bytes", "memory.swap.max"),
          quota: old === "" ? first("cpu.max") : `${old} ${period}`,
          processes: first("pids/pids.max", "pids.max"),
        };
      },
    );
    const bytes = String(512 * 1024 * 1024);
    assert.ok([bytes, "0"].includes(limits.swap), limits.swap);
    assert.deepEqual(
      { ...limits, swap: "" },
      { memory: bytes, swap: "", quota: "50000 100000", processes: "77" },
    );
  },
);

it("has no network: no interface but lo, no route, and nothing answers", withDocker, async (t) => {
  const server = createServer().listen(0, "0.0.0.0");
  t.after(() => server.close());
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const targets = ["169.254.169.254", "172.17.0.1", ...own.map((entry) => entry.address)];
  const argument = JSON.stringify({ targets, port: address.port });
  const seen = await ask<{ links: string[]; routes: string; codes: string[]; dns: string }>(
    dockerRig(t),
    async (given) => {
      const { readdirSync, readFileSync } = process.getBuiltinModule("node:fs");
      const net = process.getBuiltinModule("node:net");
      const { targets, port } = JSON.parse(given);
      const reach = (host: string) =>
        new Promise((resolve) => {
          const line = net.connect({ host, port, timeout: 3000 }, () => resolve("reached"));
          line.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
          line.on("timeout", () => resolve("timeout"));
        });
      const dns = await process
        .getBuiltinModule("node:dns/promises")
        .lookup("example.com")
        .then(
          () => "found",
          () => "none",
        );
      return {
        links: readdirSync("/sys/class/net").filter((name) => name !== "bonding_masters"),
        routes: readFileSync("/proc/net/route", "utf8").trim().split("\n").slice(1).join("\n"),
        codes: await Promise.all(targets.map(reach)),
        dns,
      };
    },
    { argument },
  );
  assert.deepEqual([seen.links, seen.routes, seen.dns], [["lo"], "", "none"]);
  assert.equal(seen.codes.length, targets.length);
  for (const code of seen.codes)
    assert.match(code, /^(ENETUNREACH|ECONNREFUSED|EADDRNOTAVAIL|EINVAL)$/);
});

it(
  "sees of this machine only its folders, read-only but for workspace, home and a small /tmp",
  withDocker,
  async (t) => {
    const rig = dockerRig(t);
    mkdirSync(join(rig.stateDir, "homes", "p-2"), { recursive: true });
    writeFileSync(join(rig.stateDir, "homes", "p-2", "diary"), "of another caller");
    writeFileSync(join(rig.stateDir, "server.db"), "the state");
    const seen = await ask<{ writable: string[]; found: string[]; modes: Record<string, string> }>(
      rig,
      (stateDir) => {
        const fs = process.getBuiltinModule("node:fs");
        const mounts = fs
          .readFileSync("/proc/mounts", "utf8")
          .trim()
          .split("\n")
          .map((line) => line.split(" "));
        const places = [
          "/",
          "/etc",
          "/usr/bin",
          "/workspace",
          "/home",
          "/home/agent",
          "/tmp",
          "/mnt",
          "/run",
          "/opt/sallyport",
          "/proc/sys/kernel",
          "/sys",
        ];
        const writable = places.filter((place) => {
          try {
            fs.writeFileSync(`${place}/probe`, "");
            return true;
          } catch {
            return false;
          }
        });
        const hidden = [
          stateDir,
          `${stateDir}/homes/p-2/diary`,
          "/var/run/docker.sock",
          "/run/docker.sock",
          "/home/p-2",
        ];
        return {
          writable,
          found: hidden.filter((path) => fs.existsSync(path)),
          modes: Object.fromEntries(mounts.map(([, point, , options]) => [point, options])),
        };
      },
      { argument: rig.stateDir },
    );
    assert.deepEqual(seen.writable, ["/workspace", "/home/agent", "/tmp"]);
    assert.deepEqual(seen.found, []);
    assert.match(seen.modes["/"] ?? "", /^ro,/);
    assert.match(seen.modes["/tmp"] ?? "", /^rw,nosuid,nodev,relatime/);
    assert.match(seen.modes["/tmp"] ?? "", /size=262144k/);
  },
);

it("sees no process but its own", withDocker, async (t) => {
  const pids = await ask<string[]>(dockerRig(t), () => {
    const { readdirSync } = process.getBuiltinModule("node:fs");
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  });
  assert.deepEqual(pids.length, 2, "docker-init and the probe");
});

it("bounds a fork bomb, and the agent lives on", withDocker, async (t) => {
  const rig = dockerRig(t, { limits: { processes: 40 } });
  const made = await ask<{ started: number; refused: number }>(rig, async () => {
    const { spawn } = process.getBuiltinModule("node:child_process");
    const outcomes = Array.from({ length: 120 }, () => {
      return new Promise<boolean>((resolve) => {
        try {
          const child = spawn("sleep", ["20"], { stdio: "ignore" });
          child.once("spawn", () => resolve(true)).once("error", () => resolve(false));
          child.unref();
        } catch {
          resolve(false);
        }
      });
    });
    const started = (await Promise.all(outcomes)).filter(Boolean).length;
    return { started, refused: 120 - started };
  });
  assert.ok(made.started > 5 && made.started < 40, String(made.started));
});

it("ends what takes too much memory, and says so", withDocker, async (t) => {
  const rig = dockerRig(t, { limits: { memoryMB: 96 } });
  const hog = "const held = []; for (;;) held.push(Buffer.alloc(4e6, 1));";
  const agent = await rig.sandbox.spawn(rig.scope(), {
    program: "node",
    args: ["-e", hog],
    env: {},
  });
  assert.deepEqual(await agent.ended, {
    code: null,
    signal: "SIGKILL",
    reason: "it used more than its 96 MB of memory; the owner can allow more",
  });
  assert.equal((await rig.run("echo fine")).out, "fine");
});

it("bounds what lies in /tmp", withDocker, async (t) => {
  const rig = dockerRig(t, { limits: { tmpMB: 4 } });
  const agent = await rig.sandbox.spawn(
    rig.scope(),
    shell("head -c 9000000 /dev/zero > /tmp/big; du -m /tmp/big | cut -f1"),
  );
  const { out, err } = await toEnd(agent);
  assert.match(err, /No space left on device/);
  assert.equal(out, "4");
});
