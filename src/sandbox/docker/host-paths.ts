// What a folder of ours is for Docker: the same, unless the gateway itself runs in a container that Docker has made.
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join, relative, resolve } from "node:path";
import { SandboxTrouble } from "../../core/sandbox.ts";
import { type Docker, isMissing } from "./engine.ts";
import { contains, mountsIn, realOr } from "./mount-table.ts";

/** Rejects with SandboxTrouble where nothing outside is that path, or only something that may not be written. */
export type HostPath = (path: string, readOnly: boolean) => Promise<string>;

/** By what a process can know in which container it is. */
export interface Traces {
  readonly mountinfo: string;
  readonly cgroup: string;
  readonly hostname: string;
}

interface Given {
  readonly inside: string;
  /** Undefined: nothing that can be given on, such as a tmpfs. */
  readonly outside: string | undefined;
  readonly writable: boolean;
}

type Inspected = Awaited<ReturnType<ReturnType<Docker["getContainer"]>["inspect"]>>;

/** Docker mounts these into each container, from a folder that is named after it. */
const mountedByDocker = new Set(["/etc/hostname", "/etc/hosts", "/etc/resolv.conf"]);

/** The likeliest first. */
export function idsIn({ mountinfo, cgroup, hostname: name }: Traces): readonly string[] {
  const files = mountsIn(mountinfo).filter(({ point }) => mountedByDocker.has(point));
  const paths = [...files.map(({ root }) => root), ...cgroup.split("\n")];
  const ids = paths.flatMap((path) => /[/-]([0-9a-f]{64})(?:[/.]|$)/.exec(path)?.[1] ?? []);
  return [...new Set([...ids, ...(/^[0-9a-f]{12}$/.test(name) ? [name] : [])])];
}

async function ownTraces(): Promise<Traces> {
  const read = (path: string) => readFile(path, "utf8").catch(() => "");
  const [mountinfo, cgroup] = await Promise.all([
    read("/proc/self/mountinfo"),
    read("/proc/self/cgroup"),
  ]);
  return { mountinfo, cgroup, hostname: hostname() };
}

/** Undefined: this Docker has made no container for us. */
async function ownContainer(docker: Docker, traces: Traces): Promise<Inspected | undefined> {
  for (const id of idsIn(traces)) {
    try {
      return await docker.getContainer(id).inspect();
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return undefined;
}

/** A part of a volume: Docker says only where the whole of it is. */
function partsOfVolumes({ HostConfig }: Inspected): readonly string[] {
  return (HostConfig.Mounts ?? [])
    .filter(({ VolumeOptions }) => VolumeOptions && "Subpath" in VolumeOptions)
    .map(({ Target }) => Target);
}

async function givenTo(own: Inspected): Promise<readonly Given[]> {
  const parts = partsOfVolumes(own);
  const mounts = own.Mounts.map(({ Destination, Source, RW }) => ({
    inside: Destination,
    outside: Source && !parts.includes(Destination) ? Source : undefined,
    writable: RW,
  }));
  const inMemory = Object.keys(own.HostConfig.Tmpfs ?? {});
  const all = [
    ...mounts,
    ...inMemory.map((inside) => ({ inside, outside: undefined, writable: true })),
  ];
  // What is mounted at a path with links in it is at the real one as well.
  const real = all.map(async (one) => ({ ...one, inside: await realOr(one.inside) }));
  return [...all, ...(await Promise.all(real))];
}

function nearestTo(given: readonly Given[], path: string): Given | undefined {
  const around = given.filter(({ inside }) => contains(inside, path));
  return around.sort((a, b) => b.inside.length - a.inside.length)[0];
}

interface Asked {
  readonly path: string;
  readonly readOnly: boolean;
}

function outsideOf(given: readonly Given[], { path, readOnly }: Asked): string {
  const nearest = nearestTo(given, path);
  if (nearest?.outside === undefined)
    throw new SandboxTrouble(
      "The gateway runs in a container, and a folder that the sandbox needs is in none that was given to it from this machine. The log says which. The owner should mount it into the gateway's container, as docker/compose.yaml does with the workspace.",
      { detail: `${path} is in no folder of this machine` },
    );
  if (!nearest.writable && !readOnly)
    throw new SandboxTrouble(
      "The gateway's container has a folder to read only that the sandbox is to write to. The log says which. The owner should mount it writable, or give it to the agent read-only.",
      { detail: `${path} is read-only in the gateway's container` },
    );
  return join(nearest.outside, relative(nearest.inside, path));
}

/** Asks Docker once, when a path is first needed: it may not be there yet when the gateway starts. */
export function createHostPaths(docker: Docker, traces = ownTraces): HostPath {
  let asked: Promise<readonly Given[] | undefined> | undefined;
  const look = async () => {
    const own = await ownContainer(docker, await traces());
    return own && (await givenTo(own));
  };
  return async (path, readOnly) => {
    asked ??= look();
    const given = await asked.catch((error: unknown) => {
      asked = undefined;
      throw error;
    });
    if (given === undefined) return path;
    // Links are followed only on the way to a mount, and not in what an agent can write to.
    const known = nearestTo(given, resolve(path)) ? resolve(path) : await realOr(path);
    return outsideOf(given, { path: known, readOnly });
  };
}
