// Stands for a gateway that is killed: starts an agent in the docker sandbox, says what that says, and waits for its end.
// Usage: node docker-gateway.ts FOLDER IMAGE SCRIPT, with the folders of docker-rig.ts in FOLDER.
import { join } from "node:path";
import { dockerAt } from "../../src/sandbox/docker/engine.ts";
import { masksFor } from "../../src/sandbox/docker/mask-list.ts";
import { createDockerSandbox } from "../../src/sandbox/docker/sandbox.ts";

const [folder = "", image = "", script = ""] = process.argv.slice(2);
const socket = "/var/run/docker.sock";
const silent = () => {};
const stateDir = join(folder, "state");
const sandbox = createDockerSandbox({
  docker: dockerAt(socket),
  socket,
  image,
  stateDir,
  stateHash: folder,
  userHome: join(folder, "nobody"),
  log: { debug: silent, info: silent, warn: silent, error: silent },
  masks: masksFor("command"),
});
const scope = {
  key: "anonymous",
  pairing: null,
  workspace: join(folder, "project"),
  workspaceMode: "rw",
  home: join(stateDir, "homes", "anonymous"),
} as const;
const agent = await sandbox.spawn(scope, { program: "sh", args: ["-c", script], env: {} });
for await (const chunk of agent.stdout) process.stdout.write(chunk);
