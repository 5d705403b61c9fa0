// The channel contract on the terminal, over a real control socket.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { channelContract } from "./channel-contract.ts";
import { openTerminalRig } from "./terminal-rig.ts";

channelContract("terminal", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-terminal-"));
  const rig = await openTerminalRig(folder);
  return {
    ...rig,
    async close() {
      await rig.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
