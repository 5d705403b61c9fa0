// All that has to be there before a container can start: user, home, mounts, masks.
import {
  type AgentCommand,
  isOfStrangers,
  type SandboxScope,
  SandboxTrouble,
} from "../../core/sandbox.ts";
import type { Bind, createMasks, HeldMasks } from "./masks.ts";
import { mountPoint, problemWithMounts, problemWithWorkspace } from "./mount-rules.ts";
import type { DockerSandboxOptions } from "./options.ts";
import type { Inside } from "./spots.ts";
import { agentUser, inboxOf, prepareHome, problemWithWriting, type User } from "./user.ts";

export interface Ground {
  readonly user: User;
  /** CPUs of this machine. */
  readonly cpusThere: number;
  readonly dockerRoot: string;
  readonly binds: readonly Bind[];
  readonly env: Readonly<Record<string, string>>;
  readonly masks: HeldMasks;
  wrap(command: AgentCommand): Promise<AgentCommand>;
  /** To be called when the container is gone. */
  leave(): Promise<void>;
}

export type Masks = ReturnType<typeof createMasks>;

export const inside: Inside = { workspace: "/workspace", home: "/home/agent" };

async function checkPlaces(options: DockerSandboxOptions, scope: SandboxScope, user: User) {
  const { stateDir, socket, userHome, hostPath, mounts = [] } = options;
  const guarded = { stateDir, socket, userHome, hostPath };
  const shown =
    (await problemWithWorkspace(scope.workspace, guarded)) ??
    (await problemWithMounts(mounts, scope.workspace, guarded));
  if (shown !== undefined)
    throw new SandboxTrouble(
      "The folders of this sandbox cannot be used as they are set. The log of the gateway says why, and to the owner: sallyport doctor",
      { detail: shown },
    );
  const written =
    scope.workspaceMode === "rw" ? await problemWithWriting(scope.workspace, user) : undefined;
  if (written !== undefined)
    throw new SandboxTrouble(
      `The agent runs as user ${user.uid}, who may not write to the workspace. The log of the gateway says the command that the owner should run.`,
      { detail: written },
    );
  // Before anything is put into it.
  await hostPath?.(scope.workspace, scope.workspaceMode === "ro");
}

function bindsOf({ mounts = [] }: DockerSandboxOptions, scope: SandboxScope): readonly Bind[] {
  const { workspace, workspaceMode, home } = scope;
  return [
    { source: workspace, target: inside.workspace, readOnly: workspaceMode === "ro" },
    { source: home, target: inside.home, readOnly: false },
    { source: inboxOf(home), target: inboxOf(inside.home), readOnly: true },
    ...mounts.map((mount) => ({
      source: mount.path,
      target: mountPoint(mount),
      // Whom we do not know changes nothing of the owner's.
      readOnly: mount.mode === "ro" || isOfStrangers(scope),
    })),
  ];
}

function asDockerSees({ hostPath }: DockerSandboxOptions, binds: readonly Bind[]) {
  return Promise.all(
    binds.map(async (bind) => ({
      ...bind,
      source: (await hostPath?.(bind.source, bind.readOnly)) ?? bind.source,
    })),
  );
}

export async function prepareGround(
  options: DockerSandboxOptions,
  scope: SandboxScope,
  masks: Masks,
): Promise<Ground> {
  const { NCPU, DockerRootDir, SecurityOptions = [] } = await options.docker.info();
  const rootless = SecurityOptions.some((name: string) => name.includes("name=rootless"));
  const user = await agentUser(scope.workspace, rootless);
  await checkPlaces(options, scope, user);
  // First: it may put a home aside that is of no use any more.
  const companion = await options.companion?.(scope);
  let held: HeldMasks | undefined;
  const leave = async () => {
    await Promise.allSettled([held?.release(), companion?.close()]);
  };
  try {
    await prepareHome(scope.home, user);
    held = await masks.takeUp({ scope, masks: options.masks, user, inside });
    const binds = [...bindsOf(options, scope), ...held.binds, ...(companion?.binds ?? [])];
    return {
      user,
      cpusThere: NCPU,
      dockerRoot: DockerRootDir,
      binds: await asDockerSees(options, binds),
      env: companion?.env ?? {},
      masks: held,
      wrap: async (command) => (await companion?.wrap?.(command)) ?? command,
      leave,
    };
  } catch (error) {
    await leave();
    throw error;
  }
}
