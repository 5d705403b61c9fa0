// An image for the sandbox is made from this machine's own Node and tools, found again, listed and removed.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { connectDocker, dockerAt } from "../../src/sandbox/docker/engine.ts";
import { imageFromHost } from "../../src/sandbox/image/from-host.ts";
import { imageList, imageRemove } from "../../src/sandbox/image/images.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { docker, dockerRig, image, withDocker } from "../fakes/docker-rig.ts";

const user = { uid: 10_001, gid: 10_001 };
const repository = "sallyport-test-image";

async function make(t: TestContext, content: string) {
  const from = join(temporaryFolder(t), "tool");
  mkdirSync(join(from, "bin"), { recursive: true });
  writeFileSync(join(from, "bin", "hello"), `#!/bin/sh\necho ${content}\n`, { mode: 0o4755 });
  const folders = [{ from, to: "/opt/tool" }];
  const links = { hello: "/opt/tool/bin/hello" };
  const made = await imageFromHost({ docker, repository, user, folders, links });
  assert.ok(made.ok, made.ok ? "" : made.problem);
  t.after(() =>
    docker
      .getImage(made.image)
      .remove()
      .catch(() => {}),
  );
  return made;
}

it(
  "holds this machine's Node, a shell, tools and git, and a name for the agent",
  withDocker,
  async (t) => {
    const rig = dockerRig(t);
    const lines = [
      "node -p process.version",
      "git init -q /tmp/r && cd /tmp/r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git log --oneline | wc -l",
      "echo b a | tr ' ' '\\n' | sort | head -1; awk 'BEGIN { print 1 + 1 }'; bash -c 'echo $((2 + 1))'",
      "test -s $SSL_CERT_FILE && node -e \"console.log(require('os').homedir())\"; find / -perm -4000 -type f 2>/dev/null | wc -l",
    ];
    const { out } = await rig.run(lines.join("\n"));
    assert.deepEqual(out.split("\n"), [process.version, "1", "a", "2", "3", "/home/agent", "0"]);
  },
);

it(
  "is named by what went in: the same is found again, another content is another image",
  withDocker,
  async (t) => {
    const first = await make(t, "one");
    assert.equal(first.isNew, true);
    assert.deepEqual(await make(t, "one"), { ...first, isNew: false });
    const other = await make(t, "two");
    assert.notEqual(other.image, first.image);
    const rig = dockerRig(t, { image: other.image });
    assert.equal((await rig.run("hello")).out, "two");

    const list = await imageList(docker);
    const names = list.ok ? list.images.map(({ name }) => name) : [];
    assert.ok(names.includes(first.image) && names.includes(image));
    assert.equal(await imageRemove(docker, first.image), undefined);
    assert.match((await imageRemove(docker, first.image)) ?? "", /^There is no image/);
  },
);

it(
  "says in words that Docker is away, that it is another machine's, or that a folder is missing",
  withDocker,
  async (t) => {
    const away = dockerAt(join(temporaryFolder(t), "docker.sock"));
    const problem =
      "Docker does not run on this machine. The owner should start it (sudo systemctl start docker), or install it.";
    assert.deepEqual(await imageFromHost({ docker: away, user }), { ok: false, problem });
    assert.deepEqual(await imageList(away), { ok: false, problem });
    assert.equal(await imageRemove(away, image), problem);
    const remote = connectDocker({ DOCKER_HOST: "tcp://10.0.0.1:2375" });
    assert.match(remote.ok ? "" : remote.problem, /^DOCKER_HOST is tcp:.* Unset DOCKER_HOST\.$/);
    const folders = [{ from: "/no/such/folder", to: "/opt/x" }];
    const missing = await imageFromHost({ docker, repository, user, folders });
    assert.match(missing.ok ? "" : missing.problem, /\/no\/such\/folder/);
  },
);
