// How the scripted model speaks the messages API, streamed as its events or whole.
import type { Dialect, Spoken } from "./model-api.ts";

function blockOf({ step, number }: Spoken) {
  if ("text" in step) return { type: "text", text: step.text };
  return { type: "tool_use", id: `toolu_${number}`, name: step.tool, input: step.input };
}

function messageOf({ number, tokens }: Spoken, content: readonly unknown[], reason: string | null) {
  return {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model: "claude-fake",
    content,
    stop_reason: reason,
    stop_sequence: null,
    usage: { input_tokens: tokens.input, output_tokens: reason === null ? 1 : tokens.output },
  };
}

export const anthropic: Dialect = {
  name: "anthropic",
  path: /\/v1\/messages$/,
  speak(spoken) {
    const { step, tokens } = spoken;
    const block = blockOf(spoken);
    const start = block.type === "text" ? { ...block, text: "" } : { ...block, input: {} };
    const delta =
      "text" in step
        ? { type: "text_delta", text: step.text }
        : { type: "input_json_delta", partial_json: JSON.stringify(step.input) };
    const reason = "text" in step ? "end_turn" : "tool_use";
    const events = [
      { type: "message_start", message: messageOf(spoken, [], null) },
      { type: "content_block_start", index: 0, content_block: start },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: tokens.output },
      },
      { type: "message_stop" },
    ];
    return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}`);
  },
  whole(spoken) {
    const reason = "text" in spoken.step ? "end_turn" : "tool_use";
    return messageOf(spoken, [blockOf(spoken)], reason);
  },
};
