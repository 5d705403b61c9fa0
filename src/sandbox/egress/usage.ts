// Reads from an answer of a model's API, as it passes, how many tokens it says were used.

export interface Tokens {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

export interface Meter {
  take(chunk: Buffer): void;
  /** What was seen so far. */
  tokens(): Tokens;
}

/** Of one event, or of an answer that is no stream; what is longer is not read. */
const mostBytes = 4 * 1024 * 1024;

const inputNames = [
  ...["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"],
  ...["prompt_tokens", "promptTokenCount", "toolUsePromptTokenCount"],
];
const outputNames = [
  ...["output_tokens", "completion_tokens", "candidatesTokenCount", "thoughtsTokenCount"],
];

type Json = Readonly<Record<string, unknown>>;

function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

/** Each API has one of these places, and of the names one set. */
function usageIn(value: unknown): Json {
  const { usage, usageMetadata, message, response } = objectOf(value);
  const found = usage ?? usageMetadata ?? objectOf(message).usage ?? objectOf(response).usage;
  return objectOf(found);
}

function sum(usage: Json, names: readonly string[]): number | undefined {
  const counts = names
    .map((name) => usage[name])
    .filter((count) => typeof count === "number" && Number.isSafeInteger(count) && count >= 0);
  return counts.length === 0 ? undefined : (counts as number[]).reduce((all, one) => all + one);
}

function larger(known: number | undefined, found: number | undefined): number | undefined {
  return known === undefined || (found !== undefined && found > known) ? found : known;
}

export function createMeter(contentType: string | undefined): Meter {
  const isStream = contentType?.startsWith("text/event-stream") ?? false;
  let parts: string[] = [];
  let size = 0;
  let input: number | undefined;
  let output: number | undefined;

  const read = (text: string) => {
    if (!text.includes('"usage')) return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return;
    }
    // Gemini's stream may be an array. Every report of a stream counts from its beginning.
    for (const usage of [value].flat().map(usageIn)) {
      input = larger(input, sum(usage, inputNames));
      output = larger(output, sum(usage, outputNames));
    }
  };
  const endPiece = () => {
    const text = parts.join("");
    parts = [];
    if (size <= mostBytes) read(isStream ? text.replace(/^data:/, "") : text);
    size = 0;
  };
  const add = (text: string) => {
    size += text.length;
    if (size <= mostBytes) parts.push(text);
    else parts = [];
  };

  return {
    take(chunk) {
      // Only names and numbers are looked at: a character cut in two does no harm this way.
      const text = chunk.toString("latin1");
      if (!isStream) return add(text);
      for (const [index, line] of text.split("\n").entries()) {
        if (index > 0) endPiece();
        add(line);
      }
    },
    tokens() {
      endPiece();
      return {
        ...(input === undefined ? {} : { inputTokens: input }),
        ...(output === undefined ? {} : { outputTokens: output }),
      };
    },
  };
}
