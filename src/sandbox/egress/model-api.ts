// What differs between the models' APIs: which paths an agent needs, how a key is sent, how an error looks.
import type { ModelApi } from "../../core/egress.ts";

interface ApiWays {
  /** Method and path, normalised; anything else is refused. */
  readonly paths: readonly RegExp[];
  readonly keyHeader: (key: string) => readonly [name: string, value: string];
  readonly error: (status: number, message: string) => unknown;
}

const anthropicErrors: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  413: "request_too_large",
  429: "rate_limit_error",
};
const geminiErrors: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  429: "RESOURCE_EXHAUSTED",
  502: "UNAVAILABLE",
};
const openaiErrors: Readonly<Record<number, string>> = {
  401: "invalid_api_key",
  429: "insufficient_quota",
};

/** No escapes: what an API makes of them need not be what we read. */
const models = /^GET \/v1\/models(?:\/[\w.:@~-]+)*\/?$/;

const ways: Readonly<Record<ModelApi, ApiWays>> = {
  anthropic: {
    paths: [/^POST \/v1\/messages(?:\/count_tokens)?$/, models],
    keyHeader: (key) => ["x-api-key", key],
    error: (status, message) => ({
      type: "error",
      error: { type: anthropicErrors[status] ?? "api_error", message },
    }),
  },
  openai: {
    paths: [/^POST \/v1\/(?:chat\/completions|responses(?:\/compact)?|embeddings)$/, models],
    keyHeader: (key) => ["authorization", `Bearer ${key}`],
    error: (status, message) => {
      const code = openaiErrors[status] ?? null;
      const type = status < 500 ? "invalid_request_error" : "server_error";
      return { error: { message, type: status === 429 ? code : type, param: null, code } };
    },
  },
  gemini: {
    paths: [
      /^POST \/v1(?:beta)?\/models\/[\w.-]+:(?:generateContent|streamGenerateContent|countTokens)$/,
      /^GET \/v1(?:beta)?\/models(?:\/[\w.-]+)?$/,
    ],
    keyHeader: (key) => ["x-goog-api-key", key],
    error: (status, message) => ({
      error: { code: status, message, status: geminiErrors[status] ?? "INVALID_ARGUMENT" },
    }),
  },
};

export function isNeeded(api: ModelApi, method: string, pathname: string): boolean {
  return ways[api].paths.some((path) => path.test(`${method} ${pathname}`));
}

/** Where a request may ask that it be answered before the work is done. */
export function isBackgroundPath(api: ModelApi, pathname: string): boolean {
  return api === "openai" && pathname.startsWith("/v1/responses");
}

export function keyHeader(
  api: ModelApi,
  key: string | undefined,
): Readonly<Record<string, string>> {
  return key === undefined ? {} : Object.fromEntries([ways[api].keyHeader(key)]);
}

export function errorOf(api: ModelApi | undefined, status: number, message: string): string {
  return JSON.stringify(ways[api ?? "openai"].error(status, message));
}
