// What people deploy with, held against the code: the unit of systemd, the versions in the image of agents, the sources of both images.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { presetNames } from "../../src/agent/presets.ts";
import { knownAgents } from "../../src/core/known-agents.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";

const checkout = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => readFileSync(join(checkout, path), "utf8");
const unit = read("docker/sallyport.service");
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
const withSystemd = { skip: !hasSystemd && "no systemd-analyze" };

/** Of the unit, each value of a key. */
function valuesOf(key: string): string[] {
  return [...unit.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);
}

it("is a unit that starts without Docker, starts again always, and gives a stop its time", () => {
  assert.deepEqual([...valuesOf("Requires"), ...valuesOf("BindsTo"), ...valuesOf("Requisite")], []);
  assert.match(valuesOf("Wants").join(" "), /\bdocker\.service\b/);
  assert.match(valuesOf("After").join(" "), /\bdocker\.service\b/);
  assert.deepEqual(valuesOf("WantedBy"), ["multi-user.target"]);
  assert.deepEqual(valuesOf("Restart"), ["always"]);
  assert.deepEqual(valuesOf("StartLimitIntervalSec"), ["0"]);
  assert.deepEqual(valuesOf("KillSignal"), ["SIGTERM"]);
  assert.deepEqual(valuesOf("KillMode"), ["mixed"]);
  assert.ok(Number(valuesOf("TimeoutStopSec")[0]) > 25);
});

it("is a unit that systemd accepts, and rates as little exposed", withSystemd, (t) => {
  const path = join(temporaryFolder(t), "sallyport.service");
  writeFileSync(path, unit.replaceAll("/opt/sallyport/", checkout));
  const verified = spawnSync("systemd-analyze", ["verify", "--man=no", path], { encoding: "utf8" });
  assert.equal(verified.stderr, "");
  assert.equal(verified.status, 0);
  const rated = spawnSync("systemd-analyze", ["security", "--offline=yes", "--threshold=20", path]);
  assert.equal(rated.status, 0, String(rated.stdout).split("\n").at(-2));
});

it("starts a gateway by the unit's own command line, which ends well on its signal", async (t) => {
  const folder = temporaryFolder(t);
  for (const name of ["project", "tmp"]) mkdirSync(join(folder, name));
  const [line = ""] = valuesOf("ExecStart");
  const [program = "", ...args] = line
    .replaceAll("/opt/sallyport/", checkout)
    .replace("/var/lib/sallyport/state", join(folder, "state"))
    .replace("/srv/project", join(folder, "project"))
    .split(" ");
  // Also without Docker: it is needed with the first message only.
  const env = { HOME: folder, TMPDIR: join(folder, "tmp"), DOCKER_HOST: `unix://${folder}/none` };
  const child = execFile(program, args, { env, cwd: "/" });
  t.after(() => child.kill("SIGKILL"));
  const closed = once(child, "close");
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  for await (const chunk of child.stdout ?? []) {
    said += chunk;
    if (said.includes("Sallyport is ready")) break;
  }
  assert.match(said, /"sandbox":"docker".*Sallyport is ready/);
  child.kill("SIGTERM");
  assert.deepEqual(await closed, [0, null]);
});

it("builds images of agents at the versions that the tests are held against", () => {
  const text = read("docker/agent.Dockerfile");
  for (const [name, { package: from, version }] of Object.entries(knownAgents)) {
    const argument = `${name.toUpperCase()}_VERSION`;
    assert.match(
      text,
      new RegExp(`^ARG .*\\b${argument}=${version.replaceAll(".", "\\.")}\\b`, "m"),
    );
    assert.ok(text.includes(`${name}) npm install -g "${from}@$${argument}"`), name);
  }
  const named = [...text.matchAll(/^ {6}(\w+)\) /gm)].map(([, name = ""]) => name);
  assert.deepEqual(named.sort(), [...presetNames].sort());
});

it("builds both images from one base that is new enough, and names no registry", () => {
  const { services } = parse(read("docker/compose.yaml"));
  const files = ["docker/gateway.Dockerfile", "docker/agent.Dockerfile"];
  const bases = files.map((file) => /^ARG BASE=(.*)$/m.exec(read(file))?.[1]);
  assert.deepEqual(bases, ["node:24-bookworm-slim", "node:24-bookworm-slim"]);
  for (const { build } of [services.gateway, services.agent]) {
    assert.ok(files.includes(build.dockerfile));
    assert.equal(build.args.BASE, `\${SALLYPORT_BASE:-${bases[0]}}`);
  }
  for (const file of [...files, "docker/compose.yaml"])
    assert.doesNotMatch(read(file), /\b[\w-]+\.(com|io|dev|org|net)\//);
});

it("keeps what this machine built or keeps out of the images of a clone", () => {
  const left = read(".dockerignore").split("\n");
  for (const name of ["node_modules", "dist", "playground", ".*"]) assert.ok(left.includes(name));
});
