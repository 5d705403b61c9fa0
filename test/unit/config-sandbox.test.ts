import assert from "node:assert/strict";
import { resolve } from "node:path";
import { it } from "node:test";
import { type DockerChoice, type SandboxFlags, sandboxOf } from "../../src/config/sandbox.ts";
import { settingsSchema } from "../../src/config/settings.ts";

const settings = (given: object = {}) => settingsSchema.parse(given);

function docker(flags: SandboxFlags, given: object = {}, project: object = {}): DockerChoice {
  const choice = sandboxOf(flags, settings(given), project);
  assert.ok(typeof choice === "object" && choice.is === "docker", JSON.stringify(choice));
  return choice;
}

it("chooses docker, unless it is the playground or somebody says otherwise", () => {
  assert.equal(docker({}).image, undefined);
  assert.deepEqual(sandboxOf({ playground: true }, settings(), {}), { is: "local" });
  assert.equal(docker({ playground: true }, { sandbox: "docker" }).is, "docker");
  assert.equal(docker({ playground: true, sandbox: "docker" }).is, "docker");
  assert.deepEqual(sandboxOf({}, settings({ sandbox: "local" }), {}), { is: "local" });
  assert.equal(docker({ sandbox: "docker" }, { sandbox: "local" }).is, "docker");
});

it("takes the image of the flag before the setting before the project", () => {
  const given = { docker: { image: "ours" } };
  assert.equal(docker({ image: "flag" }, given, { image: "theirs" }).image, "flag");
  assert.equal(docker({}, given, { image: "theirs" }).image, "ours");
  assert.equal(docker({}, {}, { image: "theirs" }).image, "theirs");
});

it("adds up mounts, variables and secrets", () => {
  const given = { docker: { mounts: ["/a:ro", "/b"], env: ["A=1", "B=x=y"], secrets: ["K"] } };
  const flags = { mount: ["data:ro"], env: ["A=2"], secret: ["K", "L"] };
  const choice = docker(flags, given, { mounts: ["/c"] });
  assert.deepEqual(choice.mounts, [
    { path: "/a", mode: "ro" },
    { path: "/b", mode: "rw" },
    { path: "/c", mode: "rw" },
    { path: resolve("data"), mode: "ro" },
  ]);
  assert.deepEqual(choice.env, { A: "2", B: "x=y" });
  assert.deepEqual(choice.secrets, ["K", "L"]);
});

it("lets the workspace be looked at only, whoever asks for it", () => {
  assert.equal(docker({}).workspaceMode, "rw");
  assert.equal(docker({ readOnly: true }).workspaceMode, "ro");
  assert.equal(docker({}, { docker: { workspace: "ro" } }).workspaceMode, "ro");
  assert.equal(docker({}, {}, { workspace: "ro" }).workspaceMode, "ro");
});

it("refuses with words what local cannot keep, and what is no variable", () => {
  const promises: SandboxFlags[] = [{ readOnly: true }, { mount: ["/a"] }, { image: "x" }];
  for (const flags of promises)
    assert.match(
      String(sandboxOf({ sandbox: "local", ...flags }, settings(), {})),
      /--sandbox docker/,
    );
  assert.match(
    String(sandboxOf({ env: ["no value"] }, settings(), {})),
    /not NAME=value.*--secret/,
  );
});

it("bounds what settings may say", () => {
  const wrong = [
    { docker: { mounts: ["relative"] } },
    { docker: { mounts: ["/a:rx"] } },
    { docker: { env: ["=x"] } },
    { docker: { memoryMB: 1 } },
    { egress: { allow: ["http://example.org"] } },
    { egress: { allow: ["*"] } },
    { egress: { allow: ["example.org:0"] } },
    { model: { url: "ftp://example.org" } },
  ];
  for (const given of wrong)
    assert.equal(settingsSchema.safeParse(given).success, false, JSON.stringify(given));
  const allow = ["example.org", "*.example.org", "example.org:8443"];
  assert.deepEqual(settings({ egress: { allow } }).egress.allow, allow);
});
