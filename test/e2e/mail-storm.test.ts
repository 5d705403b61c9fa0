// A thousand mails at once: who is let in is answered, once; others are not; nobody elsewhere waits for it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { startTelegramServer } from "../fakes/telegram-server.ts";
import { startMailTown } from "../fakes/mail-town.ts";
import { cliRig } from "../fakes/cli-rig.ts";
import { addChannel } from "./gateway-process.ts";
import { addMail, eventually, query, withDovecot } from "./mail-rig.ts";

it("answers each allowed mail of a storm once, and everybody else meanwhile", { ...withDovecot, timeout: 180_000 }, async (t) => {
});
