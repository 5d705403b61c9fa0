// An agent's form becomes questions, one per field: choices as buttons, text as the next message.

import { escapeInline } from "../approvals/card.ts";
import type { AgentEvent, FormField, FormReply } from "../core/agent.ts";
import { visible, visibleLine } from "../core/visible.ts";
import type { QuestionOption } from "../store/questions.ts";
import type { Work } from "./claim.ts";
import { homeOf } from "./permission.ts";
import type { TurnPorts } from "./ports.ts";

type Form = Extract<AgentEvent, { type: "form" }>;
type Value = string | number | boolean | string[];

export async function fillForm(ports: TurnPorts, work: Work, form: Form): Promise<void> {
  const content: Record<string, Value> = {};
  for (const [index, field] of form.fields.entries()) {
    const value = await askField(ports, work, { form, field, first: index === 0 });
    if (value === "cancel" || value === "decline")
      return form.answer({ action: value } satisfies FormReply);
    if (value.given !== undefined) content[field.name] = value.given;
  }
  form.answer({ action: "accept", content });
}

const skip: QuestionOption = { key: "skip", label: "Skip" };
const decline: QuestionOption = { key: "deny", label: "Decline" };

async function askField(
  ports: TurnPorts,
  work: Work,
  it: { form: Form; field: FormField; first: boolean; complaint?: string },
): Promise<"cancel" | "decline" | { given?: Value }> {
  const { form, field, first, complaint } = it;
  const options = optionsOf(field);
  const message = first ? visible(form.message).slice(0, 4000) : "";
  const answer = await ports.approvals.request({
    turn: work.turn.id,
    task: work.turn.task,
    conversation: work.conversation.id,
    starter: work.caller,
    home: homeOf(ports, work),
    ownersOnly: false,
    kind: options.length > 0 ? "choice" : "text",
    title: visibleLine(field.title || field.name)
      .replace(/\?+$/, "")
      .slice(0, 200),
    body: [escapeInline(message), complaint].filter(Boolean).join("\n\n"),
    options: options.length > 0 ? [...options, ...(field.required ? [] : [skip]), decline] : [],
    signal: form.signal,
  });
  if (answer.is === "expired") return "cancel";
  if (options.length > 0 && answer.key === "deny") return "decline";
  if (options.length > 0 && answer.key === "skip") return {};
  const value = readValue(field, answer.key);
  if (value !== undefined) return { given: value };
  return askField(ports, work, { ...it, complaint: "Please answer with a number." });
}

function optionsOf(field: FormField): QuestionOption[] {
  if (field.kind === "boolean")
    return [
      { key: "true", label: "Yes" },
      { key: "false", label: "No" },
    ];
  return field.options.map(({ value, label }, index) => ({
    key: `v${index}`,
    label: visibleLine(label || value).slice(0, 60),
  }));
}

/** Undefined when it is no answer to this field. */
function readValue(field: FormField, key: string): Value | undefined {
  if (field.kind === "boolean") return key === "true";
  const chosen = field.options[Number(key.slice(1))]?.value;
  if (field.kind === "choice") return chosen;
  if (field.kind === "choices") return chosen === undefined ? undefined : [chosen];
  if (field.kind === "text") return key;
  const number = Number(key.trim().replace(",", "."));
  if (!Number.isFinite(number) || key.trim() === "") return undefined;
  return field.kind === "integer" && !Number.isInteger(number) ? undefined : number;
}
