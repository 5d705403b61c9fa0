// The bounds of everything an agent may take: time, memory, noise. Tests pass smaller ones.

export interface AgentLimits {
  /** From spawn to the answer of initialize; also for opening a session. */
  readonly startMs: number;
  /** From session/cancel to the end of the turn; then the process is killed. */
  readonly cancelMs: number;
  /** Without a sign while neither a question is open nor a tool call runs. */
  readonly silentMs: number;
  /** One tool call, not counting the time a question is open. */
  readonly toolMs: number;
  /** Without a turn; then the process is ended. */
  readonly idleMs: number;
  readonly lineBytes: number;
  /** Text of one turn; what is over is cut with a note. */
  readonly textChars: number;
  /** What one turn may make us hold at once: tool calls with their diffs, and events nobody has read yet. */
  readonly heldChars: number;
  /** Of one file that it sends. */
  readonly fileBytes: number;
  /** Files of one turn. */
  readonly files: number;
  /** All files of one turn together. */
  readonly filesBytes: number;
  readonly openTools: number;
  readonly openQuestions: number;
  /** Lines in a row that are no messages. */
  readonly junkLines: number;
  /** Live sessions of one process; the longest unused is forgotten. */
  readonly sessions: number;
}

export const defaultLimits: AgentLimits = {
  startMs: 60_000,
  cancelMs: 10_000,
  silentMs: 10 * 60_000,
  toolMs: 60 * 60_000,
  idleMs: 15 * 60_000,
  lineBytes: 16 * 1024 * 1024,
  textChars: 8 * 1024 * 1024,
  heldChars: 64 * 1024 * 1024,
  fileBytes: 20_000_000,
  files: 10,
  filesBytes: 40_000_000,
  openTools: 500,
  openQuestions: 64,
  junkLines: 10,
  sessions: 512,
};

/** How often one timer looks at all deadlines. */
export function tickOf(limits: AgentLimits): number {
  const shortest = Math.min(limits.startMs, limits.cancelMs, limits.silentMs, limits.idleMs);
  return Math.max(10, Math.min(1000, shortest / 4));
}

export function inWords(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  const [value, unit] =
    ms < 120_000 ? [Math.round(ms / 1000), "second"] : [Math.round(ms / 60_000), "minute"];
  return `${value} ${unit}${value === 1 ? "" : "s"}`;
}
