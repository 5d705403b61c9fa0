// A model's API on loopback that keeps what it was sent and answers what the test says, and the way to it from a sandbox.
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import type { ModelApi, ModelEndpoint, ModelUse } from "../../src/core/egress.ts";
import type { EgressOptions } from "../../src/sandbox/egress/egress.ts";
import { type Answer, ask, openDoors, serve, textOf } from "./egress-rig.ts";

export const realKey = "sk-real-0123456789abcdef";

export interface Seen {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ModelRig {
  readonly seen: readonly Seen[];
  readonly uses: readonly ModelUse[];
  readonly refused: readonly string[];
  readonly modelPort: number;
  readonly placeholder: string;
  readonly log: { readonly lines: readonly string[] };
  /** With the placeholder as this API sends a key. */
  ask(line: string, body?: string): Promise<Answer>;
  /** Changes what the settings say. */
  set(change: Partial<ModelEndpoint> | undefined): void;
}

const headerOf = { anthropic: "x-api-key", openai: "authorization", gemini: "x-goog-api-key" };

export interface ModelRigOptions {
  readonly api?: ModelApi;
  readonly answer?: (response: ServerResponse, seen: Seen) => void;
  readonly more?: Partial<EgressOptions>;
}

const simple = (response: ServerResponse) => void response.end("{}");

export async function modelRig(t: TestContext, options: ModelRigOptions = {}): Promise<ModelRig> {
  const { api = "anthropic", answer = simple, more } = options;
  const [seen, uses, refused]: [Seen[], ModelUse[], string[]] = [[], [], []];
  const port = await serve(t, async (request, response) => {
    const line = `${request.method} ${request.url}`;
    const one = { line, headers: request.headers, body: await textOf(request).catch(() => "") };
    seen.push(one);
    answer(response, one);
  });
  const url = `http://127.0.0.1:${port}`;
  let endpoint: ModelEndpoint | undefined = { api, url, key: realKey, secret: "THE_KEY" };
  const doors = await openDoors(t, {
    model: () => endpoint,
    onUse: (use) => void uses.push(use),
    onRefused: ({ host }, why) => void refused.push(`${host} ${why}`),
    ...more,
  });
  const { modelPort, placeholder, log } = doors;
  const given = api === "openai" ? `Bearer ${placeholder}` : placeholder;
  return {
    ...{ seen, uses, refused, modelPort, placeholder, log },
    ask(line, body) {
      const [method = "", path = ""] = line.split(" ");
      const headers = { [headerOf[api]]: given };
      return ask({ port: modelPort, method, path, headers }, body);
    },
    set(change) {
      endpoint = endpoint && change && { ...endpoint, ...change };
    },
  };
}
