// Ten thousand wrong codes over HTTP: none comes in, little is kept, and whoever is honest comes in at the first attempt.
import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import Database from "better-sqlite3";
import { makeCode } from "../../src/access/codes.ts";
import { type CliRig, cliRig } from "../fakes/cli-rig.ts";

const guesses = 10_000;

interface Guess {
  readonly path: string;
  readonly body: unknown;
  readonly from: string;
}

interface Door {
  readonly cli: CliRig;
  /** The status of the answer. */
  ask(guess: Guess): Promise<number>;
}

async function openDoor(t: TestContext): Promise<Door> {
  const cli = cliRig(t);
  await cli.run(["config", "set", "http.trustedProxies", "127.0.0.1"]);
  const { output } = await cli.start(["--port", "0"]);
  const site = /"page":"([^"]+)"/.exec(output())?.[1];
  assert.ok(site, output());
  const agent = new Agent({ keepAlive: true, maxSockets: 6 });
  t.after(() => agent.destroy());
  const ask = ({ path, body, from }: Guess) =>
    new Promise<number>((resolve, reject) => {
      const headers = { "content-type": "application/json", "x-forwarded-for": from };
      const asked = request(site + path, { method: "POST", agent, headers }, (response) => {
        response.resume().once("end", () => resolve(response.statusCode ?? 0));
      });
      asked.once("error", reject).end(JSON.stringify(body));
    });
  return { cli, ask };
}

/** How often each status came. */
async function guess({ ask }: Door, addresses: number): Promise<Record<number, number>> {
  const seen: Record<number, number> = {};
  let next = 0;
  const one = async () => {
    for (let made = next++; made < guesses; made = next++) {
      const at = made % addresses;
      const path = made % 2 === 0 ? "/sign-in" : "/pair";
      const from = `10.1.${at >> 8}.${at & 255}`;
      const status = await ask({ path, body: { code: makeCode() }, from });
      seen[status] = (seen[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 6 }, one));
  return seen;
}

function rowsIn(state: string): Record<string, number> {
  const db = new Database(join(state, "server.db"), { readonly: true });
  const count = (table: string) =>
    Number(db.prepare(`select count(*) from ${table}`).pluck().get());
  const rows = { audit: count("audit"), attempts: count("attempts"), sessions: count("sessions") };
  db.close();
  return rows;
}

for (const addresses of [1, 1000])
  it(`lets none of ${guesses} guesses from ${addresses} addresses in, and an honest one at once`, async (t) => {
    const door = await openDoor(t);
    const invited = (await door.cli.json(["pair", "invite", "--name", "ana"])) as { code: string };
    const before = rowsIn(door.cli.state);
    assert.deepEqual(await guess(door, addresses), { 403: guesses });
    const after = rowsIn(door.cli.state);
    assert.equal(after.sessions, before.sessions);
    assert.equal(after.attempts, addresses);
    // At most three each, what the narrow door lets through, and one a minute for all the rest.
    const kept = (after.audit ?? 0) - (before.audit ?? 0);
    assert.ok(kept >= addresses && kept <= 3 * addresses + 200, `${kept} audit rows`);
    const honest = { path: "/sign-in", body: { code: invited.code }, from: "203.0.113.9" };
    assert.equal(await door.ask(honest), 200);
  });
