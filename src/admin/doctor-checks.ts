// What `doctor` looks at without a gateway: modes of files, settings, the project's wishes, clock, disk.
import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Place } from "../config/paths.ts";
import { readProject } from "../config/project.ts";
import type { Settings } from "../config/settings.ts";
import { loadSettings } from "../config/settings-file.ts";
import { mailWarnings } from "./mail-warnings.ts";

export interface Finding {
  readonly check: string;
  /** `risk`: as it was asked for, but somebody should know. */
  readonly state: "ok" | "risk" | "wrong";
  /** What is there, and what to do about it. */
  readonly text: string;
}

export const ok = (check: string, text: string): Finding => ({ check, state: "ok", text });
export const risk = (check: string, text: string): Finding => ({ check, state: "risk", text });
export const wrong = (check: string, text: string): Finding => ({ check, state: "wrong", text });

export function checkModes({ paths }: Place, fix: boolean): Finding[] {
  const inside = entriesOf(paths.dir).map((name) => join(paths.dir, name));
  const secrets = entriesOf(paths.secrets).map((name) => join(paths.secrets, name));
  const open = [paths.dir, ...inside, ...secrets].filter(isOpen);
  if (open.length === 0) return [ok("modes", `${paths.dir} is closed to other users`)];
  if (!fix)
    return open.map((path) =>
      wrong("modes", `${path} can be read by other users. Close it with: sallyport doctor --fix`),
    );
  for (const path of open) chmodSync(path, lstatSync(path).isDirectory() ? 0o700 : 0o600);
  return open.map((path) => ok("modes", `${path} was open to other users and is closed now`));
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isOpen(path: string): boolean {
  try {
    const stat = lstatSync(path);
    return (stat.mode & 0o077) !== 0 && !stat.isSymbolicLink();
  } catch {
    return false;
  }
}

export async function checkSettings({ paths }: Place): Promise<Finding[]> {
  const loaded = await loadSettings(paths);
  if (!loaded.ok) return [wrong("settings", loaded.problem)];
  const risks = risksOf(loaded.settings).map((text) => risk("settings", text));
  return risks.length > 0 ? risks : [ok("settings", "nothing risky is set")];
}

function risksOf(settings: Settings): string[] {
  const { access, approvals, sandbox } = settings;
  return [
    ...(access.public === "anyone" ? ["access.public: anyone may talk to the agent"] : []),
    // The finding has a mark of its own.
    ...mailWarnings(settings).map((text) => text.replace(/^! /, "")),
    ...(approvals.auto.length > 0
      ? [`approvals.auto: ${approvals.auto.join(", ")} run without being asked about`]
      : []),
    ...(sandbox === "local"
      ? ["sandbox: local isolates nothing, the agent can do what you can do on this machine"]
      : []),
  ];
}

export async function checkProject(place: Place): Promise<Finding[]> {
  const { path, unconfirmed, problem } = await readProject(place);
  if (problem) return [wrong("project", `${path} does not count: ${problem}`)];
  if (unconfirmed.length === 0) return [ok("project", "the project asks for nothing unconfirmed")];
  const lines = unconfirmed.map(({ text, fresh }) =>
    risk("project", `${fresh ? "!" : " "} ${text}`),
  );
  return [...lines, risk("project", "These lines do not count until: sallyport config confirm")];
}

const leastFree = 500e6;

export async function checkDisk({ paths }: Place): Promise<Finding[]> {
  const { bavail, bsize } = await statfs(paths.dir);
  const free = bavail * bsize;
  const text = `${(free / 1e9).toFixed(1)} GB free at ${paths.dir}`;
  return [
    free < leastFree
      ? wrong("disk", `${text}. Make room: nothing is accepted on a full disk.`)
      : ok("disk", text),
  ];
}

const built = Date.UTC(2026, 0, 1);

/** `latest`: of what is on record; a clock before it has gone back. */
export function checkClock(now: number, latest: number): Finding[] {
  const text = new Date(now).toISOString();
  if (now < built)
    return [wrong("clock", `The clock says ${text}. Set it: codes and tokens depend on it.`)];
  return latest > now + 60_000
    ? [
        wrong(
          "clock",
          `The clock says ${text}, but something is on record for ${new Date(latest).toISOString()}. Set the clock.`,
        ),
      ]
    : [ok("clock", text)];
}
