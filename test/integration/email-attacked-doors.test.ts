// Somebody between us and the mail server who puts in words before the line is encrypted: none of them ever counts.
import assert from "node:assert/strict";
import { it } from "node:test";
import { withDovecot } from "../fakes/dovecot.ts";
import { mailboxRig } from "../fakes/mailbox-rig.ts";

const tags = Array.from({ length: 30 }, (_, at) => `${(at + 1).toString(16)} OK injected\r\n`);
const injected: readonly (readonly [string, string])[] = [
  ["answers to what will be asked", tags.join("")],
  ["another greeting", "* PREAUTH welcome\r\n"],
  ["other abilities", "* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n"],
  ["the beginning of a long answer", "* OK {10000000}\r\n"],
];

for (const [what, words] of injected)
  it(`signs in nowhere after ${what} put in before TLS, and says so`, withDovecot, async (t) => {
    const rig = await mailboxRig(t, { tls: "offered" });
    rig.cut.leadTo(rig.dovecot.ports.imap);
    let put = 0;
    rig.cut.rewrite((text) =>
      text.replace(/OK Begin TLS[^\r]*\r\n/, (line) => {
        put += 1;
        return line + words;
      }),
    );
    const listener = rig.open({ imap: `imap://localhost:${rig.cut.port}` });
    await rig.start(listener);
    await rig.until("the refusal", () => listener.health().lastError !== undefined);
    assert.match(listener.health().lastError ?? "", /Somebody on the way to localhost/);
    assert.ok(put > 0);
    assert.doesNotMatch(rig.cut.heard(), /sesame|LOGIN|AUTHENTICATE|SELECT/i);
    rig.cut.rewrite();
    await rig.until("the connection", () => listener.health().state === "connected");
    await rig.writes("hello");
    await rig.until("the mail", () => rig.heard.length === 1);
    assert.deepEqual(rig.texts(), ["hello"]);
  });
