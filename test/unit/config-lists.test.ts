// Settings that are lists: added to and taken from, without saying again what is in them.
import assert from "node:assert/strict";
import { it } from "node:test";
import { secretOf } from "../../src/admin/doctor-docker.ts";
import { makers } from "../../src/agent/presets/makers.ts";
import { valueFrom, withoutWords, withWords } from "../../src/config/keys.ts";

const words = (changed: ReturnType<typeof withWords>) =>
  changed.ok ? changed.words : changed.problem;

it("keeps what is in a list, and adds each once", () => {
  assert.deepEqual(words(withWords("egress.allow", ["a.example"], ["b.example", "b.example"])), [
    "a.example",
    "b.example",
  ]);
  assert.deepEqual(words(withWords("approvals.auto", ["edit"], ["move,edit"])), ["edit", "move"]);
  assert.deepEqual(words(withWords("http.hosts", undefined, ["x"])), ["x"]);
});

it("says what is there already, and what is not there", () => {
  assert.match(
    String(words(withWords("egress.allow", ["a.example"], ["a.example"]))),
    /^a\.example is in egress\.allow already\.$/,
  );
  assert.match(
    String(words(withoutWords("egress.allow", ["a.example"], ["a.example", "b.example"]))),
    /^b\.example is not in egress\.allow\. See: sallyport config get egress\.allow$/,
  );
});

it("knows a folder by its path, a variable by its name, and a host however it is written", () => {
  const mounts = ["/data", "/music:ro"];
  assert.deepEqual(words(withWords("docker.mounts", mounts, ["/data:ro"])), [
    "/music:ro",
    "/data:ro",
  ]);
  assert.deepEqual(words(withoutWords("docker.mounts", mounts, ["/music/"])), ["/data"]);
  assert.deepEqual(words(withWords("docker.env", ["A=1", "B=2"], ["A=3"])), ["B=2", "A=3"]);
  assert.deepEqual(words(withoutWords("docker.env", ["A=1", "B=2"], ["A"])), ["B=2"]);
  assert.deepEqual(words(withoutWords("egress.allow", ["A.example"], ["a.EXAMPLE"])), []);
});

it("refuses what is no list, and no setting", () => {
  assert.match(String(words(withWords("homes.maxMB", 1, ["2"]))), /not a list.*config set homes/);
  assert.match(
    String(words(withWords("channels.email.arcSealers", undefined, ["a.example.org"]))),
    /Several.*config set channels\.email\.arcSealers a\.example\.org, b\.example\.org$/,
  );
  assert.deepEqual(valueFrom("channels.email.arcSealers", ["a.example,", "b.example"]), {
    ok: true,
    value: "a.example, b.example",
  });
  assert.match(String(words(withoutWords("allow", [], ["2"]))), /Did you mean egress\.allow\?/);
});

it("says which item of a list is wrong, and how it should be", () => {
  const read = valueFrom("docker.mounts", ["/data", "data"]);
  assert.match(
    read.ok ? "" : read.problem,
    /^docker\.mounts cannot be "data": it is a folder as \/path or \/path:ro\./,
  );
  const everybody = valueFrom("access.allowEmail", ["*"]);
  assert.match(everybody.ok ? "" : everybody.problem, /config add access\.allowEmail VALUE$/);
  const suffix = valueFrom("access.allowEmail", ["*.co.uk"]);
  assert.match(suffix.ok ? "" : suffix.problem, /anybody can register a name below co\.uk\./);
  const word = valueFrom("docker.secrets", ["A", "b c"]);
  assert.match(word.ok ? "" : word.problem, /it is a list of texts/);
});

it("takes a fraction where one is allowed, and only there", () => {
  assert.deepEqual(valueFrom("docker.cpus", ["0.5"]), { ok: true, value: 0.5 });
  const whole = valueFrom("docker.processes", ["20.5"]);
  assert.match(whole.ok ? "" : whole.problem, /a whole number from 16 to 100000/);
  const wrong = valueFrom("docker.cpus", ["many"]);
  assert.match(wrong.ok ? "" : wrong.problem, /it is a number from 0\.1 to 1000/);
});

it("knows the usual name of each key as the agents' makers do", () => {
  const usual = Object.entries(makers).map(([api, { secret }]) => [api, secret]);
  assert.deepEqual(secretOf, Object.fromEntries(usual));
});
