// Finds containers by our label and removes them, seen gone.
import type { Docker } from "./engine.ts";
import { removeContainer } from "./process.ts";

export interface Sought {
  readonly docker: Docker;
  /** `name=value` */
  readonly label: string;
  /** Names of what this gateway runs itself. */
  readonly spared: ReadonlySet<string>;
}

async function find({ docker, label, spared }: Sought) {
  const filters = { label: [label] };
  const found = await docker.listContainers({ all: true, filters });
  return found.filter(({ Names }) => !Names.some((name) => spared.has(name.replace(/^\//, ""))));
}

/** True when none is left. Rejects when Docker does not answer. */
export async function removeAll(sought: Sought): Promise<boolean> {
  const left = await find(sought);
  if (left.length === 0) return true;
  const { docker } = sought;
  await Promise.allSettled(left.map(({ Id }) => removeContainer(docker.getContainer(Id))));
  return (await find(sought)).length === 0;
}
