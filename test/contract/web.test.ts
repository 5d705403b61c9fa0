// The channel contract on the page, over a real HTTP server behind its guard.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { channelContract } from "./channel-contract.ts";
import { openWebRig } from "./web-rig.ts";

channelContract("web", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-web-"));
  const rig = await openWebRig(folder);
  return {
    ...rig,
    async close() {
      await rig.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
