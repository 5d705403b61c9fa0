import { it } from "node:test";
import { opencodeRig } from "../fakes/opencode-rig.ts";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
const show = (x: unknown) => console.log(JSON.stringify(x, null, 1).slice(0, 6000));
const brief = (ms: readonly any[]) => ms.filter((m) => m.role !== "system").map((m) => JSON.stringify(m).slice(0, 700));
for (const at of ["sent", "asked", "allowed"]) {
  it(at, async (t) => {
    const rig = await opencodeRig(t);
    const { model } = rig;
    const count = { tool: "bash", input: { command: "echo ran >> count.txt", description: "count" } };
    const t0 = Date.now();
    if (at === "sent") model.play("stall"); else if (at === "asked") model.play(count); else model.play(count, "stall");
    let session = "";
    const wait = at === "sent" ? model.request(1) : at === "allowed" ? model.request(2) : null;
    void wait?.then(() => { console.log(at, "killing after", Date.now() - t0); rig.kill(); });
    for await (const e of rig.prompt(null)) {
      console.log("A", JSON.stringify(e).slice(0, 700));
      if (e.type === "session") session = e.id;
      if (e.type === "permission") { if (at === "asked") rig.kill(); else e.answer({ optionId: e.options[0]!.id }); }
    }
    console.log("count", existsSync(join(rig.workspace, "count.txt")) && readFileSync(join(rig.workspace, "count.txt"), "utf8"));
    const before = model.asked.length;
    model.play(at === "sent" ? { text: "Done." } : count, { text: "Done." });
    const t1 = Date.now();
    for await (const e of rig.prompt(session)) {
      console.log("B", Date.now() - t1, JSON.stringify(e).slice(0, 700));
      if (e.type === "permission") e.answer({ optionId: e.options[0]!.id });
    }
    for (const m of rig.wires[1]!) console.log("W", m.from, JSON.stringify(m).slice(0, 900));
    for (const ms of model.asked.slice(before)) console.log("M", brief(ms));
    console.log("count", existsSync(join(rig.workspace, "count.txt")) && readFileSync(join(rig.workspace, "count.txt"), "utf8"));
    show(model.asked.length);
  });
}
