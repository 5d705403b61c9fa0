// What every channel must do, tried on a running listener and its fake platform. What a channel lacks is not tried.
import { failing } from "./failing.ts";
import { hearing } from "./hearing.ts";
import type { Setup } from "./rig.ts";
import { speaking } from "./speaking.ts";

export function channelContract(name: string, setup: Setup): void {
  hearing(name, setup);
  speaking(name, setup);
  failing(name, setup);
}
