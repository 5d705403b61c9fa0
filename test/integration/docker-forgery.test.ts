// An agent in a container cannot answer what it asked: not by its protocol, not by words, not by any door of the gateway.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { it } from "node:test";
import { presetOfCommand } from "../../src/agent/presets.ts";
import { listAudit } from "../../src/store/audit.ts";
import { pendingQuestions } from "../../src/store/questions.ts";
import { dockerRig, withDocker } from "../fakes/docker-rig.ts";
import { forgingAgent } from "../fakes/forging-agent.ts";
import { startSpine } from "../fakes/spine.ts";

it(
  "answers no question of its own: it stays open until a person decides, and their no is a no",
  withDocker,
  async (t) => {
    const rig = dockerRig(t);
    const [page, control] = [
      createServer().listen(0, "127.0.0.1"),
      join(rig.stateDir, "control.sock"),
    ];
    const door = createServer().listen(control);
    t.after(() => void [page.close(), door.close()]);
    await Promise.all([once(page, "listening"), once(door, "listening")]);
    const address = page.address();
    assert.ok(typeof address === "object" && address !== null);
    const preset = presetOfCommand("node");
    assert.ok(preset);
    const paths = [control, "/run/docker.sock", "/var/run/docker.sock", "\0control"];
    const places = JSON.stringify({ paths, ports: [address.port, 7420] });
    const {
      desk,
      store,
      join: pair,
    } = await startSpine(t, {
      folder: rig.folder,
      agent: {
        preset: { ...preset, args: ["-e", forgingAgent, "--", places] },
        spawn: rig.sandbox.spawn,
        inside: rig.sandbox.inside,
      },
    });
    await pair("1", "ana");
    await desk.say("1", "go on");
    await desk.until(/tried: ENOENT ENOENT ENOENT ECONNREFUSED ECONNREFUSED ECONNREFUSED/);
    await desk.until(/Edit notes|Append to notes/);
    const open = await store.run(pendingQuestions);
    assert.equal(open.length, 1);
    const decided = await store.run(() => listAudit(50));
    assert.deepEqual(
      decided.filter(({ action }) => action.startsWith("question.")),
      [],
    );
    await desk.press("1", "Deny");
    await desk.until(/answer: no/);
    await desk.until(/⛔ Denied by ana/);
  },
);
