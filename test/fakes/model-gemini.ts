// How the scripted model speaks generateContent, streamed or whole.
import type { Dialect, Spoken } from "./model-api.ts";

function answerOf({ step, tokens, number }: Spoken) {
  const part =
    "text" in step
      ? { text: step.text }
      : { functionCall: { id: `call_${number}`, name: step.tool, args: step.input } };
  return {
    candidates: [
      {
        content: { role: "model", parts: [part] },
        finishReason: "STOP",
        index: 0,
        safetyRatings: [],
      },
    ],
    usageMetadata: {
      promptTokenCount: tokens.input,
      candidatesTokenCount: tokens.output,
      totalTokenCount: tokens.input + tokens.output,
    },
    modelVersion: "gemini-fake",
    responseId: `response-${number}`,
  };
}

export const gemini: Dialect = {
  name: "gemini",
  path: /\/models\/[^/]+:(stream)?[gG]enerateContent$/,
  speak: (spoken) => [`data: ${JSON.stringify(answerOf(spoken))}`],
  whole: answerOf,
};
