// The folder beside each container: who may enter it, where it goes when paths are long, and that it does not stay.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { SandboxTrouble } from "../../src/core/sandbox.ts";
import { createCompanion } from "../../src/sandbox/companion.ts";
import { createEgress } from "../../src/sandbox/egress/egress.ts";
import { memoryLog, temporaryFolder } from "../fakes/agent-rig.ts";
import { scope } from "../fakes/egress-rig.ts";

function factory(t: TestContext, stateDir: string, runtimeDir = "/nowhere") {
  const log = memoryLog();
  const egress = createEgress({ allow: () => [], model: () => undefined, log });
  t.after(() => egress.close());
  return createCompanion({ stateDir, runtimeDir, log, egress, serveTools: () => {} });
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

it("opens sockets to every user, in a folder that only we may enter, and removes all of it", async (t) => {
  const stateDir = temporaryFolder(t);
  const { binds, env, close } = await (await factory(t, stateDir))(scope);
  t.after(close);
  const [{ source = "", target = "", readOnly = false } = {}, ...others] = binds;
  assert.deepEqual([target, readOnly, others], ["/run/sallyport", true, []]);
  assert.deepEqual([modeOf(join(source, "..")), modeOf(source)], [0o700, 0o755]);
  const names = readdirSync(source).filter((name) => name.endsWith(".sock"));
  assert.deepEqual(names.sort(), ["egress.sock", "model.sock", "tools.sock"]);
  for (const name of names) assert.equal(modeOf(join(source, name)), 0o666);
  assert.equal(modeOf(join(source, "shim.ts")), 0o644);
  assert.equal(env.HTTPS_PROXY, "http://127.0.0.1:3128");
  // Also while somebody is connected.
  const waiting = request({ socketPath: join(source, "egress.sock"), path: "/" });
  waiting.on("error", () => {}).flushHeaders();
  await once(waiting, "socket");
  await close();
  assert.deepEqual([existsSync(source), readdirSync(join(source, ".."))], [false, []]);
});

it("opens no tools to anonymous callers, and gives each container a key of its own", async (t) => {
  const companion = await factory(t, temporaryFolder(t));
  const anonymous = { ...scope, key: "anonymous", pairing: null };
  const [one, other] = [await companion(anonymous), await companion(anonymous)];
  t.after(() => Promise.all([one.close(), other.close()]));
  const [folder = ""] = one.binds.map(({ source }) => source);
  assert.ok(!existsSync(join(folder, "tools.sock")));
  assert.notEqual(one.env.SALLYPORT_MODEL_KEY, other.env.SALLYPORT_MODEL_KEY);
  const command = { program: "agent", args: ["-x"], env: { KEY: "<{{model.key}}>" } };
  const wrapped = await one.wrap?.(command);
  assert.equal(wrapped?.program, "node");
  assert.deepEqual(wrapped?.args.slice(-4), ["/run/sallyport/shim.ts", "--", "agent", "-x"]);
  assert.deepEqual(wrapped?.env, { KEY: `<${one.env.SALLYPORT_MODEL_KEY}>` });
});

it("goes to the runtime folder where the state's path is too long, and says when that is too", async (t) => {
  const folder = temporaryFolder(t);
  const stateDir = join(folder, "x".repeat(90));
  mkdirSync(stateDir);
  const { binds, close } = await (await factory(t, stateDir, folder))(scope);
  t.after(close);
  const { source = "" } = binds[0] ?? {};
  assert.ok(source.startsWith(join(folder, "sallyport-")));
  assert.equal(modeOf(join(source, "..")), 0o700);
  const tooLong = factory(t, stateDir, join(folder, "y".repeat(90)));
  await assert.rejects(tooLong, (error) => {
    assert.ok(error instanceof SandboxTrouble);
    assert.match(error.message, /too long for sockets\. The owner should move it/);
    return true;
  });
});

it("removes what a dead gateway left, and follows no link in its place", async (t) => {
  const stateDir = temporaryFolder(t);
  const first = await (await factory(t, stateDir))(scope);
  t.after(() => first.close());
  const { source = "" } = first.binds[0] ?? {};
  const base = join(source, "..");
  await factory(t, stateDir);
  assert.deepEqual(readdirSync(base), []);
  const [other, theirs] = [temporaryFolder(t), temporaryFolder(t)];
  writeFileSync(join(theirs, "kept"), "");
  symlinkSync(theirs, join(other, base.slice(stateDir.length + 1)));
  const second = await (await factory(t, other))(scope);
  t.after(() => second.close());
  assert.deepEqual(readdirSync(theirs), ["kept"]);
});
