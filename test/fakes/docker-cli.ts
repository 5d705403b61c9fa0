// The command line with a gateway in the docker sandbox.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { readEnvironment } from "../../src/config/environment.ts";
import { ensureState, placeOf } from "../../src/config/paths.ts";
import { stateMark } from "../../src/config/secrets.ts";
import { type CliRig, cliRig } from "./cli-rig.ts";
import { docker, image } from "./docker-rig.ts";

/** For `start`. */
export const inDocker = ["--sandbox", "docker", "--image", image];

export interface DockerCli extends CliRig {
  /** All of its state's, running or not. */
  containers(): Promise<readonly { readonly Id: string }[]>;
  /** A chat by script, a line for each message, and all that was shown. */
  said(script: string): Promise<string>;
}

/** Its containers go with it, also when the test fails. */
export function dockerCli(t: TestContext): DockerCli {
  const cli = cliRig(t);
  const placed = placeOf(cli, readEnvironment());
  assert.ok(placed.ok);
  ensureState(placed.place.paths);
  const label = [`sallyport=${stateMark(placed.place.paths)}`];
  const containers = () => docker.listContainers({ all: true, filters: { label } });
  t.after(async () => {
    for (const { Id } of await containers()) await docker.getContainer(Id).remove({ force: true });
  });
  return {
    ...cli,
    containers,
    async said(script) {
      const { code, out, err } = await cli.run(["chat"], script);
      assert.equal(code, 0, err);
      return out;
    },
  };
}
