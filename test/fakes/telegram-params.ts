// Reads a call's parameters: JSON bodies hold values, forms and uploads hold strings of the same values.
import { badRequest, type Params } from "./telegram-types.ts";

export function intParam(params: Params, name: string): number | undefined {
  const value = params[name];
  if (typeof value === "number") return value;
  if (typeof value === "string" && /^-?\d+$/.test(value.trim())) return Number(value);
  return undefined;
}

export function textParam(params: Params, name: string): string | undefined {
  const value = params[name];
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : String(value);
}

export function flagParam(params: Params, name: string): boolean {
  const value = params[name];
  return value === true || value === "true" || value === "True" || value === "1" || value === 1;
}

/** An object or array, given as such or as its JSON text. */
export function jsonParam(params: Params, name: string): unknown {
  const value = params[name];
  if (typeof value !== "string") return value ?? undefined;
  if (value === "") return undefined;
  try {
    return JSON.parse(value);
  } catch {
    throw badRequest(`can't parse ${name.replaceAll("_", " ")} JSON object`);
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
