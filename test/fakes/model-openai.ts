// How the scripted model speaks the two APIs of OpenAI: responses, and the older chat completions.
import type { Dialect, Spoken } from "./model-api.ts";

function itemOf({ step, number }: Spoken) {
  if ("text" in step) {
    const content = [{ type: "output_text", text: step.text, annotations: [] }];
    return {
      type: "message",
      id: `item_${number}`,
      role: "assistant",
      status: "completed",
      content,
    };
  }
  const call = { name: step.tool, call_id: `call_${number}`, status: "completed" };
  return {
    type: "function_call",
    id: `item_${number}`,
    ...call,
    arguments: JSON.stringify(step.input),
  };
}

function responseOf(spoken: Spoken) {
  const { input, output } = spoken.tokens;
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
  const id = `resp_${spoken.number}`;
  return { id, object: "response", created_at: 0, model: "fake", status: "completed", usage };
}

const data = (value: unknown) => `data: ${JSON.stringify(value)}`;

export const responses: Dialect = {
  name: "responses",
  path: /\/v1\/responses$/,
  speak(spoken) {
    const item = itemOf(spoken);
    const { usage: _, ...begun } = responseOf(spoken);
    const events = [
      { type: "response.created", response: { ...begun, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item },
      ...("text" in spoken.step
        ? [
            {
              type: "response.output_text.delta",
              item_id: item.id,
              output_index: 0,
              content_index: 0,
              delta: spoken.step.text,
            },
          ]
        : []),
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { ...responseOf(spoken), output: [item] } },
    ];
    return events.map(
      (event, at) => `event: ${event.type}\n${data({ ...event, sequence_number: at })}`,
    );
  },
  whole: (spoken) => ({ ...responseOf(spoken), output: [itemOf(spoken)] }),
};

function messageOf({ step, number }: Spoken) {
  if ("text" in step) return { role: "assistant", content: step.text };
  const call = { name: step.tool, arguments: JSON.stringify(step.input) };
  const id = `call_${number}`;
  const calls = [{ index: 0, id, type: "function", function: call }];
  return { role: "assistant", content: null, tool_calls: calls };
}

function chatUsage({ tokens: { input, output } }: Spoken) {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

export const chat: Dialect = {
  name: "chat",
  path: /\/chat\/completions$/,
  speak(spoken) {
    const id = `chat-${spoken.number}`;
    const base = { id, object: "chat.completion.chunk", created: 0, model: "fake" };
    const reason = "text" in spoken.step ? "stop" : "tool_calls";
    const choice = { index: 0, delta: messageOf(spoken), finish_reason: null };
    const last = { index: 0, delta: {}, finish_reason: reason };
    return [
      data({ ...base, choices: [choice] }),
      data({ ...base, choices: [last], usage: chatUsage(spoken) }),
      "data: [DONE]",
    ];
  },
  whole(spoken) {
    const reason = "text" in spoken.step ? "stop" : "tool_calls";
    const choices = [{ index: 0, message: messageOf(spoken), finish_reason: reason }];
    const id = `chat-${spoken.number}`;
    const usage = chatUsage(spoken);
    return { id, object: "chat.completion", created: 0, model: "fake", choices, usage };
  },
};
