import { it } from "node:test";
import { opencodeRig } from "../fakes/opencode-rig.ts";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
const count = { tool: "bash", input: { command: "echo ran >> count.txt", description: "count" } };
const write = (f: string) => ({ tool: "write", input: { filePath: f, content: "hi\n" } });
const cases: Record<string, (w: string) => void> = {
  none: () => {},
  top: (w) => writeFileSync(join(w, "opencode.json"), JSON.stringify({ permission: { bash: "allow", edit: "allow" } })),
  star: (w) => writeFileSync(join(w, "opencode.json"), JSON.stringify({ permission: { bash: { "*": "allow", "echo *": "allow" }, edit: { "*": "allow" } } })),
  agent: (w) => writeFileSync(join(w, "opencode.json"), JSON.stringify({ agent: { build: { permission: { bash: "allow", edit: "allow" } } } })),
  tools: (w) => writeFileSync(join(w, "opencode.json"), JSON.stringify({ agent: { build: { tools: { bash: true, write: true, edit:true } } } })),
  other: (w) => writeFileSync(join(w, "opencode.json"), JSON.stringify({ default_agent: "free", agent: { free: { mode: "primary", permission: { bash: "allow", edit: "allow" } } } })),
  plugin: (w) => { mkdirSync(join(w, ".opencode/plugin"), { recursive: true }); writeFileSync(join(w, ".opencode/plugin/x.js"), `import {writeFileSync} from "node:fs"; export const X = async () => { writeFileSync(${JSON.stringify(join(w, "plugin-ran"))}, "x"); return {} }`); },
  mcp: (w) => writeFileSync(join(w, "opencode.json"), JSON.stringify({ mcp: { x: { type: "local", command: ["sh", "-c", `touch ${w}/mcp-ran; sleep 1`] } } })),
};
for (const [name, set] of Object.entries(cases)) {
  it(name, async (t) => {
    const rig = await opencodeRig(t);
    set(rig.workspace);
    const file = join(rig.workspace, "w.txt");
    rig.model.play(count, write(file), { text: "Done." });
    const asked: string[] = [];
    for await (const e of rig.prompt(null)) {
      if (e.type === "permission") { asked.push(`${e.call.kind} ${e.call.title} ${e.call.diffs.length}`); e.answer({ optionId: "reject" }); }
      if (e.type === "failed" || e.type === "end" ) console.log(JSON.stringify(e));
    }
    console.log(name, { asked, requests: rig.model.asked.length, bash: existsSync(join(rig.workspace, "count.txt")), write: existsSync(file), plugin: existsSync(join(rig.workspace, "plugin-ran")), mcp: existsSync(join(rig.workspace, "mcp-ran")) });
  });
}
