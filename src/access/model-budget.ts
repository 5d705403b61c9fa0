// How much of the model a task, a person, and all people we do not know may use; what is refused, and in which words.
import type { ModelUse } from "../core/egress.ts";
import type { SandboxScope } from "../core/sandbox.ts";
import { thousands, tokensOf, type Usage } from "../core/usage.ts";

/** 0: no limit. Of a task over its life, of the others in a day. */
export interface TokenLimits {
  readonly task: number;
  readonly caller: number;
  /** All people we do not know together. */
  readonly unpaired: number;
}

/** Whose day it counts for where no turn says so: that of the sandbox's one caller, or of all its people together. */
export function payerOf({ key, pairing }: Pick<SandboxScope, "key" | "pairing">): string {
  return pairing === null ? key : `p:${pairing}`;
}

/** By a caller's id. */
export function payerOfCaller(id: string): string {
  return id.startsWith("p:") ? id : unpaired;
}

/** The key of the sandbox that all people we do not know share. */
const unpaired = "anonymous";

export interface Spent {
  readonly payer: string;
  readonly today: Usage;
  /** Undefined: no task has been at work. */
  readonly task: Usage | undefined;
}

export interface OverTokens {
  /** What is over: this task only, or all that is done for its caller today. */
  readonly is: keyof TokenLimits;
  /** For the person, and for the agent. */
  readonly sentence: string;
  /** For the audit. */
  readonly why: string;
}

/** The limit that is reached. What is under way is let finish, so a limit is passed by what was asked at once. */
export function overTokens(limits: TokenLimits, spent: Spent): OverTokens | undefined {
  const { payer, today, task } = spent;
  const ofDay = payer === unpaired ? "unpaired" : "caller";
  if (isReached(limits[ofDay], today)) return over(ofDay, limits);
  return task && isReached(limits.task, task) ? over("task", limits) : undefined;
}

export function dayLimitOf(limits: TokenLimits, payer: string): number {
  return payer === unpaired ? limits.unpaired : limits.caller;
}

function isReached(limit: number, used: Usage): boolean {
  return limit > 0 && tokensOf(used) >= limit;
}

const sentences: Readonly<Record<keyof TokenLimits, (limit: string) => string>> = {
  task: (limit) => `This task has used its ${limit} tokens.`,
  caller: (limit) =>
    `You have used your ${limit} tokens of today. The next day begins at midnight UTC.`,
  unpaired: (limit) =>
    `People I do not know have used the ${limit} tokens that they have in a day together. The next day begins at midnight UTC.`,
};

function over(is: keyof TokenLimits, limits: TokenLimits): OverTokens {
  const limit = limits[is];
  const more = `The owner can allow more: \`sallyport config set budgets.tokens.${is} N\`.`;
  const sentence = `${sentences[is](thousands(limit))} ${more}`;
  return { is, sentence, why: `budgets.tokens.${is} is ${limit}` };
}

/**
 * Where the API does not say, what was sent is taken for a token each four bytes, and what came back, mostly envelopes
 * of a stream, for one each 64: else an agent that asks for no count would have no budget. So is what came back of an
 * answer that was left before its end, where the API says last what it counted.
 */
export function usageOf(use: ModelUse): Usage {
  const { bytesIn, bytesOut, inputTokens, outputTokens, complete } = use;
  const counted = inputTokens !== undefined || outputTokens !== undefined;
  const rest = complete ? 0 : Math.max(0, Math.ceil(bytesOut / 64) - (outputTokens ?? 0));
  return {
    requests: 1,
    bytesIn,
    bytesOut,
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    uncounted: counted ? 0 : 1,
    guessedTokens: counted ? rest : Math.ceil(bytesIn / 4 + bytesOut / 64),
  };
}
