// A real MCP client for the tools that an agent is given: it starts the server as ACP says, and calls.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

/** As it stands in session/new. */
export interface GivenServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

export interface ToolsClient {
  names(): Promise<string[]>;
  /** The answer's text; a failed one begins with "failed: ". */
  call(
    tool: string,
    input?: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<string>;
  close(): Promise<void>;
}

/** Rejects when the connection is refused. */
export async function connectTools(server: GivenServer): Promise<ToolsClient> {
  const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]));
  const transport = new StdioClientTransport({
    command: server.command,
    args: [...server.args],
    env,
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "0" });
  await client.connect(transport);
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, input = {}, signal) {
      const answer = await client.callTool({ name, arguments: { ...input } }, undefined, {
        ...(signal ? { signal } : {}),
      });
      const [content] = answer.content as { type: string; text?: string }[];
      return `${answer.isError ? "failed: " : ""}${content?.text ?? ""}`;
    },
    close: () => client.close(),
  };
}
