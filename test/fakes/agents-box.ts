// The real agents, each in a container from an image of its own, with the gateway's way out to a scripted model.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { createAgent } from "../../src/agent/agent.ts";
import { inSandbox, type ModelWish, presetNamed } from "../../src/agent/presets.ts";
import type { ModelApi } from "../../src/core/egress.ts";
import { type KnownAgentName, knownAgents } from "../../src/core/known-agents.ts";
import { createCompanion } from "../../src/sandbox/companion.ts";
import { masksFor } from "../../src/sandbox/docker/mask-list.ts";
import { createEgress } from "../../src/sandbox/egress/egress.ts";
import { imageFromHost } from "../../src/sandbox/image/from-host.ts";
import { imageList, imageRemove } from "../../src/sandbox/image/images.ts";
import { imagePreset } from "../../src/sandbox/image/presets.ts";
import { memoryLog, temporaryFolder } from "./agent-rig.ts";
import { type AgentsRig, agentsFolder, fakeModelName, realKey, without } from "./agents-rig.ts";
import { type DockerRig, docker, dockerRig, withDocker } from "./docker-rig.ts";
import { startModelApi } from "./model-api.ts";

/** For `it`: what a test of an agent in a container needs. In CI none is skipped. */
export function boxed(name: KnownAgentName) {
  return { skip: process.env.CI ? false : withDocker.skip || without(name), timeout: 180_000 };
}

/** Of all that decides what is in the image of an agent. */
function recipeHash(name: KnownAgentName): string {
  const folder = fileURLToPath(new URL("../../src/sandbox/image/", import.meta.url));
  const hash = createHash("sha256").update(`${knownAgents[name].version} ${process.version}`);
  for (const file of readdirSync(folder).sort()) hash.update(readFileSync(join(folder, file)));
  return hash.digest("hex").slice(0, 12);
}

/** Made once: an agent is hundreds of megabytes. */
async function imageOf(name: KnownAgentName): Promise<string> {
  const repository = `sallyport-agenttest-${name}-${recipeHash(name)}`;
  const list = await imageList(docker);
  const known = (list.ok ? list.images : []).map((image) => image.name);
  const fresh = known.find((image) => image.startsWith(`${repository}:`));
  if (fresh !== undefined) return fresh;
  const parts = await imagePreset(name, agentsFolder);
  assert.ok(parts.ok, parts.ok ? "" : parts.problem);
  const { folders, programs, links } = parts;
  const user = { uid: 1234, gid: 1234 };
  const made = await imageFromHost({ docker, repository, user, folders, programs, links });
  assert.ok(made.ok, made.ok ? "" : made.problem);
  const old = known.filter((image) => image.startsWith(`sallyport-agenttest-${name}-`));
  for (const image of old) await imageRemove(docker, image);
  return made.image;
}

/** Of our own tools' server, for which no gateway is here: one tool, to be found in what the model is told. */
export const ourTool = "hello_from_sallyport";
const toolServer = `
const tools = [{ name: "${ourTool}", description: "Says hello.", inputSchema: { type: "object", properties: {} } }];
const serverInfo = { name: "sallyport", version: "0" };
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const begun = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo };
  const result = method === "initialize" ? begun : method === "tools/list" ? { tools } : {};
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});`;

export interface AgentsBox extends AgentsRig {
  readonly box: DockerRig;
}

export async function boxedAgent(
  t: TestContext,
  name: KnownAgentName,
  wish: ModelWish = { modelName: fakeModelName },
): Promise<AgentsBox> {
  assert.equal(withDocker.skip, false, "Docker is needed");
  const model = await startModelApi(t);
  const preset = presetNamed(name);
  assert.ok(preset?.model);
  const api: ModelApi = wish.api ?? preset.model.api;
  const log = memoryLog();
  const egress = createEgress({
    allow: () => [],
    model: () => ({ api, url: model.url, key: realKey, secret: "MODEL_KEY" }),
    log,
  });
  const folder = temporaryFolder(t);
  const companion = await createCompanion({ stateDir: folder, runtimeDir: folder, log, egress });
  const image = await imageOf(name);
  const box = dockerRig(t, { image, masks: masksFor(name), companion });
  const agent = createAgent({
    preset: { ...preset, ...inSandbox(preset, wish) },
    spawn: box.sandbox.spawn,
    inside: box.sandbox.inside,
    toolsFor: () => ({ name: "sallyport", program: "node", args: ["-e", toolServer], env: {} }),
    log,
  });
  t.after(async () => {
    await agent.stop();
    await egress.close();
  });
  const scope = box.scope();
  return {
    box,
    model,
    workspace: box.workspace,
    home: scope.home,
    log,
    prompt: (text, session = null) =>
      agent.prompt({
        conversation: "c1",
        scope,
        session,
        content: [{ type: "text", text }],
        signal: new AbortController().signal,
      }),
    end: () => agent.end(scope.key),
  };
}
