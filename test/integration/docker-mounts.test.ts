// Which folders of this machine the docker sandbox shows, and which it refuses to.
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { SandboxTrouble } from "../../src/core/sandbox.ts";
import { dockerRig, socket, withDocker } from "../fakes/docker-rig.ts";

/** What the log says; the chat has no path of this machine. */
async function whyNot(running: Promise<unknown>): Promise<string> {
  const error: unknown = await running.then(
    () => new Error("it ran"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof SandboxTrouble, String(error));
  assert.match(error.message, /cannot be used as they are set.*sallyport doctor$/);
  return error.detail ?? "";
}

it(
  "shows further folders under /mnt, writable or not, and never writable to people we do not know",
  withDocker,
  async (t) => {
    const { folder } = dockerRig(t);
    for (const name of ["books", "out"]) mkdirSync(join(folder, name), { mode: 0o777 });
    writeFileSync(join(folder, "books", "one"), "a book");
    const { chmodSync } = await import("node:fs");
    chmodSync(join(folder, "out"), 0o777);
    const rig = dockerRig(t, {
      mounts: [
        { path: join(folder, "books"), mode: "ro" },
        { path: join(folder, "out"), mode: "rw" },
      ],
    });
    const script =
      "cat /mnt/books/one; echo; for d in books out; do echo x > /mnt/$d/new && echo $d; done";
    assert.equal((await rig.run(script)).out, "a book\nout");
    assert.equal((await rig.run(script, rig.scope("anonymous", "ro"))).out, "a book");
  },
);

it(
  "refuses a mount that would show the state, Docker, the machine, a home or what a link leads to",
  withDocker,
  async (t) => {
    const base = dockerRig(t);
    const { folder, stateDir } = base;
    const userHome = join(folder, "users", "ana");
    mkdirSync(userHome, { recursive: true });
    symlinkSync("/etc", join(base.workspace, "link"));
    mkdirSync(join(stateDir, "homes"));
    const cases: [string, RegExp][] = [
      ["/", /whole machine/],
      [stateDir, /Sallyport's own state/],
      [join(stateDir, "homes"), /Sallyport's own state/],
      [folder, /Sallyport's own state/],
      [socket, /hand out Docker|a link leads it|neither a folder nor a file/],
      [dirname(socket), /hand out Docker|a link leads it to \/run/],
      ["/run", /hand out Docker/],
      [userHome, /your home/],
      [dirname(userHome), /your home/],
      ["/proc", /the machine itself/],
      ["/sys/fs", /the machine itself/],
      ["/dev/null", /neither a folder nor a file/],
      [join(base.workspace, "link"), /a link leads it to \/etc: name that instead/],
      [join(base.workspace, "link", "ssl"), /a link leads it to \/etc\/ssl/],
      [join(folder, "nowhere"), /does not exist/],
      ["books", /must begin with \//],
    ];
    for (const [path, reason] of cases) {
      const options = { stateDir, userHome, mounts: [{ path, mode: "ro" } as const] };
      const message = await whyNot(dockerRig(t, options).run("true"));
      assert.match(message, /The mount .* was refused/, path);
      assert.match(message, reason, path);
    }
  },
);

it(
  "refuses two mounts of one name, and a workspace that would show the state or a home",
  withDocker,
  async (t) => {
    const rig = dockerRig(t);
    for (const name of ["one", "two"])
      mkdirSync(join(rig.folder, name, "data"), { recursive: true });
    const mounts = ["one", "two"].map((name) => ({
      path: join(rig.folder, name, "data"),
      mode: "ro" as const,
    }));
    assert.match(
      await whyNot(dockerRig(t, { mounts }).run("true")),
      /another is at \/mnt\/data already/,
    );
    const place = { ...rig.scope(), workspace: rig.folder };
    assert.match(
      await whyNot(rig.run("true", place)),
      /^The workspace .* it would show Sallyport's own state\.$/,
    );
    const around = join(rig.folder, "around");
    mkdirSync(join(around, "project"), { recursive: true });
    const overlapping = dockerRig(t, { mounts: [{ path: around, mode: "rw" }] });
    const scope = { ...overlapping.scope(), workspace: join(around, "project") };
    assert.match(
      await whyNot(overlapping.run("true", scope)),
      /it overlaps \/\S+\/project, which is shown already/,
    );
    const atHome = dockerRig(t, { userHome: join(rig.workspace, "ana") });
    mkdirSync(join(rig.workspace, "ana"));
    assert.match(await whyNot(atHome.run("true", rig.scope())), /it is your home/);
  },
);
