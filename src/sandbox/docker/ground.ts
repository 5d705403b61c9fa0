// All that has to be there before a container can start: user, home, mounts, masks.
import type { SandboxScope } from "../../core/sandbox.ts";
import type { Bind, createMasks, HeldMasks } from "./masks.ts";
import { mountPoint, problemWithMounts, problemWithWorkspace } from "./mount-rules.ts";
import type { Companion, DockerSandboxOptions } from "./options.ts";
import type { Inside } from "./spots.ts";
import { agentUser, prepareHome, problemWithWriting, type User } from "./user.ts";

export interface Ground {
  readonly user: User;
  /** CPUs of this machine. */
  readonly cpusThere: number;
  readonly binds: readonly Bind[];
  readonly env: Readonly<Record<string, string>>;
  readonly masks: HeldMasks;
  /** To be called when the container is gone. */
  leave(): Promise<void>;
}

export type Masks = ReturnType<typeof createMasks>;

export const inside: Inside = { workspace: "/workspace", home: "/home/agent" };

async function checkPlaces(options: DockerSandboxOptions, scope: SandboxScope, user: User) {
  const { stateDir, socket, userHome, mounts = [] } = options;
  const guarded = { stateDir, socket, userHome };
  const problem =
    (await problemWithWorkspace(scope.workspace, guarded)) ??
    (await problemWithMounts(mounts, scope.workspace, guarded)) ??
    (scope.workspaceMode === "rw" ? await problemWithWriting(scope.workspace, user) : undefined);
  if (problem !== undefined) throw new Error(problem);
}

function bindsOf(
  { mounts = [] }: DockerSandboxOptions,
  { workspace, workspaceMode, home, pairing }: SandboxScope,
): readonly Bind[] {
  return [
    { source: workspace, target: inside.workspace, readOnly: workspaceMode === "ro" },
    { source: home, target: inside.home, readOnly: false },
    ...mounts.map((mount) => ({
      source: mount.path,
      target: mountPoint(mount),
      // Whom we do not know changes nothing of the owner's.
      readOnly: mount.mode === "ro" || pairing === null,
    })),
  ];
}

export async function prepareGround(
  options: DockerSandboxOptions,
  scope: SandboxScope,
  masks: Masks,
): Promise<Ground> {
  const { NCPU, SecurityOptions = [] } = await options.docker.info();
  const rootless = SecurityOptions.some((name: string) => name.includes("name=rootless"));
  const user = await agentUser(scope.workspace, rootless);
  await checkPlaces(options, scope, user);
  await prepareHome(scope.home, user);
  const held = await masks.takeUp({ scope, masks: options.masks, user, inside });
  let companion: Companion | undefined;
  try {
    companion = await options.companion?.(scope);
  } catch (error) {
    await held.release();
    throw error;
  }
  return {
    user,
    cpusThere: NCPU,
    binds: [...bindsOf(options, scope), ...held.binds, ...(companion?.binds ?? [])],
    env: companion?.env ?? {},
    masks: held,
    async leave() {
      await Promise.allSettled([held.release(), companion?.close()]);
    },
  };
}
