// More of what the kernel says from inside a container: what of /proc is masked, which doors there are, what is inherited.
import assert from "node:assert/strict";
import { it } from "node:test";
import { ask } from "../fakes/docker-ask.ts";
import { dockerRig, withDocker } from "../fakes/docker-rig.ts";

it(
  "reads nothing of the machine's kernel in /proc and /sys, and changes nothing",
  withDocker,
  async (t) => {
    const seen = await ask<{ read: string[]; written: string[]; modes: Record<string, string> }>(
      dockerRig(t),
      () => {
        const fs = process.getBuiltinModule("node:fs");
        const secrets = [
          "/proc/kcore",
          "/proc/keys",
          "/proc/timer_list",
          "/proc/sched_debug",
          "/proc/kallsyms",
          "/proc/1/mem",
          "/sys/firmware/acpi/tables",
          "/sys/kernel/debug/tracing/trace",
        ];
        const read = secrets.filter((path) => {
          try {
            const what = fs.statSync(path).isDirectory()
              ? fs.readdirSync(path).join("")
              : fs.readFileSync(path, "utf8");
            // Symbols without addresses tell nothing.
            return what.replace(/^0+ .*$/gm, "").trim() !== "";
          } catch {
            return false;
          }
        });
        const levers = [
          "/proc/sysrq-trigger",
          "/proc/sys/kernel/core_pattern",
          "/proc/sys/kernel/hostname",
          "/proc/sys/vm/drop_caches",
          "/proc/irq/default_smp_affinity",
          "/sys/fs/cgroup/memory/memory.limit_in_bytes",
          "/sys/fs/cgroup/pids/pids.max",
          "/sys/fs/cgroup/cgroup.procs",
          "/sys/kernel/uevent_helper",
          "/sys/kernel/mm/transparent_hugepage/enabled",
        ];
        const written = levers.filter((path) => {
          try {
            fs.closeSync(fs.openSync(path, "r+"));
            return true;
          } catch {
            return false;
          }
        });
        const mounts = fs.readFileSync("/proc/mounts", "utf8").trim().split("\n");
        const modes = mounts.map((line) => line.split(" ")).map(([, at, , how]) => [at, how]);
        return { read, written, modes: Object.fromEntries(modes) };
      },
    );
    assert.deepEqual([seen.read, seen.written], [[], []]);
    for (const place of ["/proc/sys", "/proc/bus", "/proc/fs", "/proc/irq", "/sys"])
      assert.match(seen.modes[place] ?? "", /^ro,/, place);
    const groups = Object.keys(seen.modes).filter((at) => at.startsWith("/sys/fs/cgroup/"));
    for (const place of groups) assert.match(seen.modes[place] ?? "", /^ro,/, place);
  },
);

it(
  "finds no socket, no device but the harmless ones, and inherits no open file",
  withDocker,
  async (t) => {
    const seen = await ask<{ sockets: string[]; devices: string[]; files: string[]; unix: number }>(
      dockerRig(t),
      () => {
        const fs = process.getBuiltinModule("node:fs");
        const found: { sockets: string[]; devices: string[] } = { sockets: [], devices: [] };
        const walk = (folder: string) => {
          let names: string[] = [];
          try {
            names = fs.readdirSync(folder);
          } catch {}
          for (const name of names) {
            const path = `${folder === "/" ? "" : folder}/${name}`;
            if (path === "/proc" || path === "/sys") continue;
            const info = fs.lstatSync(path, { throwIfNoEntry: false });
            if (info?.isSocket()) found.sockets.push(path);
            if (info?.isCharacterDevice() || info?.isBlockDevice()) found.devices.push(path);
            if (info?.isDirectory()) walk(path);
          }
        };
        walk("/");
        const own = (fd: string) => {
          try {
            return fs.readlinkSync(`/proc/1/fd/${fd}`);
          } catch {
            return "";
          }
        };
        const files = fs.readdirSync("/proc/1/fd").map(own).filter(Boolean);
        const unix = fs.readFileSync("/proc/net/unix", "utf8").trim().split("\n").length - 1;
        return { ...found, files, unix };
      },
    );
    assert.deepEqual(seen.sockets, []);
    const harmless = /^\/dev\/(null|zero|full|random|urandom|tty|ptmx|pts\/ptmx|fd|console)$/;
    assert.deepEqual(
      seen.devices.filter((path) => !harmless.test(path)),
      [],
    );
    for (const file of seen.files) assert.match(file, /^(pipe:|\/dev\/null$)/);
    assert.equal(seen.unix, 0);
  },
);

it(
  "gains nothing by programs that belong to root, and leaves no picture of its memory",
  withDocker,
  async (t) => {
    const rig = dockerRig(t);
    const { out } = await rig.run(
      [
        "cp $(command -v id) /tmp/id && chmod 4755 /tmp/id && /tmp/id -u",
        "for p in $(find / -xdev -perm -4000 -type f 2>/dev/null); do case $p in /tmp/*) ;; *su) echo | $p -c 'id -u' root 2>/dev/null;; esac; done",
        "ulimit -c",
        "sh -c 'kill -SEGV $$' 2>/dev/null; ls | grep -c core",
      ].join("\n"),
    );
    const [uid, core, left] = out.split("\n");
    assert.notEqual(uid, "0");
    assert.deepEqual([core, left], ["0", "0"], out);
  },
);

it(
  "may write to workspace, home, /tmp and the memory that processes share, and nowhere else",
  withDocker,
  async (t) => {
    const { out } = await dockerRig(t, { masks: [] }).run(
      "find / -path /proc -prune -o -type d -writable -print 2>/dev/null | sort; df -m /dev/shm | tail -1 | awk '{print $2}'",
    );
    const places = ["/dev/mqueue", "/dev/shm", "/home/agent", "/tmp", "/workspace"];
    assert.deepEqual(out.split("\n"), [...places, "64"]);
  },
);
