// Which containers are ours to end, from before they are made until they are seen gone; and the search when in doubt.
import { randomUUID } from "node:crypto";
import { stateLabel } from "./container.ts";
import { inWords } from "./engine.ts";
import type { Ground, Masks } from "./ground.ts";
import type { DockerSandboxOptions } from "./options.ts";
import { removeAll } from "./sweep.ts";

export function createLedger({ docker, stateHash, log }: DockerSandboxOptions, masks: Masks) {
  const names = new Set<string>();
  /** Of containers that were not seen gone. */
  const unsure = new Set<Ground>();
  let inDoubt = true;

  async function sweep(): Promise<"clean" | "unconfirmed"> {
    const label = `${stateLabel}=${stateHash}`;
    try {
      if (!(await removeAll({ docker, label, spared: names }))) return "unconfirmed";
    } catch (error) {
      log.error({ error: inWords(error, "look for containers") }, "containers may be left");
      return "unconfirmed";
    }
    const left = [...unsure];
    unsure.clear();
    await Promise.all(left.map((ground) => ground.leave()));
    await masks.sweep();
    inDoubt = false;
    return "clean";
  }

  return {
    sweep,
    /** False: something of an earlier container may still run. */
    settled: async () => !inDoubt || (await sweep()) === "clean",
    open(): string {
      const name = `sallyport-${stateHash.replace(/\W/g, "").slice(-10)}-${randomUUID()}`;
      names.add(name);
      return name;
    },
    async close(name: string, ground: Ground, isGone: boolean): Promise<void> {
      names.delete(name);
      if (isGone) return await ground.leave();
      inDoubt = true;
      unsure.add(ground);
    },
  };
}
