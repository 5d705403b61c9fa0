import { it } from "node:test";
import { withDiscord } from "./discord-rig.ts";
import { inbox } from "./rig.ts";
it("x", () => withDiscord(async ({ rig, ana, dm, general, log, fake }) => {
  let release = () => {};
  const held = new Promise<void>((r) => { release = r; });
  const box = inbox(() => held);
  await rig.listener.start(box.accept);
  ana.sends(dm, "first");
  for (let n = 0; n < 5300; n += 1) ana.sends(general, `${n}`, { mention: true });
  ana.sends(dm, "last");
  console.log("sent");
  await rig.until("contact", () => rig.listener.health().lastContact !== undefined);
  release();
  for (let i = 0; i < 6; i++) { await new Promise((r) => setTimeout(r, 1500)); console.log(box.events.length, rig.listener.health(), box.texts().slice(-2)); }
  console.log(log.slice(-5));
}, { config: { pace: "off" } }));
