// Checks the body of a message as Discord does, and refuses it with the same codes.
import { badForm, FLAGS, type Json, refusals } from "./discord-types.ts";

const TEXT = 2_000;
const ROWS = 5;
const BUTTONS = 5;
const CUSTOM_ID = 100;
const LABEL = 80;
const NONCE = 25;
const FILES = 10;
const FILE_BYTES = 10 * 1024 * 1024;
const LINK_STYLE = 5;

type Errors = Record<string, { code: string; message: string }>;

/** Discord counts code points: 2000 emoji are as long as 2000 letters. */
export function lengthOf(text: string): number {
  return [...text].length;
}

export interface Checked {
  body: Json;
  files: readonly { bytes: Uint8Array }[];
}

export function checkMessage({ body, files }: Checked): void {
  const errors: Errors = {};
  const { content, nonce, components } = body;
  if (content !== undefined && content !== null && typeof content !== "string")
    errors.content = { code: "STRING_TYPE_CONVERT", message: "Could not interpret as string." };
  else if (lengthOf(content ?? "") > TEXT) errors.content = tooLong(TEXT);
  if (typeof nonce === "string" && nonce.length > NONCE) errors.nonce = tooLong(NONCE);
  checkComponents(components, errors);
  checkMentions(body.allowed_mentions, errors);
  if (files.length > FILES) errors.attachments = badLength(0, FILES);
  if (Object.keys(errors).length > 0) throw badForm(errors);
  if (files.some(({ bytes }) => bytes.length > FILE_BYTES)) throw refusals.tooLarge();
}

export function checkNotEmpty(content: string, files: number): void {
  if (content.trim() === "" && files === 0) throw refusals.empty();
}

/** Of the flags that a bot gives, those that count. */
export function flagsOf(body: Json, allowed: number): number {
  const given = typeof body.flags === "number" ? body.flags : 0;
  return given & (allowed | FLAGS.suppressEmbeds | FLAGS.silent);
}

function checkComponents(components: unknown, errors: Errors): void {
  if (components === undefined || components === null) return;
  if (!Array.isArray(components)) {
    errors.components = { code: "LIST_TYPE_CONVERT", message: "Only iterables may be used." };
    return;
  }
  if (components.length > ROWS) errors.components = badLength(0, ROWS);
  const seen = new Set<string>();
  for (const [at, row] of (components as Json[]).entries()) {
    const buttons = row.components;
    const path = `components.${at}`;
    if (row.type !== 1 || !Array.isArray(buttons)) errors[`${path}.type`] = notOneOf("1");
    else if (buttons.length < 1 || buttons.length > BUTTONS)
      errors[`${path}.components`] = badLength(1, BUTTONS);
    else
      for (const [index, button] of (buttons as Json[]).entries())
        checkButton(button, { path: `${path}.components.${index}`, errors, seen });
  }
}

function checkButton(
  { type, style, label, custom_id: id, url }: Json,
  { path, errors, seen }: { path: string; errors: Errors; seen: Set<string> },
): void {
  if (type !== 2) errors[`${path}.type`] = notOneOf("2");
  if (label !== undefined && (typeof label !== "string" || lengthOf(label) > LABEL))
    errors[`${path}.label`] = tooLong(LABEL);
  if (style === LINK_STYLE) {
    if (typeof url !== "string") errors[`${path}.url`] = required();
    return;
  }
  if (typeof id !== "string" || id === "") errors[`${path}.custom_id`] = required();
  else if (lengthOf(id) > CUSTOM_ID) errors[`${path}.custom_id`] = tooLong(CUSTOM_ID);
  else if (seen.has(id))
    errors[`${path}.custom_id`] = {
      code: "COMPONENT_CUSTOM_ID_DUPLICATED",
      message: "Component custom id cannot be duplicated",
    };
  if (label === undefined) errors[`${path}.label`] = required();
  seen.add(String(id));
}

function checkMentions(allowed: unknown, errors: Errors): void {
  if (typeof allowed !== "object" || allowed === null) return;
  const { parse, users, roles } = allowed as Json;
  const kinds = Array.isArray(parse) ? parse : [];
  for (const [kind, ids] of Object.entries({ users, roles }))
    if (kinds.includes(kind) && Array.isArray(ids) && ids.length > 0)
      errors.allowed_mentions = {
        code: "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
        message: `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
      };
}

function tooLong(most: number): Errors[string] {
  return { code: "BASE_TYPE_MAX_LENGTH", message: `Must be ${most} or fewer in length.` };
}

function badLength(least: number, most: number): Errors[string] {
  return {
    code: "BASE_TYPE_BAD_LENGTH",
    message: `Must be between ${least} and ${most} in length.`,
  };
}

function notOneOf(values: string): Errors[string] {
  return { code: "BASE_TYPE_CHOICES", message: `Value must be one of (${values}).` };
}

function required(): Errors[string] {
  return { code: "BASE_TYPE_REQUIRED", message: "This field is required" };
}
