// ask_user: a question to the person whose turn it is, answered by a button or in words.
import { z } from "zod";
import type { FormField, FormReply } from "../core/agent.ts";
import { defineTool, failed, type ToolAnswer } from "./tool.ts";

const field = "answer";
/** What is longer is shown as text, under a short title. */
const titleChars = 150;

function formOf(question: string, options: readonly string[] | undefined) {
  const text = question.trim();
  const isShort = text.length <= titleChars && !text.includes("\n");
  const shape: Pick<FormField, "kind" | "options"> =
    options === undefined
      ? { kind: "text", options: [] }
      : { kind: "choice", options: options.map((option) => ({ value: option, label: option })) };
  const title = isShort ? text : "The agent asks";
  return {
    message: isShort ? "" : text,
    fields: [{ name: field, title, required: true, ...shape }],
  };
}

function answerOf(reply: FormReply): ToolAnswer {
  if (reply.action === "accept") return { text: String(reply.content[field] ?? "") };
  if (reply.action === "cancel" && reply.why !== undefined) return failed(reply.why);
  const why =
    reply.action === "decline" ? "The user declined to answer." : "The user did not answer.";
  return { text: `${why} Go on without an answer, or end here and say what you need.` };
}

export const askUser = defineTool({
  name: "ask_user",
  description:
    "Ask the user a question and wait for the answer, which may take minutes. With options they choose one by pressing a button; without, they write. Ask only what you need to go on and cannot find out yourself, one thing at a time. It does not replace permission to run a tool.",
  input: z.object({
    question: z.string().trim().min(1).max(4000).describe("One question, in the user's language"),
    options: z
      .array(z.string().trim().min(1).max(60))
      .min(2)
      .max(10)
      .refine((all) => new Set(all).size === all.length, "each option must differ")
      .optional()
      .describe("Answers to choose from; short, as they become buttons"),
  }),
  async run({ question, options }, { inlet, signal }) {
    return answerOf(await inlet.askForm(formOf(question, options), signal));
  },
});
