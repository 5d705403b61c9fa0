// Which places in workspace and home a list of masks needs: the masked ones, and the folders around them.
import { join, posix } from "node:path";
import { type SandboxScope, SandboxTrouble } from "../../core/sandbox.ts";
import type { Mask } from "./mask-list.ts";
import type { Place } from "./places.ts";

export interface Inside {
  readonly workspace: string;
  readonly home: string;
}

export interface Spot extends Place {
  readonly target: string;
  readonly root: Mask["root"];
  /** What is mounted there; null: it is bound onto itself, as what is a mount point cannot be renamed. */
  readonly mask: Mask | null;
}

function isProper(path: string): boolean {
  const plain = posix.normalize(path) === path && !path.startsWith("/");
  return plain && path !== "" && !/^\.\.?(\/|$)/.test(path) && !path.endsWith("/");
}

/** A mask and the folders it lies in. */
function spotsOf(mask: Mask, scope: SandboxScope, inside: Inside): readonly Spot[] {
  const { root } = mask;
  if (!isProper(mask.path)) throw new SandboxTrouble(`The mask ${mask.path} is not a plain path.`);
  const parts = mask.path.split("/");
  return parts.map((_, at) => {
    const path = parts.slice(0, at + 1).join("/");
    const place = { path: join(scope[root], path), target: `${inside[root]}/${path}`, root };
    const isMasked = at === parts.length - 1;
    return { ...place, content: isMasked ? mask.content : null, mask: isMasked ? mask : null };
  });
}

function depth({ path }: Spot): number {
  return path.split("/").length;
}

/** Each place once, folders before what is in them. */
export function allSpots(masks: readonly Mask[], scope: SandboxScope, inside: Inside) {
  const spots = new Map<string, Spot>();
  for (const spot of masks.flatMap((mask) => spotsOf(mask, scope, inside))) {
    const known = spots.get(spot.path);
    if (known === undefined || known.mask === null) spots.set(spot.path, spot);
  }
  return [...spots.values()].sort((a, b) => depth(a) - depth(b));
}
