// MCP on one connection: our tools, by the SDK, which is loaded with the first of them.
import type { Duplex } from "node:stream";
import type { Log } from "../core/log.ts";
import type { Pace } from "./pace.ts";
import type { Tool, ToolAnswer } from "./tool.ts";
import { createTransport } from "./transport.ts";

export interface ServerOptions {
  readonly connection: Duplex;
  readonly tools: readonly Tool[];
  readonly log: Log;
  readonly pace: Pace;
  call(name: string, input: unknown, signal: AbortSignal): Promise<ToolAnswer>;
}

/** What is no message of MCP, or answers nothing: a client that works sends none. */
const complaintsMost = 10;
/** Clients lose patience with a call that says nothing: people take longer than that to answer. */
const signOfLifeMs = 10_000;

/** Gemini CLI shows its model no tool that is called as one of its own, whosever it is: it gets another name for it. */
const hiding = { client: /^gemini-cli/, tool: "ask_user", shown: "ask_person" };

async function loadSdk() {
  const [{ Server }, types] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/index.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  return { Server, ...types };
}

/** Serves it until it ends. */
export async function openServer(options: ServerOptions): Promise<void> {
  const { connection, tools, log, pace } = options;
  const sdk = await loadSdk();
  if (connection.destroyed) return;
  const server = new sdk.Server(
    { name: "sallyport", version: "0" },
    { capabilities: { tools: {} } },
  );
  let complaints = 0;
  server.onerror = (error) => {
    log.debug({ error: error.message.slice(0, 200) }, "A tools connection complains");
    complaints += 1;
    if (complaints >= complaintsMost) connection.destroy();
  };
  const renamed = () => hiding.client.test(server.getClientVersion()?.name ?? "");
  const shownAs = (name: string) => (renamed() && name === hiding.tool ? hiding.shown : name);
  const meantBy = (name: string) => (renamed() && name === hiding.shown ? hiding.tool : name);
  server.setRequestHandler(sdk.ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, description, inputSchema }) => ({
      name: shownAs(name),
      description,
      inputSchema,
    })),
  }));
  server.setRequestHandler(sdk.CallToolRequestSchema, async ({ params }, call) => {
    const token = params._meta?.progressToken;
    let progress = 0;
    const signOfLife = () => {
      if (token === undefined || connection.writableNeedDrain) return;
      const sign = { progressToken: token, progress: ++progress };
      call.sendNotification({ method: "notifications/progress", params: sign }).catch(() => {});
    };
    const timer = setInterval(signOfLife, signOfLifeMs);
    try {
      const name = meantBy(params.name);
      const { text, failed } = await options.call(name, params.arguments, call.signal);
      return { content: [{ type: "text" as const, text }], ...(failed ? { isError: true } : {}) };
    } finally {
      clearInterval(timer);
    }
  });
  const transport = await createTransport(connection, pace);
  await server.connect(transport);
  await transport.run();
}
