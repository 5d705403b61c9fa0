// Which calls are of our own tools, so that nobody is asked, and which an agent must ask about.
import assert from "node:assert/strict";
import { it } from "node:test";
import { presetNamed, presetNames } from "../../src/agent/presets.ts";
import type { ToolCall } from "../../src/core/agent.ts";

const call: ToolCall = {
  id: "call_1",
  title: "mcp.sallyport.send_file",
  kind: "execute",
  status: "pending",
  locations: [],
  diffs: [],
  input: '{"server":"sallyport","tool":"send_file","arguments":{"path":"made.txt"}}',
};
const diff = { path: "/workspace/a", before: null, after: "a" };

it("knows codex's calls of our own tools, and takes nothing else for one", () => {
  const codex = presetNamed("codex");
  for (const tool of ["send_file", "ask_user", "list_tasks"])
    assert.equal(codex?.isOwnTool?.({ ...call, title: `mcp.sallyport.${tool}` }), true);
  const others: Partial<ToolCall>[] = [
    { title: "mcp.other.send_file" },
    { title: "mcp.sallyport.run" },
    { title: "mcp.sallyport.send_file " },
    { title: "mcp.sallyport.send_file; rm -rf ." },
    { title: "send_file" },
    { kind: "other" },
    { input: '{"server":"other"}' },
    { input: '{"arguments":{"server":"sallyport"}}' },
    { input: '["sallyport"]' },
    { input: '{"server":"sallyport","arguments":{"te…' },
    { command: "rm -rf ." },
    { url: "https://example.com" },
    { diffs: [diff] },
  ];
  for (const other of others)
    assert.equal(codex?.isOwnTool?.({ ...call, ...other }), false, JSON.stringify(other));
  const { input: _, ...bare } = call;
  assert.equal(codex?.isOwnTool?.(bare), false);
});

it("holds only opencode to asking about every call that changes, runs or fetches something", () => {
  const opencode = presetNamed("opencode");
  const must = (more: Partial<ToolCall>) => opencode?.mustAsk?.({ ...call, ...more });
  for (const kind of ["execute", "edit", "delete", "move", "fetch", "think"] as const)
    assert.equal(must({ kind }), true, kind);
  for (const kind of ["read", "search", "other"] as const)
    assert.equal(must({ kind }), false, kind);
  for (const command of [
    "ls",
    "> made",
    "cd /tmp > made",
    "cd $(touch made)",
    "cd /tmp\ntouch made",
  ])
    assert.equal(must({ command }), true, command);
  assert.equal(must({ command: "cd ../other-folder" }), false);
  for (const name of presetNames)
    assert.equal(presetNamed(name)?.mustAsk !== undefined, name === "opencode", name);
});
