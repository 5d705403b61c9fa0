// sallyport link: the page, signed in, by a link that works once.
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import type { AdminContext } from "../../src/admin/context.ts";
import { runOperation } from "../../src/admin/operations.ts";
import type { Running } from "../../src/admin/running.ts";
import { linkText } from "../../src/cli/link-text.ts";
import { readEnvironment } from "../../src/config/environment.ts";
import { ensureState, placeOf } from "../../src/config/paths.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { cliRig } from "../fakes/cli-rig.ts";
import { home, type VisitorRig, visitorRig } from "../fakes/visitor-rig.ts";

interface Made {
  readonly url: string;
  readonly expiresAt: number;
}

/** Only what these operations ask of a gateway. */
function contextOf(t: TestContext, rig: VisitorRig, pageUrl: string | undefined): AdminContext {
  const folder = temporaryFolder(t);
  const wanted = { workspace: temporaryFolder(t), state: folder };
  const placed = placeOf(wanted, readEnvironment({}));
  assert.ok(placed.ok);
  ensureState(placed.place.paths);
  const running = { pageUrl: () => pageUrl, listeners: () => [] } as Partial<Running> as Running;
  const store = { run: rig.run, runSoon: rig.run, epoch: 1, size: () => 0, close: async () => {} };
  const clock = { now: () => rig.time.now };
  return { place: placed.place, clock, running, store: async () => store };
}

async function ask(context: AdminContext, name: string, input: unknown = {}): Promise<unknown> {
  const outcome = await runOperation(context, name, input);
  return outcome?.ok ? outcome.value : outcome?.problem;
}

it("makes a link whose secret is in the fragment, and signs its owner in once", async (t) => {
  const rig = visitorRig(t);
  await rig.startLocal();
  const context = contextOf(t, rig, "http://127.0.0.1:7420");
  const { url, expiresAt } = (await ask(context, "link")) as Made;
  assert.match(url, /^http:\/\/127\.0\.0\.1:7420\/#link=[\w-]{43}$/);
  assert.equal(expiresAt, rig.time.now + 5 * 60_000);
  const link = new URL(url).hash.slice("#link=".length);
  const signed = await rig.visitors.signIn({ link }, home);
  assert.ok(signed !== "refused");
  assert.equal(signed.visitor.operator, true);
  assert.equal(await rig.visitors.signIn({ link }, home), "refused");
  const rows = await rig.audits();
  assert.ok(rows.some(({ action, who }) => action === "link" && who === "operator"));
  assert.ok(!(JSON.stringify(rows) + rig.bytes()).includes(link));
  const pairings = (await ask(context, "pair.list")) as { name: string; sessions: number }[];
  assert.deepEqual(
    pairings.map(({ name, sessions }) => [name, sessions]),
    [["local", 1]],
  );
});

it("says why there is no link", async (t) => {
  const rig = visitorRig(t);
  assert.match(String(await ask(contextOf(t, rig, undefined), "link")), /not served.*log/);
  const elsewhere = contextOf(t, rig, "http://192.168.1.5:7420");
  assert.match(String(await ask(elsewhere, "link")), /192\.168\.1\.5.*http\.host.*pair invite/);
  const nobody = contextOf(t, rig, "http://[::1]:7420");
  assert.match(String(await ask(nobody, "link")), /Start the gateway again/);
});

it("names the page when it invites, while it is served", async (t) => {
  const rig = visitorRig(t);
  const pageFor = async (url: string | undefined) => {
    const invited = await ask(contextOf(t, rig, url), "pair.invite", { name: "ana" });
    return (invited as { page: string | null }).page;
  };
  assert.equal(await pageFor(undefined), null);
  assert.equal(await pageFor("http://127.0.0.1:7420"), "http://127.0.0.1:7420/pair");
});

it("shows the way through SSH with the ports as they must be", () => {
  const made = { url: "http://127.0.0.1:7420/#link=secret", expiresAt: Date.now() };
  const ssh = (connection: string) =>
    readEnvironment({ SSH_CONNECTION: connection, USER: "ana", NO_COLOR: "1" }).ssh;
  const near = linkText(made, ssh(""));
  assert.doesNotMatch(near, /ssh/);
  assert.match(near, /^ {2}http:\/\/127\.0\.0\.1:7420\/#link=secret$/m);
  const far = linkText(made, ssh("198.51.100.4 51000 192.0.2.10 22"));
  assert.match(far, /^ {2}ssh -L 7420:127\.0\.0\.1:7420 ana@192\.0\.2\.10$/m);
  const other = linkText(made, ssh("2001:db8::4 51000 2001:db8::10 2222"));
  assert.match(other, /^ {2}ssh -p 2222 -L 7420:127\.0\.0\.1:7420 ana@2001:db8::10$/m);
  assert.equal(ssh("$(rm) 1 ;rm 22"), undefined);
});

it("needs a gateway", async (t) => {
  const ran = await cliRig(t).run(["link"]);
  assert.equal(ran.code, 1);
  assert.match(ran.err, /sallyport start/);
});

it("opens the page of a gateway that runs, in one browser, until its pairing goes", async (t) => {
  const cli = cliRig(t);
  await cli.json(["config", "set", "http.port", "0"]);
  await cli.start();
  const { url } = (await cli.json(["link"])) as Made;
  const { origin, hash } = new URL(url);
  const post = (path: string, body: unknown) =>
    fetch(`${origin}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", origin },
      body: JSON.stringify(body),
    });
  const link = hash.slice("#link=".length);
  const signed = await post("/sign-in", { link });
  assert.equal(signed.status, 200, await signed.clone().text());
  const [cookie = ""] = (signed.headers.get("set-cookie") ?? "").split(";");
  const me = () => fetch(`${origin}/api/me`, { headers: { cookie } });
  const shown = (await (await me()).json()) as { name: string; operator: boolean };
  assert.deepEqual([shown.name, shown.operator], ["local", true]);
  assert.equal((await post("/sign-in", { link })).status, 403);
  const invited = (await cli.json(["pair", "invite", "--name", "ana"])) as { code: string };
  const paired = await post("/pair", { code: invited.code });
  const { token } = (await paired.json()) as { token: string };
  const bearer = () => fetch(`${origin}/api/me`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal((await bearer()).status, 200);
  await cli.json(["pair", "set", "ana", "--rotate"]);
  assert.equal((await bearer()).status, 401);
  await cli.json(["pair", "rm", "local"]);
  assert.equal((await me()).status, 401);
  assert.match((await cli.run(["link"])).err, /Start the gateway again/);
});
