// A sandbox in a real container with its companion: a way out to servers of the test that pass for public ones, and to a model.
import { mkdirSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { AgentCommand } from "../../src/core/sandbox.ts";
import { type CompanionOptions, createCompanion } from "../../src/sandbox/companion.ts";
import { createEgress, type EgressOptions } from "../../src/sandbox/egress/egress.ts";
import { memoryLog, temporaryFolder } from "./agent-rig.ts";
import { type DockerRig, dockerRig, type Ended, toEnd } from "./docker-rig.ts";
import { internet, serve } from "./egress-rig.ts";

export interface ContainerRigOptions {
  readonly site?: RequestListener;
  readonly egress?: Partial<EgressOptions>;
  readonly companion?: Partial<CompanionOptions>;
}

const address = "93.184.216.34";

export interface ContainerRig extends Omit<DockerRig, "run"> {
  readonly tried: readonly string[];
  run(script: string, more?: Partial<AgentCommand>): Promise<Ended>;
}

/** `good.example` and `other.example` are there and may be reached, the first by the settings. */
export async function containerRig(
  t: TestContext,
  { site = (_request, response) => void response.end("hello"), ...options }: ContainerRigOptions,
): Promise<ContainerRig> {
  const names = { "good.example": [address], "other.example": [address] };
  const port = await serve(t, site);
  const { tried, lookup, connect } = internet(names, { [address]: port });
  const log = memoryLog();
  const egress = createEgress({
    ...{ allow: () => ["good.example"], model: () => undefined, log, lookup, connect },
    ...options.egress,
  });
  // A short path: sockets have little room.
  const stateDir = join(temporaryFolder(t), "s");
  mkdirSync(stateDir, { mode: 0o700 });
  const companion = await createCompanion({
    ...{ stateDir, runtimeDir: "/nowhere", log, egress },
    ...options.companion,
  });
  const rig = dockerRig(t, { companion });
  t.after(() => egress.close());
  return {
    ...rig,
    stateDir,
    tried,
    async run(script, more = {}) {
      const command = { program: "sh", args: ["-c", script], env: {}, ...more };
      return await toEnd(await rig.sandbox.spawn(rig.scope(), command));
    },
  };
}
