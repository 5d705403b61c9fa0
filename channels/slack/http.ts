// HTTP mode: requests that Slack signs. The signature is over the bytes as they came, and nothing is read before it holds.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Route } from "../../src/core/channel.ts";
import type { Door, Hand } from "./bolt.ts";
import type { Health } from "./health.ts";

export interface HttpPorts {
  readonly signingSecret: string;
  readonly health: Health;
  now(): number;
  /** Asked before the first request is taken, and again until it works. */
  introduce(): Promise<void>;
  onOpen(): void;
}

export interface HttpDoor extends Door {
  readonly route: Route;
}

const ageMost = 5 * 60;
/** Slack has given up by then, and asks again. */
const patience = 10_000;

export function createHttp(ports: HttpPorts): HttpDoor {
  let hand: Hand | undefined;
  return {
    async start(given) {
      hand = given;
      ports.onOpen();
    },
    async stop() {
      hand = undefined;
    },
    route: {
      method: "POST",
      path: "/",
      async handle(request) {
        const raw = new Uint8Array(await request.arrayBuffer());
        if (!isSigned(ports, request.headers, raw)) {
          ports.health.unsigned();
          return answer(401, "The signature is not Slack's.");
        }
        ports.health.contact();
        const body = bodyIn(Buffer.from(raw).toString(), request.headers.get("content-type") ?? "");
        if (!body) return answer(400, "That cannot be read.");
        if (body.type === "url_verification") return answer(200, String(body.challenge ?? ""));
        if (body.ssl_check) return answer(200, "");
        return await take(ports, hand, body);
      },
    },
  };
}

async function take(
  ports: HttpPorts,
  hand: Hand | undefined,
  body: Record<string, unknown>,
): Promise<Response> {
  // Not started yet, or stopping: Slack asks again.
  if (!hand) return answer(503, "The gateway does not listen now.");
  try {
    await ports.introduce();
  } catch {
    return answer(503, "The gateway does not know yet who it is.");
  }
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, patience, false);
  });
  const taken = await Promise.race([hand(body), late]);
  clearTimeout(timer);
  return taken ? answer(200, "") : answer(503, "The gateway could not store it yet.");
}

/** `v0=` and the HMAC of version, time and body; not older than five minutes, so that nobody can send it again later. */
function isSigned({ signingSecret, now }: HttpPorts, headers: Headers, raw: Uint8Array): boolean {
  const at = headers.get("x-slack-request-timestamp") ?? "";
  const given = headers.get("x-slack-signature") ?? "";
  if (!/^\d{1,12}$/.test(at) || Math.abs(now() / 1000 - Number(at)) > ageMost) return false;
  const hmac = createHmac("sha256", signingSecret).update(`v0:${at}:`).update(raw).digest("hex");
  const wanted = Buffer.from(`v0=${hmac}`);
  const found = Buffer.from(given);
  return found.length === wanted.length && timingSafeEqual(found, wanted);
}

/** Events are JSON, presses a form with JSON in it, commands a form. */
function bodyIn(text: string, type: string): Record<string, unknown> | undefined {
  try {
    if (!/^application\/x-www-form-urlencoded\b/i.test(type)) return record(JSON.parse(text));
    const form = Object.fromEntries(new URLSearchParams(text));
    return form.payload === undefined ? form : record(JSON.parse(form.payload));
  } catch {
    return undefined;
  }
}

function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function answer(status: number, text: string): Response {
  return new Response(text, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
}
