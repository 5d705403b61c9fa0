// What Slack takes as blocks: their kinds, fields and sizes.
import { type Block, SlackFailure } from "./slack-types.ts";

type Check = (value: unknown, at: string) => string[];

const tooMany = (what: unknown, most: number, at: string) =>
  Array.isArray(what) && what.length > 0 && what.length <= most
    ? []
    : [`must have 1 to ${most} items [json-pointer:${at}]`];

/** Throws what Slack would say. */
export function checkBlocks(blocks: unknown, most = 50): asserts blocks is Block[] {
  if (!Array.isArray(blocks)) throw new SlackFailure("invalid_blocks_format");
  const errors = [
    ...(blocks.length > most ? [`no more than ${most} items allowed [json-pointer:/blocks]`] : []),
    ...blocks.flatMap((block, index) => checkBlock(block, `/blocks/${index}`)),
    ...doubles(
      blocks.map((block) => block?.block_id),
      "block_id",
      "/blocks",
    ),
  ];
  if (errors.length === 0) return;
  const messages = errors.map((error) => `[ERROR] ${error}`);
  throw new SlackFailure("invalid_blocks", { more: { errors, response_metadata: { messages } } });
}

function checkBlock(block: unknown, at: string): string[] {
  if (!isRecord(block)) return [`must be an object [json-pointer:${at}]`];
  const kind = KINDS[String(block.type)];
  if (!kind) return [`unsupported type: ${block.type} [json-pointer:${at}/type]`];
  return [
    ...unknownFields(block, ["type", "block_id", ...kind.fields], at),
    ...(String(block.block_id ?? "").length > 255
      ? [`must be less than 256 characters [json-pointer:${at}/block_id]`]
      : []),
    ...kind.check(block, at),
  ];
}

interface Kind {
  readonly fields: readonly string[];
  check(block: Record<string, unknown>, at: string): string[];
}

const KINDS: Record<string, Kind> = {
  section: {
    fields: ["text", "fields", "accessory", "expand"],
    check: ({ text, fields, accessory }, at) => [
      ...(text === undefined && fields === undefined
        ? [`missing required field: text [json-pointer:${at}]`]
        : []),
      ...(text === undefined ? [] : textOf(3_000)(text, `${at}/text`)),
      ...(fields === undefined ? [] : tooMany(fields, 10, `${at}/fields`)),
      ...each(fields, textOf(2_000), `${at}/fields`),
      ...(accessory === undefined ? [] : checkElement(accessory, `${at}/accessory`)),
    ],
  },
  actions: {
    fields: ["elements"],
    check: ({ elements }, at) => [
      ...tooMany(elements, 25, `${at}/elements`),
      ...each(elements, checkElement, `${at}/elements`),
      ...doubles(
        Array.isArray(elements) ? elements.map((one) => one?.action_id) : [],
        "action_id",
        at,
      ),
    ],
  },
  header: {
    fields: ["text", "level"],
    check: ({ text }, at) => textOf(150, "plain_text")(text, `${at}/text`),
  },
  context: {
    fields: ["elements"],
    check: ({ elements }, at) => [
      ...tooMany(elements, 10, `${at}/elements`),
      ...each(
        elements,
        (one, place) => (isRecord(one) && one.type === "image" ? [] : textOf(2_000)(one, place)),
        `${at}/elements`,
      ),
    ],
  },
  divider: { fields: [], check: () => [] },
  markdown: {
    fields: ["text"],
    check: ({ text }, at) => sized(text, 12_000, `${at}/text`),
  },
  image: {
    fields: ["image_url", "slack_file", "alt_text", "title"],
    check: ({ alt_text }, at) => sized(alt_text, 2_000, `${at}/alt_text`),
  },
  rich_text: { fields: ["elements"], check: () => [] },
};

function checkElement(element: unknown, at: string): string[] {
  if (!isRecord(element)) return [`must be an object [json-pointer:${at}]`];
  // Others than buttons are not looked into.
  if (element.type !== "button") return [];
  const { text, value, url, action_id, style, confirm } = element;
  return [
    ...unknownFields(
      element,
      ["type", "text", "action_id", "url", "value", "style", "confirm", "accessibility_label"],
      at,
    ),
    ...textOf(75, "plain_text")(text, `${at}/text`),
    ...(value === undefined ? [] : sized(value, 2_000, `${at}/value`)),
    ...(action_id === undefined ? [] : sized(action_id, 255, `${at}/action_id`)),
    ...(url === undefined ? [] : sized(url, 3_000, `${at}/url`)),
    ...(style === undefined || style === "primary" || style === "danger"
      ? []
      : [`must be one of: primary, danger [json-pointer:${at}/style]`]),
    ...(confirm === undefined ? [] : checkConfirm(confirm, `${at}/confirm`)),
  ];
}

function checkConfirm(confirm: unknown, at: string): string[] {
  if (!isRecord(confirm)) return [`must be an object [json-pointer:${at}]`];
  const { title, text, confirm: yes, deny } = confirm;
  return [
    ...(title === undefined ? [] : textOf(100, "plain_text")(title, `${at}/title`)),
    ...textOf(300)(text, `${at}/text`),
    ...(yes === undefined ? [] : textOf(30, "plain_text")(yes, `${at}/confirm`)),
    ...(deny === undefined ? [] : textOf(30, "plain_text")(deny, `${at}/deny`)),
  ];
}

function textOf(most: number, only?: string): Check {
  return (value, at) => {
    if (!isRecord(value)) return [`must be an object [json-pointer:${at}]`];
    const allowed = only ? [only] : ["mrkdwn", "plain_text"];
    if (!allowed.includes(String(value.type)))
      return [`must be one of: ${allowed} [json-pointer:${at}/type]`];
    const fields =
      value.type === "mrkdwn" ? ["type", "text", "verbatim"] : ["type", "text", "emoji"];
    return [...unknownFields(value, fields, at), ...sized(value.text, most, `${at}/text`)];
  };
}

function sized(value: unknown, most: number, at: string): string[] {
  if (typeof value !== "string") return [`must be a string [json-pointer:${at}]`];
  if (value.length === 0) return [`must be more than 0 characters [json-pointer:${at}]`];
  return value.length > most
    ? [`must be less than ${most + 1} characters [json-pointer:${at}]`]
    : [];
}

function each(values: unknown, check: Check, at: string): string[] {
  return Array.isArray(values)
    ? values.flatMap((value, index) => check(value, `${at}/${index}`))
    : [];
}

function doubles(ids: readonly unknown[], what: string, at: string): string[] {
  const given = ids.filter((id) => id !== undefined);
  return new Set(given).size === given.length
    ? []
    : [`${what} must be unique [json-pointer:${at}]`];
}

function unknownFields(
  value: Record<string, unknown>,
  known: readonly string[],
  at: string,
): string[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `additional property: ${key} [json-pointer:${at}]`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
