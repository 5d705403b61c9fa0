// Which servers are taken for a mailbox on the word of DNS, and which are only proposed.
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { guessServers } from "../../src/gateway/mail.ts";
import { cliRig } from "../fakes/cli-rig.ts";
import { startMailDns } from "../fakes/mail-dns.ts";

async function nameServer(t: TestContext) {
  const dns = await startMailDns();
  t.after(() => dns.close());
  const guess = async () => {
    const guessed = await guessServers("example.org", dns.at);
    if (typeof guessed === "string") throw new Error(guessed);
    return guessed;
  };
  return { dns, guess };
}

it("takes the first of the servers that a domain names, and of those the heaviest", async (t) => {
  const { dns, guess } = await nameServer(t);
  dns.srv(
    "_imaps._tcp.example.org",
    { target: "late.example.org", port: 993, priority: 20, weight: 100 },
    { target: "light.example.org", port: 993, priority: 10, weight: 1 },
    { target: "Heavy.example.org", port: 1993, priority: 10, weight: 50 },
  );
  dns.srv("_imap._tcp.example.org", { target: "plain.example.org", port: 143 });
  dns.srv("_submissions._tcp.example.org", { target: ".", port: 0 });
  dns.srv("_submission._tcp.example.org", { target: "out.example.org", port: 587 });
  const { imap, smtp, trouble } = await guess();
  assert.deepEqual(
    [imap, smtp].map((one) => "url" in one && one.url),
    ["imaps://heavy.example.org:1993", "smtp://out.example.org:587"],
  );
  assert.deepEqual([imap.near, smtp.near, trouble], [true, true, null]);
});

it("knows a domain that offers none, one that names others, and one that names nobody", async (t) => {
  const { dns, guess } = await nameServer(t);
  dns.srv("_imaps._tcp.example.org", { target: ".", port: 0 });
  dns.srv("_submissions._tcp.example.org", { target: "smtp.example.net", port: 465 });
  const first = await guess();
  assert.equal(first.imap.is, "none");
  assert.deepEqual([first.smtp.is, first.smtp.near], ["named", false]);
  dns.srv("_imaps._tcp.example.org");
  dns.srv("_submissions._tcp.example.org");
  dns.address("mail.example.org", "192.0.2.1");
  const { imap, smtp } = await guess();
  assert.deepEqual(imap, {
    is: "likely",
    host: "mail.example.org",
    url: "imaps://mail.example.org:993",
    near: true,
    found: true,
  });
  assert.equal("url" in smtp && smtp.url, "smtps://mail.example.org:465");
  dns.fault("_imaps._tcp.example.org", "servfail");
  assert.match((await guess()).trouble ?? "", /no answer about _imaps\._tcp\.example\.org/);
});

it("takes no name that would be more than a host", async (t) => {
  const { dns, guess } = await nameServer(t);
  dns.srv("_imaps._tcp.example.org", { target: "a@evil.example.org", port: 993 });
  const { imap } = await guess();
  assert.equal("url" in imap && imap.url, "imaps://imap.example.org:993");
});

it("names the flags where nobody can be asked", async (t) => {
  const cli = cliRig(t);
  const { dns } = await nameServer(t);
  const add = async (...more: string[]) => {
    const args = ["channel", "add", "email", "--dns", dns.at, ...more, "--password-file", "-"];
    const { code, err } = await cli.run(args, "secret");
    assert.equal(code, 1, err);
    return err;
  };
  assert.match(await add(), /Say which mailbox it is: --address/);
  assert.match(await add("--address", "agent"), /"agent" is no address/);
  const address = ["--address", "agent@example.org"];
  assert.match(await add(...address), /does not say which server it is.*--imap imaps:\/\/HOST:993/);
  dns.srv("_imaps._tcp.example.org", { target: "imap.example.net", port: 993 });
  assert.match(
    await add(...address),
    /imap\.example\.net.*elsewhere.*--imap imaps:\/\/imap\.example\.net:993/,
  );
  dns.srv("_imaps._tcp.example.org", { target: ".", port: 0 });
  assert.match(await add(...address), /offers no IMAP.*--imap/);
});
