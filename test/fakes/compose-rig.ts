// docker/compose.yaml for real: both images built of this machine's own files, the gateway beside this machine's Docker.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { imageFromHost } from "../../src/sandbox/image/from-host.ts";
import { imageRemove } from "../../src/sandbox/image/images.ts";
import { docker, socket } from "./docker-rig.ts";
import { publishedPackage } from "./package-rig.ts";

const run = promisify(execFile);

/** Of either generation; null: there is none. */
export async function findCompose(): Promise<readonly string[] | null> {
  for (const [program = "", ...args] of [["docker", "compose"], ["docker-compose"]])
    if (await run(program, [...args, "version"]).catch(() => undefined)) return [program, ...args];
  return null;
}

export interface ComposeRig {
  readonly folder: string;
  readonly workspace: string;
  readonly data: string;
  readonly tag: string;
  /** Whose the folders are, and as whom all runs. */
  readonly uid: number;
  compose(...args: string[]): Promise<string>;
  /** In the gateway's container, as a person at this machine does. */
  sallyport(args: readonly string[], input?: string): Promise<string>;
  gateway(): ReturnType<typeof docker.getContainer>;
  ready(): Promise<void>;
}

const uid = 4321;

export async function composeRig(t: TestContext, program: readonly string[]): Promise<ComposeRig> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-test-")));
  const tag = folder.split("-").at(-1)?.toLowerCase() ?? "";
  const [workspace, data, pack] = ["project", "data", "package"].map((name) => join(folder, name));
  assert.ok(workspace && data && pack);
  for (const path of [workspace, data]) {
    mkdirSync(path, { mode: 0o700 });
    chownSync(path, uid, uid);
  }
  const [base] = await Promise.all([baseImage(), publishedPackage(pack)]);
  const variables = {
    SALLYPORT_DATA: data,
    SALLYPORT_WORKSPACE: workspace,
    SALLYPORT_USER: `${uid}:${uid}`,
    DOCKER_GID: statSync(socket).gid,
    SALLYPORT_TAG: tag,
    SALLYPORT_BASE: base,
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(pack, "docker/.env"), lines.join(""));
  const rig = rigOf({ folder, workspace, data, tag, uid }, { program, pack });
  t.after(async () => {
    await rig.compose("--profile", "image", "down", "--rmi", "all", "--timeout", "1");
    await removeStages();
    await imageRemove(docker, base);
    rmSync(folder, { recursive: true });
  });
  return rig;
}

function rigOf(
  places: Pick<ComposeRig, "folder" | "workspace" | "data" | "tag" | "uid">,
  { program, pack }: { readonly program: readonly string[]; readonly pack: string },
): ComposeRig {
  const project = `sallyport-test-${places.tag}`;
  const [file, ...first] = [...program, "--project-name", project];
  const compose = async (...args: string[]) => {
    const all = ["--file", join(pack, "docker/compose.yaml"), ...args];
    const { stdout } = await run(file ?? "", [...first, ...all], { maxBuffer: 1e8 });
    return stdout;
  };
  let id = "";
  return {
    ...places,
    compose,
    gateway: () => docker.getContainer(id),
    sallyport: (args, input = "") => inContainer(id, args, input),
    async ready() {
      id = (await compose("ps", "--quiet", "gateway")).trim();
      const { State, Config } = await docker.getContainer(id).inspect();
      // As Docker does every half minute.
      const [, ...check] = Config.Healthcheck?.Test ?? [];
      assert.ok(State.Running && check.length > 1);
      for (let tries = 0; !(await succeeds(["exec", id, ...check])); tries += 1) {
        const logs = tries < 50 ? "" : await run("docker", ["logs", id]).then(said);
        assert.ok(tries < 50, `the gateway is not healthy: ${logs}`);
      }
    },
  };
}

const said = ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr;

const succeeds = (args: readonly string[]) =>
  run("docker", [...args]).then(
    () => true,
    () => false,
  );

async function inContainer(id: string, args: readonly string[], input: string): Promise<string> {
  const child = spawn("docker", ["exec", "--interactive", id, "sallyport", ...args], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const texts = [child.stdout, child.stderr].map((stream) => new Response(stream as never).text());
  child.stdin.end(input);
  const [code] = await once(child, "close");
  const [out = "", err = ""] = await Promise.all(texts);
  assert.equal(code, 0, `${args.join(" ")}: ${out}${err}`);
  return out;
}

/** Stands for the Node image that a registry would have. */
async function baseImage(): Promise<string> {
  const made = await imageFromHost({
    docker,
    repository: "sallyport-test-base",
    user: { uid: 10_001, gid: 10_001 },
    programs: ["/usr/bin/chown", "/usr/bin/ldd"],
  });
  assert.ok(made.ok, made.ok ? "" : made.problem);
  return made.image;
}

/** What the builder keeps of the stages that no image is made of. */
async function removeStages(): Promise<void> {
  const left = await docker.listImages({ filters: { dangling: ["true"] } });
  for (const { Id } of left) {
    const image = docker.getImage(Id);
    const found = await image.inspect().catch(() => undefined);
    if (found?.Config.WorkingDir === "/sallyport-package") await image.remove().catch(() => {});
  }
}
