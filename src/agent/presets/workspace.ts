// The built-in agent, which needs no model.
import { fileURLToPath } from "node:url";
import type { AgentCommand } from "../../core/sandbox.ts";
import type { Preset } from "./preset.ts";

// This file ends in .ts in a checkout and in .js in the published package, and the agent's main as well.
const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";

export function workspace(): Preset {
  return {
    name: "workspace",
    program: process.execPath,
    args: [fileURLToPath(new URL(`../workspace/main.${extension}`, import.meta.url))],
    env: {},
    mode: null,
    asks: true,
    install: "It comes with Sallyport: reinstall Sallyport.",
    probe: "write sallyport-probe.txt\nprobe",
  };
}

/** Every image of ours has it at this place. */
export function workspaceInSandbox(): AgentCommand {
  return {
    program: "node",
    args: [`/opt/sallyport/agent/workspace/main.${extension}`],
    env: {},
  };
}
