// Makes an image for the sandbox from this machine's own Node, tools and libraries: no registry, about a second.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readlink, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { type Docker, inWords, isFullDisk, isOfDocker } from "../docker/engine.ts";
import {
  certificateFiles,
  certificatesInside,
  requiredTools,
  rootLinks,
  toolFolders,
  wantedTools,
} from "./host-tools.ts";
import { imageExists, imageLabel, imageRepository } from "./images.ts";
import { binariesIn, librariesOf } from "./libraries.ts";
import { createStage, type Stage } from "./stage.ts";

export interface ImageFolder {
  readonly from: string;
  readonly to: string;
  /** Paths below `from` that are left out. */
  readonly without?: readonly string[];
}

export interface HostImageOptions {
  readonly docker: Docker;
  /** The name before the colon. */
  readonly repository?: string;
  /** Whom the agent runs as: gets a name in the image. */
  readonly user: { readonly uid: number; readonly gid: number };
  /** Further programs, by path; they go to /usr/local/bin. */
  readonly programs?: readonly string[];
  /** Further folders, with the libraries that programs in them need. */
  readonly folders?: readonly ImageFolder[];
  /** Names to be found in PATH: /usr/local/bin/<name> leads to the path. */
  readonly links?: Readonly<Record<string, string>>;
}

export type MadeImage =
  | { readonly ok: true; readonly image: string; readonly isNew: boolean }
  | { readonly ok: false; readonly problem: string };

/** Says what keeps an image from being made. */
class Obstacle extends Error {}

const run = promisify(execFile);

async function firstOf(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await stat(path).catch(() => undefined)) return path;
  return undefined;
}

async function findTools(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of [...requiredTools, ...wantedTools]) {
    const path = await firstOf(toolFolders.map((folder) => join(folder, name)));
    if (path !== undefined) found.push(path);
    else if (requiredTools.includes(name))
      throw new Obstacle(`The program ${name} was not found on this machine.`);
  }
  return found;
}

/** Git is many programs: the others lie in a folder of their own. */
async function addGit(stage: Stage, tools: readonly string[]): Promise<readonly string[]> {
  const git = tools.find((path) => path.endsWith("/git"));
  if (git === undefined) return [];
  const { stdout } = await run(git, ["--exec-path"]);
  const folder = await realpath(stdout.trim());
  await stage.folder(folder, folder);
  const templates = await firstOf(["/usr/share/git-core/templates"]);
  if (templates !== undefined) await stage.folder(templates, templates);
  return await binariesIn(folder);
}

async function addSystem(stage: Stage, { user }: HostImageOptions): Promise<void> {
  for (const name of rootLinks) {
    const target = await readlink(`/${name}`).catch(() => undefined);
    if (target === undefined) continue;
    await stage.emptyFolder(target, 0o755);
    await stage.link(name, target.replace(/^\//, ""));
  }
  const { uid, gid } = user;
  const agent = uid === 0 ? "" : `agent:x:${uid}:${gid}:Agent:/home/agent:/bin/sh\n`;
  await stage.text("etc/passwd", `root:x:0:0:root:/root:/bin/sh\n${agent}`);
  await stage.text("etc/group", `root:x:0:\n${gid === 0 ? "" : `agent:x:${gid}:\n`}`);
  await stage.text("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n");
  const certificates = await firstOf(certificateFiles);
  if (certificates !== undefined) await stage.file(certificates, certificatesInside);
  for (const folder of ["home/agent", "workspace", "mnt", "proc", "sys", "dev", "run"])
    await stage.emptyFolder(folder, 0o755);
  await stage.emptyFolder("tmp", 0o1777);
}

/** What programs and libraries remain of a folder. */
async function leaveOut(stage: Stage, { from, to, without = [] }: ImageFolder) {
  for (const path of without)
    await rm(join(stage.root, to, relative(from, path)), { recursive: true, force: true });
  const binaries = await binariesIn(from);
  return binaries.filter((path) => !without.some((folder) => path.startsWith(`${folder}/`)));
}

async function fill(stage: Stage, options: HostImageOptions): Promise<void> {
  await addSystem(stage, options);
  const tools = await findTools();
  const node = process.execPath;
  await stage.file(node, "/usr/local/bin/node");
  for (const path of tools) await stage.file(path);
  const { programs = [], folders = [], links = {} } = options;
  for (const path of programs)
    await stage.file(path, join("/usr/local/bin", path.split("/").at(-1) ?? ""));
  const inside = [...(await addGit(stage, tools))];
  for (const folder of folders) {
    await stage.folder(folder.from, folder.to);
    inside.push(...(await leaveOut(stage, folder)));
  }
  for (const [name, target] of Object.entries(links))
    await stage.link(`usr/local/bin/${name}`, target);
  const libraries = await librariesOf([node, ...tools, ...programs, ...inside]);
  if (!libraries.ok) throw new Obstacle(libraries.problem);
  const own = folders.map(({ from }) => `${from}/`);
  for (const path of libraries.paths)
    if (!own.some((folder) => path.startsWith(folder))) await stage.file(path);
}

async function importStage(
  docker: Docker,
  stage: Stage,
  named: { repo: string; tag: string },
): Promise<void> {
  const args = ["-C", stage.root, "--owner=0", "--group=0", "--numeric-owner", "-c", "."];
  const tar = spawn("tar", args, { stdio: ["ignore", "pipe", "ignore"] });
  const packed = once(tar, "close").catch((error: unknown) => {
    throw new Obstacle(`The program tar could not be started: ${String(error)}`);
  });
  const changes = [
    "ENV PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8",
    `ENV SSL_CERT_FILE=${certificatesInside}`,
    `LABEL ${imageLabel}=from-host`,
  ];
  const sending = docker.importImage(tar.stdout, { ...named, changes });
  const [progress] = await Promise.all([sending, packed]);
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(progress, (error) => (error ? reject(error) : resolve()));
  });
  if (tar.exitCode !== 0) throw new Obstacle("The program tar could not pack the image.");
}

function problemOf(error: unknown): string {
  if (error instanceof Obstacle) return error.message;
  if (isOfDocker(error) || isFullDisk(error)) return inWords(error, "make the image");
  return `The image could not be made: ${error instanceof Error ? error.message : String(error)}`;
}

/** Makes it, or finds that the same one is there already. */
export async function imageFromHost(options: HostImageOptions): Promise<MadeImage> {
  if (process.platform !== "linux")
    return {
      ok: false,
      problem: "Only Linux can make an image from itself. Build one with: sallyport image build",
    };
  const folder = await mkdtemp(join(tmpdir(), "sallyport-image-"));
  try {
    await options.docker.ping();
    const stage = createStage(folder);
    await fill(stage, options);
    const tag = await stage.hash();
    const repo = options.repository ?? imageRepository;
    const image = `${repo}:${tag}`;
    if (await imageExists(options.docker, image)) return { ok: true, image, isNew: false };
    await importStage(options.docker, stage, { repo, tag });
    return { ok: true, image, isNew: true };
  } catch (error) {
    return { ok: false, problem: problemOf(error) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
