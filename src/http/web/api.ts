// What the page reads and decides over HTTP; what is somebody else's is not there.
import { z } from "zod";
import type { Visitor } from "../../access/visitor.ts";
import type { Decided, Running } from "../../admin/running.ts";
import type { Views } from "../../admin/views/views.ts";
import type { From, GuardedRoute } from "../guard/route.ts";
import { answer, bodyOf, pairingOf, refusal } from "./answer.ts";
import { isChatOf } from "./chats.ts";

export interface ApiPorts extends Views, Pick<Running, "stopTask" | "decideAs"> {}

type Known = From & { readonly visitor: Visitor };
type Handle = (request: Request, from: Known) => Promise<Response>;

export function apiRoutes(ports: ApiPorts): GuardedRoute[] {
  const get = (path: string, handle: Handle): GuardedRoute => ({
    method: "GET",
    path,
    access: "caller",
    body: "none",
    handle,
  });
  return [
    get("/api/conversations", async (_, { visitor }) =>
      answer(await ports.conversations(visitor.caller)),
    ),
    get("/api/conversations/:id", async (request, { visitor, params }) =>
      found(await ports.history(visitor.caller, param(params, "id"), beforeIn(request))),
    ),
    get("/api/chats/:chat", async (request, { visitor, params }) => {
      const chat = param(params, "chat");
      if (!isChatOf(pairingOf(visitor), chat)) return nothingThere();
      return found(await ports.chat(visitor.caller, chat, beforeIn(request)));
    }),
    get("/api/tasks", async (_, { visitor }) => answer(await ports.tasks(visitor.caller))),
    get("/api/approvals", async (_, { visitor }) => answer(await ports.approvals(visitor.caller))),
    ...deciding(ports),
    {
      method: "GET",
      path: "/api/operator",
      access: "operator",
      body: "none",
      handle: async (_, { visitor }) => found(await ports.operator(visitor.caller)),
    },
  ];
}

function deciding({ stopTask, decideAs }: ApiPorts): GuardedRoute[] {
  return [
    {
      method: "POST",
      path: "/api/tasks/:id/stop",
      access: "caller",
      body: "none",
      async handle(_, { visitor, params }) {
        const stopped = await stopTask(visitor.caller, param(params, "id"));
        if (stopped === undefined) return nothingThere();
        return stopped === "stopping" ? answer({ stopping: true }) : refusal(409, notRunning);
      },
    },
    {
      method: "POST",
      path: "/api/approvals/:id",
      access: "caller",
      body: "json",
      async handle(request, { visitor, params }) {
        const given = await bodyOf(request, decision);
        if (!given) return refusal(400, needsDecision);
        const choice = { ...given, place: "web" };
        return decided(await decideAs(visitor.caller, param(params, "id"), choice));
      },
    },
  ];
}

const notRunning = "This task is not running any more.";

export const decision = z.object({
  option: z.string().min(1).max(20_000),
  reason: z.string().max(1000).optional(),
});

export const needsDecision =
  'Send {"option": "…"} with the key of one of the options, and a "reason" of at most 1000 characters if you like.';

/** The same words for a decision of the page and one by a link. */
export function decided(result: Decided | undefined): Response {
  if (result === undefined) return nothingThere();
  const { is, text } = result;
  if (is === "decided") return answer({ decided: true, text });
  return refusal(statusOf[is], text);
}

const statusOf = {
  "already-decided": 409,
  expired: 409,
  "not-yours": 403,
  "no-such-option": 400,
} as const;

export function nothingThere(): Response {
  return refusal(404, "There is nothing here that you may see.");
}

function found<T>(body: T | undefined): Response {
  return body === undefined ? nothingThere() : answer(body);
}

export function param(params: From["params"], name: string): string {
  return params[name] ?? "";
}

function beforeIn({ url }: Request): number | undefined {
  const before = new URL(url).searchParams.get("before") ?? "";
  return /^\d{1,15}$/.test(before) ? Number(before) : undefined;
}
