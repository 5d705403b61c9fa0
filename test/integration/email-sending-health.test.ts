// A mail that waits because the server takes none is seen in the mailbox's health, until one went out.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { channel } from "../../channels/email/index.ts";
import { agent, ana } from "../fakes/mail-sender-rig.ts";
import { type MailSmtp, startMailSmtp } from "../fakes/mail-smtp.ts";
import { notesInMemory } from "../fakes/notes.ts";

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

async function open(test: TestContext, change: Record<string, unknown> = {}) {
  const smtp = await startMailSmtp({ users: { [agent]: "a secret" } });
  const folder = await mkdtemp(join(tmpdir(), "mail-"));
  const ca = join(folder, "ca.pem");
  await writeFile(ca, smtp.ca);
  const settings = { address: agent, imap: "imaps://localhost:1", smtp: smtp.url, ca };
  const listener = await channel.open(
    { ...settings, password: "a secret", ...change },
    {
      listener: "post",
      log,
      notes: notesInMemory(),
      fetchFrom: () => assert.fail("mail fetches nothing"),
    },
  );
  test.after(async () => {
    await listener.stop();
    await smtp.close();
    await rm(folder, { recursive: true });
  });
  let row = 0;
  const send = async () => {
    row += 1;
    return await listener
      .send({ listener: "post", chat: ana }, { plain: "An answer" }, `o${row}`)
      .catch((error: Error) => error);
  };
  return { smtp, listener, send };
}

async function trouble(rig: Awaited<ReturnType<typeof open>>, fail: (smtp: MailSmtp) => void) {
  fail(rig.smtp);
  assert.ok((await rig.send()) instanceof Error);
  rig.smtp.faults.clear();
  return rig.listener.health();
}

it("says that no mail can be sent from the first failure until one went out", async (test) => {
  const rig = await open(test);
  const before = rig.listener.health();
  assert.equal(before.lastError, undefined);
  const refused = await trouble(rig, ({ faults }) =>
    faults.add("AUTH", { reply: "535 5.7.8 bad credentials" }),
  );
  assert.equal(refused.state, before.state);
  assert.match(
    refused.lastError ?? "",
    /^mail cannot be sent: .*\(535\).*\(sallyport secret set post\.password\)$/,
  );
  const later = await trouble(rig, ({ faults }) =>
    faults.add("MAIL", { reply: "451 4.3.0 later" }),
  );
  assert.match(later.lastError ?? "", /^mail cannot be sent: The mail server answered "451/);
  // One nobody there: that says nothing about the next mail.
  await trouble(rig, ({ faults }) => faults.add("RCPT", { reply: "550 5.1.1 no such user" }));
  assert.deepEqual(rig.listener.health(), later);
  assert.ok(!((await rig.send()) instanceof Error));
  assert.equal(rig.listener.health().lastError, undefined);
  await trouble(rig, ({ faults }) => faults.add("RCPT", { reply: "550 5.1.1 no such user" }));
  assert.equal(rig.listener.health().lastError, undefined);
});

it("says so of a server that is not there", async (test) => {
  const rig = await open(test, { smtp: "smtps://localhost:1" });
  assert.ok((await rig.send()) instanceof Error);
  assert.match(
    rig.listener.health().lastError ?? "",
    /^mail cannot be sent: The mail did not go out: nothing listens there/,
  );
});
