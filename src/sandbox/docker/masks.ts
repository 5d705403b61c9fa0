// Masks in workspace and home: put up before a container starts, watched, and taken down without a trace.
import { createHash } from "node:crypto";
import { mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type SandboxScope, SandboxTrouble } from "../../core/sandbox.ts";
import { createMade } from "./made.ts";
import type { Mask } from "./mask-list.ts";
import { identityOf, lookAt } from "./places.ts";
import { allSpots, type Inside, type Spot } from "./spots.ts";
import type { User } from "./user.ts";

export interface Bind {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

export interface HeldMasks {
  readonly binds: readonly Bind[];
  /** False once something on this machine has replaced what a mask lies on, which lifts it. */
  hold(): Promise<boolean>;
  /** To be called when the container is gone; safe to call twice. */
  release(): Promise<void>;
}

export interface MaskRequest {
  readonly scope: SandboxScope;
  readonly masks: readonly Mask[];
  readonly user: User;
  readonly inside: Inside;
}

async function sourceOf(folder: string, { content }: Mask): Promise<string> {
  if (content === null) {
    const empty = join(folder, "empty");
    await mkdir(empty, { recursive: true, mode: 0o555 });
    return empty;
  }
  const name = createHash("sha256").update(content).digest("hex").slice(0, 16);
  const path = join(folder, `mask-${name}`);
  const there = await readFile(path, "utf8").catch(() => null);
  if (there !== content) await writeFile(path, content, { mode: 0o444 });
  return path;
}

/** Whether it has to be made. A mask on a link would fall with the link. */
async function isMissing(spot: Spot): Promise<boolean> {
  const { path, target, content, root } = spot;
  const found = await lookAt(spot);
  if (found === "link" && root === "home") {
    // Only the agent writes there.
    await unlink(path);
    return true;
  }
  if (found === "missing" || found === "fits") return found === "missing";
  const kind = content === null ? "folder" : "file";
  const is = found === "link" ? "a link" : `no ${kind}`;
  throw new SandboxTrouble(
    `The sandbox must cover ${target}, but that is ${is}. The owner should remove it or make it a plain ${kind}.`,
    { detail: `${path} is ${is}` },
  );
}

const cannotMake = new Set(["EACCES", "EPERM", "EROFS", "ENOENT"]);

/** In a folder that we may not write to and the agent neither, what is missing stays missing. */
function mayBeLeftOut(error: unknown, { root }: Spot, scope: SandboxScope): boolean {
  const refused = error instanceof Error && "code" in error && cannotMake.has(String(error.code));
  return refused && root === "workspace" && scope.workspaceMode === "ro";
}

async function identities(spots: readonly Spot[]): Promise<string> {
  return JSON.stringify(await Promise.all(spots.map(({ path }) => identityOf(path))));
}

export function createMasks(stateDir: string) {
  const folder = join(stateDir, "docker");
  const made = createMade(join(folder, "made.json"));
  let last: Promise<unknown> = Promise.resolve();
  // Containers share the workspace: one begins to use a place while another leaves it.
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  };

  async function standAll({ scope, masks, user, inside }: MaskRequest): Promise<readonly Spot[]> {
    const standing: Spot[] = [];
    try {
      for (const spot of allSpots(masks, scope, inside)) {
        try {
          await made.use(spot, await isMissing(spot), user);
          standing.push(spot);
        } catch (error) {
          if (!mayBeLeftOut(error, spot, scope)) throw error;
        }
      }
      return standing;
    } catch (error) {
      await made.leave(standing);
      throw error;
    }
  }

  async function takeUp(request: MaskRequest): Promise<HeldMasks> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { workspaceMode } = request.scope;
    const spots = await standAll(request);
    const binds: Bind[] = [];
    for (const { path, target, mask, root } of spots) {
      const readOnly = mask !== null || (root === "workspace" && workspaceMode === "ro");
      binds.push({ source: mask === null ? path : await sourceOf(folder, mask), target, readOnly });
    }
    const before = await identities(spots);
    let released: Promise<void> | undefined;
    return {
      binds,
      hold: async () => (await identities(spots)) === before,
      release() {
        released ??= inTurn(() => made.leave(spots));
        return released;
      },
    };
  }

  return {
    takeUp: (request: MaskRequest) => inTurn(() => takeUp(request)),
    sweep: () => inTurn(() => made.sweep()),
  };
}
