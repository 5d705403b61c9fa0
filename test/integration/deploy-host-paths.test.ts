// A gateway that runs in a container gives Docker the machine's own paths, and shows no more of the machine than another.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import type { MountSettings } from "dockerode";
import { createHostPaths, idsIn } from "../../src/sandbox/docker/host-paths.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { docker, image, makeFolder, socket, withDocker } from "../fakes/docker-rig.ts";
import type { InnerCase } from "../fakes/inner-gateway.ts";

const checkout = fileURLToPath(new URL("../../", import.meta.url));
const bind = (Source: string, Target: string, ReadOnly = false): MountSettings => ({
  Type: "bind",
  Source,
  Target,
  ReadOnly,
});

interface Inner {
  readonly folder: string;
  readonly mounts: readonly MountSettings[];
  readonly cases: readonly InnerCase[];
}

/** What the cases said, in a gateway that has these mounts beside its state. */
async function inner({ folder, mounts, cases }: Inner): Promise<string[]> {
  const wish = { image, stateDir: "/inner/state", stateHash: folder, cases };
  const container = await docker.createContainer({
    Image: image,
    Entrypoint: ["node", "/checkout/test/fakes/inner-gateway.ts", JSON.stringify(wish)],
    Tty: true,
    HostConfig: {
      NetworkMode: "none",
      Tmpfs: { "/inner/memory": "size=1m" },
      Mounts: [
        ...["src", "node_modules", "test", "package.json"].map((name) =>
          bind(join(checkout, name), `/checkout/${name}`, true),
        ),
        bind(socket, socket),
        ...mounts,
      ],
    },
  });
  try {
    return JSON.parse(await outputOf(container));
  } finally {
    await container.remove({ force: true });
  }
}

async function outputOf(container: ReturnType<typeof docker.getContainer>): Promise<string> {
  const output = await container.attach({ stream: true, stdout: true, stderr: true });
  const ended = container.wait({ condition: "next-exit" });
  await container.start();
  let text = "";
  output.on("data", (chunk) => {
    text += String(chunk);
  });
  await ended;
  const json = /^\[.*\]$/m.exec(text.trim())?.[0];
  assert.ok(json, text);
  return json;
}

it(
  "gives Docker the machine's paths of workspace, home, masks and mounts, from folders and volumes",
  withDocker,
  async (t) => {
    const folder = temporaryFolder(t);
    const project = join(folder, "project");
    makeFolder(project);
    mkdirSync(join(folder, "more"));
    writeFileSync(join(folder, "more/word"), "from outside");
    const volume = await docker.createVolume({ Labels: { "sallyport-test": folder } });
    const { Name } = "Name" in volume ? volume : { Name: volume.name };
    t.after(() => docker.getVolume(String(Name)).remove());
    const mounts: MountSettings[] = [
      { Type: "volume", Source: String(Name), Target: "/inner/state", ReadOnly: false },
      bind(folder, "/inner/all", true),
      bind(project, "/inner/project"),
    ];
    const script = "cat .mcp.json; echo hello > made; echo kept > ~/kept; cat /mnt/more/word";
    const one = {
      workspace: "/inner/project",
      mounts: [{ path: "/inner/all/more", mode: "ro" as const }],
    };
    const again = { ...one, script: "cat ~/kept" };
    const [first, second] = await inner({ folder, mounts, cases: [{ ...one, script }, again] });
    assert.match(first ?? "", /^\{ "mcpServers": \{\} \}\s+from outside$/);
    assert.equal(second, "kept\n");
    assert.equal(readFileSync(join(project, "made"), "utf8"), "hello\n");
    assert.equal(statSync(join(project, "made")).uid, statSync(project).uid);
  },
);

it(
  "refuses what is a home, the machine, its own state or Docker outside, and what is in no folder of the machine",
  withDocker,
  async (t) => {
    const folder = temporaryFolder(t);
    makeFolder(join(folder, "project"));
    mkdirSync(join(folder, "state"), { mode: 0o700 });
    const mounts = [
      bind(join(folder, "state"), "/inner/state"),
      bind(folder, "/inner/all"),
      bind("/root", "/inner/somebody"),
      bind("/", "/inner/machine"),
      bind("/run", "/inner/run"),
      bind("/proc", "/inner/kernel"),
      bind(join(folder, "project"), "/inner/read-only", true),
    ];
    const refused: Readonly<Record<string, RegExp>> = {
      "/inner/all": /show Sallyport's own state/,
      "/inner/all/state": /show Sallyport's own state/,
      "/inner/somebody": /somebody's home/,
      "/inner/machine": /the whole machine|show Sallyport's own state/,
      "/inner/machine/root": /home/,
      "/inner/run": /hand out Docker/,
      "/inner/kernel": /show the machine itself/,
      "/inner/memory": /^\/inner\/memory is in no folder of this machine/,
      "/opt": /^\/opt is in no folder of this machine/,
      "/inner/read-only": /^\/inner\/read-only is read-only in the gateway's container/,
    };
    const cases: InnerCase[] = Object.keys(refused).map((workspace) => ({
      workspace,
      script: "echo shown",
    }));
    const looked = { workspace: "/inner/read-only", mode: "ro" as const, script: "echo shown" };
    const said = await inner({ folder, mounts, cases: [...cases, looked] });
    for (const [at, pattern] of Object.values(refused).entries())
      assert.match(said[at] ?? "", pattern);
    assert.equal(said.at(-1), "shown\n");
  },
);

it(
  "leaves paths as they are where the gateway runs in no container of this Docker",
  withDocker,
  async () => {
    const hostPath = createHostPaths(docker);
    assert.equal(await hostPath("/srv/project", false), "/srv/project");
    const elsewhere = async () => ({ mountinfo: "", cgroup: "", hostname: "0123456789ab" });
    assert.equal(await createHostPaths(docker, elsewhere)("/srv/project", false), "/srv/project");
  },
);

it("knows its own container by what Docker mounts into it, by its control group, or by its name", () => {
  const [one, two] = ["a1".repeat(32), "b2".repeat(32)];
  const nothing = { mountinfo: "", cgroup: "", hostname: "machine" };
  const line = (root: string, point: string) =>
    `36 35 254:0 ${root} ${point} rw - ext4 /dev/vda rw`;
  const given = line(`/var/lib/docker/containers/${one}/hostname`, "/etc/hostname");
  // What the machine itself has mounted for a container is not its own.
  const others = line(
    `/var/lib/docker/containers/${two}`,
    `/var/lib/docker/containers/${two}/mounts/shm`,
  );
  assert.deepEqual(idsIn({ ...nothing, mountinfo: `${others}\n${given}` }), [one]);
  assert.deepEqual(idsIn({ ...nothing, cgroup: `4:memory:/docker/${one}\n0::/` }), [one]);
  assert.deepEqual(idsIn({ ...nothing, cgroup: `0::/system.slice/docker-${one}.scope` }), [one]);
  assert.deepEqual(idsIn({ ...nothing, hostname: "0123456789ab" }), ["0123456789ab"]);
  assert.deepEqual(idsIn({ ...nothing, cgroup: "0::/user.slice/session-1.scope" }), []);
});
