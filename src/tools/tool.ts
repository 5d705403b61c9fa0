// What a tool is: a name and a description that models read, a checked input, and an answer in words.
import { z } from "zod";
import type { TurnInlet } from "../core/agent.ts";
import type { SandboxScope } from "../core/sandbox.ts";
import type { ToolPorts } from "./ports.ts";

/** Of one call. */
export interface CallContext {
  readonly ports: ToolPorts;
  readonly scope: SandboxScope;
  readonly inlet: TurnInlet;
  /** Aborted: nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export interface ToolAnswer {
  /** A failure says what the agent can do about it. */
  readonly text: string;
  readonly failed?: true;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object" } & Readonly<Record<string, unknown>>;
  call(input: unknown, context: CallContext): Promise<ToolAnswer>;
}

interface Definition<Input extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  run(input: z.infer<Input>, context: CallContext): Promise<ToolAnswer>;
}

export function failed(text: string): ToolAnswer {
  return { text, failed: true };
}

export function defineTool<Input extends z.ZodObject>(definition: Definition<Input>): Tool {
  const { name, description, input, run } = definition;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
  return {
    name,
    description,
    inputSchema: { ...schema, type: "object" },
    async call(given, context) {
      const parsed = input.safeParse(given ?? {});
      if (parsed.success) return await run(parsed.data, context);
      const problems = parsed.error.issues.map(
        ({ path, message }) => `${path.join(".") || "input"}: ${message}`,
      );
      return failed(`The input of ${name} is not right. ${problems.slice(0, 5).join("; ")}.`);
    },
  };
}
