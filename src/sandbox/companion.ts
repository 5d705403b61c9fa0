// What stands beside each container: a folder of our sockets and of our own programs, read-only inside.
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, copyFile, lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { dirname, join } from "node:path";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Log } from "../core/log.ts";
import {
  type AgentCommand,
  isOfStrangers,
  type SandboxScope,
  SandboxTrouble,
} from "../core/sandbox.ts";
import type { Companion } from "./docker/options.ts";
import type { Egress } from "./egress/egress.ts";
import {
  egressSocket,
  filesList,
  gatewayFolder,
  modelPort,
  modelSocket,
  proxyPort,
  toolsSocket,
} from "./inside/ports.ts";

export interface CompanionOptions {
  readonly stateDir: string;
  /** Where sockets go whose path would be too long in the state directory. */
  readonly runtimeDir: string;
  readonly log: Log;
  readonly egress: Egress;
  /** Gets each connection of an agent to its tools; anonymous callers have none. */
  readonly serveTools?: (connection: Duplex, scope: SandboxScope) => void;
}

/** Where agents find the model's API, its paths as at the API itself. */
export const modelBaseUrl = `http://127.0.0.1:${modelPort}`;

/** Of Linux, without the zero at the end. */
const longestSocketPath = 107;
const toolConnections = 32;

const own = fileURLToPath(import.meta.url);
const extension = own.endsWith(".ts") ? "ts" : "js";
const programs = join(dirname(own), "inside");

/** The path inside of one of our programs: `shim`, for example. */
export function programInside(name: string): string {
  return `${gatewayFolder}/${name}.${extension}`;
}

const proxy = `http://127.0.0.1:${proxyPort}`;
const local = "localhost,127.0.0.1,::1";
const proxyEnv = {
  HTTP_PROXY: proxy,
  HTTPS_PROXY: proxy,
  http_proxy: proxy,
  https_proxy: proxy,
  NO_PROXY: local,
  no_proxy: local,
  NODE_USE_ENV_PROXY: "1",
};

/** A folder that only we may enter: what is in it is open to the agent's user, whoever that is. */
async function ownFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const info = await lstat(path);
  if (!info.isDirectory() || info.uid !== process.getuid?.())
    throw new SandboxTrouble(`${path} is not a folder of ours. The owner should remove it.`);
  await chmod(path, 0o700);
}

function folderFor({ stateDir, runtimeDir }: CompanionOptions): string {
  const state = createHash("sha256").update(stateDir).digest("hex").slice(0, 12);
  const places = [join(stateDir, "beside"), join(runtimeDir, `sallyport-${state}`)];
  const fits = (folder: string) =>
    Buffer.byteLength(join(folder, "12345678", egressSocket)) <= longestSocketPath;
  const found = places.find(fits);
  if (found === undefined)
    throw new SandboxTrouble(
      `The path of the state directory is too long for sockets. The owner should move it: ${stateDir}`,
    );
  return found;
}

async function listen(server: Server, path: string): Promise<() => Promise<void>> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => {}).once("close", () => open.delete(socket));
  });
  await once(server.listen({ path, readableAll: true, writableAll: true }), "listening");
  return async () => {
    const closed = once(server, "close");
    server.close();
    for (const socket of open) socket.destroy();
    await closed;
  };
}

async function copyPrograms(folder: string): Promise<void> {
  const names = (await readdir(programs)).filter(
    (name) => name.endsWith(`.${extension}`) && !name.endsWith(".d.ts"),
  );
  for (const name of names) await copyFile(join(programs, name), join(folder, name));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }\n');
  await writeFile(join(folder, filesList), "{}\n");
  for (const name of [...names, "package.json", filesList]) await chmod(join(folder, name), 0o644);
}

/** The program becomes the shim's child, and what stands for the model's place and key is put in. */
function wrapper(folder: string, placeholder: string) {
  const filled = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(record).map(([name, text]) => [
        name,
        text.replaceAll("{{model.key}}", placeholder).replaceAll("{{model.url}}", modelBaseUrl),
      ]),
    );
  return async ({ program, args, env, files = {} }: AgentCommand): Promise<AgentCommand> => {
    await writeFile(join(folder, filesList), JSON.stringify(filled(files)));
    return {
      program: "node",
      // Older versions warn that they take the types out.
      args: [
        "--disable-warning=ExperimentalWarning",
        programInside("shim"),
        "--",
        program,
        ...args,
      ],
      env: filled(env),
    };
  };
}

function toolServer(serve: (connection: Duplex) => void): Server {
  const server = createServer(serve);
  server.maxConnections = toolConnections;
  return server;
}

/** For createDockerSandbox. Removes what a dead gateway of this state left. */
export async function createCompanion(
  options: CompanionOptions,
): Promise<(scope: SandboxScope) => Promise<Companion>> {
  const { egress, serveTools, log } = options;
  const base = folderFor(options);
  await rm(base, { recursive: true, force: true });
  await ownFolder(base);

  async function openIn(folder: string, scope: SandboxScope): Promise<Companion> {
    const doors = egress.open(scope);
    const servers: [name: string, server: Server][] = [
      [egressSocket, doors.proxy],
      [modelSocket, doors.model],
    ];
    if (serveTools !== undefined && !isOfStrangers(scope))
      servers.push([toolsSocket, toolServer((connection) => serveTools(connection, scope))]);
    const closes: (() => Promise<void>)[] = [];
    const close = async () => {
      await Promise.all(closes.map((end) => end()));
      await rm(folder, { recursive: true, force: true });
    };
    try {
      await copyPrograms(folder);
      for (const [name, server] of servers) closes.push(await listen(server, join(folder, name)));
    } catch (error) {
      await close();
      throw error;
    }
    const env = { ...proxyEnv, SALLYPORT_MODEL_KEY: doors.placeholder };
    const binds = [{ source: folder, target: gatewayFolder, readOnly: true }];
    return { binds, env, wrap: wrapper(folder, doors.placeholder), close };
  }

  return async (scope) => {
    const folder = join(base, randomBytes(4).toString("hex"));
    await mkdir(folder);
    await chmod(folder, 0o755);
    log.debug({ scope: scope.key, folder }, "opening a sandbox's sockets");
    return await openIn(folder, scope);
  };
}
