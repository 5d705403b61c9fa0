// A function that runs inside a container of the docker sandbox, under Node, and prints what it found as JSON.
import assert from "node:assert/strict";
import type { SandboxScope } from "../../src/core/sandbox.ts";
import { type DockerRig, toEnd } from "./docker-rig.ts";

interface AskOptions {
  readonly argument?: string;
  readonly scope?: SandboxScope;
}

/** It sees nothing of its file: what it needs comes as its argument. */
export async function ask<T>(
  rig: DockerRig,
  probe: (argument: string) => unknown,
  { argument = "", scope = rig.scope() }: AskOptions = {},
): Promise<T> {
  const source = `Promise.resolve((${probe})(process.argv[1])).then((r) => console.log(JSON.stringify(r)))`;
  const command = { program: "node", args: ["-e", source, "--", argument], env: {} };
  const { out, err } = await toEnd(await rig.sandbox.spawn(scope, command));
  assert.equal(err, "");
  return JSON.parse(out);
}
