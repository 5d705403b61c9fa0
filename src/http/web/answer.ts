// How the page's routes read a body and answer.
import type { z } from "zod";
import type { Problem } from "../../core/page.ts";
import type { PairingId } from "../../core/words.ts";

export function refusal(status: number, problem: string): Response {
  const again = status === 503 || status === 429 ? { "retry-after": "1" } : {};
  return Response.json({ problem } satisfies Problem, { status, headers: again });
}

export function answer<T>(body: T, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(body, { headers });
}

/** Undefined when it is not what was expected. */
export async function bodyOf<T>(request: Request, schema: z.ZodType<T>): Promise<T | undefined> {
  const body: unknown = await request.json().catch(() => undefined);
  return schema.safeParse(body).data;
}

/** Whoever comes in by a session or a token has a pairing; anything else is a mistake of ours. */
export function pairingOf({ caller }: { caller: { pairing: PairingId | null } }): PairingId {
  if (caller.pairing === null) throw new Error("A visitor without a pairing passed the guard");
  return caller.pairing;
}
