// The channel contract on mail: a real mailbox, a real mail server, keys in a real DNS server.
import { existsSync } from "node:fs";
import { it } from "node:test";
import { channelContract } from "./channel-contract.ts";
import { openEmail } from "./email-rig.ts";

if (existsSync("/usr/sbin/dovecot") || process.env.CI)
  channelContract("email", async () => (await openEmail()).rig);
else it("email: passes the channel contract", { skip: "needs Dovecot: no /usr/sbin/dovecot" });
