// The log: pino, redacted twice (known fields, and whatever looks like a token), as JSON or as lines for people.
import { pino, stdSerializers } from "pino";
import type { Log } from "../core/log.ts";
import { visibleLine } from "../core/visible.ts";

export interface LogOptions {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly pretty: boolean;
  write(line: string): void;
  /** Values that must never be written. */
  secrets(): readonly string[];
}

const hidden = ["token", "authorization", "cookie", "secret", "password", "code"];
const tokenForms =
  /\b(?:bot)?\d{6,12}:[A-Za-z0-9_-]{30,}|\ba2(?:p_|rn\.)[A-Za-z0-9_-]{20,}|\b(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}|\bsk-[A-Za-z0-9_-]{20,}/g;

export function redactText(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length >= 6);
  const once = known.reduce((line, secret) => line.replaceAll(secret, "[hidden]"), text);
  return once.replace(tokenForms, "[hidden]");
}

export function createLog({ level, pretty, write, secrets }: LogOptions): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: stdSerializers.err },
      redact: { paths: hidden.flatMap((name) => [name, `*.${name}`]), censor: "[hidden]" },
    },
    {
      write(line: string) {
        const clean = redactText(line, secrets());
        write(pretty ? `${prettyLine(clean)}\n` : clean);
      },
    },
  );
}

function prettyLine(json: string): string {
  const { level, time, msg, error, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const clock = new Date(String(time)).toTimeString().slice(0, 8);
  const details = Object.entries(fields).map(([key, value]) => `${key}=${plain(value)}`);
  const why = (error as { message?: unknown } | undefined)?.message;
  const parts = [clock, String(level).padEnd(5), visibleLine(String(msg)), ...details];
  return [...parts, ...(why === undefined ? [] : [`(${visibleLine(String(why))})`])].join(" ");
}

function plain(value: unknown): string {
  return visibleLine(typeof value === "string" ? value : JSON.stringify(value));
}
