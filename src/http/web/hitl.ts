// A question behind a link: looking changes nothing, so that whatever previews links decides nothing; an answer counts once.
import type { Decided } from "../../admin/running.ts";
import type { Decision, Hitl } from "../../core/page.ts";
import type { GuardedRoute } from "../guard/route.ts";
import { answer, bodyOf, refusal } from "./answer.ts";
import { decided, decision, needsDecision, nothingThere, param } from "./api.ts";

/** `address`: wrong links are counted by it. Undefined for whatever does not count. */
export interface HitlRoutePorts {
  show(token: string, address: string): Promise<Hitl | undefined>;
  decide(token: string, given: Decision, address: string): Promise<Decided | undefined>;
}

const mostToken = 200;

export function hitlRoutes({ show, decide }: HitlRoutePorts): GuardedRoute[] {
  return [
    {
      method: "GET",
      path: "/api/hitl/:token",
      access: "public",
      body: "none",
      async handle(_, { params, address }) {
        const shown = await show(tokenIn(params), address);
        return shown ? answer(shown) : nothingThere();
      },
    },
    {
      method: "POST",
      path: "/hitl/:token",
      access: "public",
      body: "json",
      async handle(request, { params, address }) {
        const given = await bodyOf(request, decision);
        if (!given) return refusal(400, needsDecision);
        return decided(await decide(tokenIn(params), toDecision(given), address));
      },
    },
  ];
}

function tokenIn(params: Readonly<Record<string, string>>): string {
  return param(params, "token").slice(0, mostToken);
}

function toDecision({ option, reason }: { option: string; reason?: string | undefined }): Decision {
  return reason === undefined ? { option } : { option, reason };
}
