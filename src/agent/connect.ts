// Puts the ACP SDK on the wire of an agent's process and routes what the agent says and asks.
import type {
  ClientConnection,
  CreateElicitationResponse,
  RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import type { FormReply, PermissionReply } from "../core/agent.ts";
import type { Log } from "../core/log.ts";
import type { AgentProcess } from "../core/sandbox.ts";
import type { AgentLimits } from "./limits.ts";
import type { Fields } from "./tool-call.ts";
import { openWire } from "./wire.ts";

export interface AgentSide {
  onUpdate(params: unknown): void;
  onPermission(params: Fields, agentTookBack: AbortSignal): Promise<PermissionReply>;
  onForm(params: Fields, agentTookBack: AbortSignal): Promise<FormReply>;
}

interface ConnectOptions {
  readonly process: AgentProcess;
  readonly log: Log;
  readonly limits: AgentLimits;
  readonly side: AgentSide;
}

function permissionResponse(reply: PermissionReply): RequestPermissionResponse {
  return reply === "cancelled"
    ? { outcome: { outcome: "cancelled" } }
    : { outcome: { outcome: "selected", optionId: reply.optionId } };
}

function formResponse(reply: FormReply): CreateElicitationResponse {
  return reply.action === "accept"
    ? { action: "accept", content: { ...reply.content } }
    : { action: reply.action };
}

export async function connectClient(options: ConnectOptions): Promise<ClientConnection> {
  const { process, log, limits, side } = options;
  // Loaded with the first agent: a gateway that only waits does not pay for it.
  const acp = await import("@agentclientprotocol/sdk");
  const { session, elicitation } = acp.methods.client;
  return acp
    .client({ name: "sallyport" })
    .onRequest(session.requestPermission, async ({ params, signal }) =>
      permissionResponse(await side.onPermission(params, signal)),
    )
    .onRequest(elicitation.create, async ({ params, signal }) =>
      formResponse(await side.onForm(params, signal)),
    )
    .connect(openWire({ process, log, ...limits, onUpdate: (params) => side.onUpdate(params) }));
}
