// ACP elicitation forms as FormFields. A form with anything we cannot ask in a chat is not asked at all.
import type { FormField } from "../core/agent.ts";
import { type Fields, isFields } from "./tool-call.ts";

const fieldLimit = 20;
const optionLimit = 100;

type Options = FormField["options"];

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function plainOptions(values: unknown): Options | undefined {
  if (!Array.isArray(values) || !values.every(isText)) return undefined;
  return values.map((value) => ({ value, label: value }));
}

function titledOptions(values: unknown): Options | undefined {
  if (!Array.isArray(values)) return undefined;
  const options: { value: string; label: string }[] = [];
  for (const entry of values) {
    if (!isFields(entry) || !isText(entry.const)) return undefined;
    options.push({ value: entry.const, label: isText(entry.title) ? entry.title : entry.const });
  }
  return options;
}

type Shape = Pick<FormField, "kind" | "options">;

function chosen(kind: "choice" | "choices", options: Options | undefined): Shape | undefined {
  if (options === undefined || options.length === 0 || options.length > optionLimit)
    return undefined;
  return { kind, options };
}

function shapeOf(property: Fields): Shape | undefined {
  switch (property.type) {
    case "boolean":
    case "number":
    case "integer":
      return { kind: property.type, options: [] };
    case "string":
      if (property.enum != null) return chosen("choice", plainOptions(property.enum));
      if (property.oneOf != null) return chosen("choice", titledOptions(property.oneOf));
      return { kind: "text", options: [] };
    case "array": {
      const items = isFields(property.items) ? property.items : {};
      return chosen("choices", plainOptions(items.enum) ?? titledOptions(items.anyOf));
    }
    default:
      return undefined;
  }
}

/** The fields of a form, or null when one of them is of a shape we do not know. */
export function formFields(schema: unknown): readonly FormField[] | null {
  if (!isFields(schema) || !isFields(schema.properties)) return null;
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const fields: FormField[] = [];
  for (const [name, property] of Object.entries(schema.properties)) {
    const shape = isFields(property) ? shapeOf(property) : undefined;
    if (shape === undefined || !isFields(property)) return null;
    const title = isText(property.title) && property.title !== "" ? property.title : name;
    fields.push({ name, title, required: required.includes(name), ...shape });
  }
  return fields.length > 0 && fields.length <= fieldLimit ? fields : null;
}
