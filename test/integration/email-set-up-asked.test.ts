// `channel add email` at a real terminal: what is asked, what is proposed, and that the password is never shown.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { withDovecot } from "../fakes/dovecot.ts";
import { mailProvider } from "../fakes/mail-provider.ts";
import { atPty } from "../fakes/pty.ts";

const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

function terminal(t: TestContext, ...flags: readonly string[]) {
  const folder = temporaryFolder(t);
  const workspace = join(folder, "project");
  const state = join(folder, "state");
  mkdirSync(workspace);
  const argv = [process.execPath, main, "--state", state, "channel", "add", "email", ...flags];
  return { ...atPty(t, argv, workspace), settings: join(state, "settings.yaml") };
}

it(
  "asks for address, servers, name and password, and proposes what it found",
  withDovecot,
  async (t) => {
    const { address, password, dovecot, smtp, dns } = await mailProvider(t);
    dns.srv("_imaps._tcp.example.org", { target: "localhost", port: dovecot.ports.imaps });
    dns.address("smtp.example.org", "192.0.2.1");
    const at = terminal(t, "--dns", dns.at, "--ca", dovecot.caFile);
    await at.see(/The agent's address: /);
    at.type("Agent@Example.org\r");
    await at.see(/\(IMAP\) \[imaps:\/\/localhost:\d+\]: /);
    at.type("\r");
    await at.see(/\(SMTP\) \[smtps:\/\/smtp\.example\.org:465\]: /);
    at.type("smtp.nowhere.invalid\r");
    await at.see(/There is no server smtp\.nowhere\.invalid\./);
    at.type(`${smtp.url}\r`);
    await at.see(/Name to sign in with \[agent@example\.org\]: /);
    at.type("\r");
    await at.see(/The password \(not shown\): /);
    at.type("wrong\r");
    await at.see(/does not take this name and password[\s\S]*The password \(not shown\): /);
    at.type(`${password}\r`);
    const { code, text } = await at.ended;
    assert.equal(code, 0, text);
    assert.match(text, /example\.org signs what it sends/);
    assert.doesNotMatch(text, /correct horse/);
    const settings = readFileSync(at.settings, "utf8");
    assert.match(settings, new RegExp(`address: ${address}\n`));
    assert.match(settings, new RegExp(`smtp: ${smtp.url}\n`));
    assert.doesNotMatch(settings, /user:|correct horse/);
  },
);

it("changes nothing when somebody gives up", async (t) => {
  const at = terminal(t);
  await at.see(/The agent's address: /);
  at.type("\u0003");
  const { code, text } = await at.ended;
  assert.equal(code, 1);
  assert.match(text, /Nothing was changed/);
  assert.equal(existsSync(at.settings), false);
});
