// Times, sizes and states as people read them.
// @ts-check

/** @param {number} at @param {number} now */
export function clock(at, now) {
  const date = new Date(at);
  const time = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  if (date.toDateString() === new Date(now).toDateString()) return time;
  const day = date.toLocaleDateString([], { day: "numeric", month: "short" });
  return `${day}, ${time}`;
}

/** @param {number} at @param {number} now */
export function shortTime(at, now) {
  return clock(at, now).split(", ")[0] ?? "";
}

/** @param {number} ms */
export function elapsed(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/** @param {number} at @param {number} now */
export function ago(at, now) {
  const seconds = Math.floor((now - at) / 1000);
  if (seconds <= -10) return `in ${span(-seconds)}`;
  return seconds < 10 ? "just now" : `${span(seconds)} ago`;
}

/** @param {number} seconds */
function span(seconds) {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

/** @param {number} size */
export function bytes(size) {
  if (size < 1000) return `${size} B`;
  if (size < 1_000_000) return `${(size / 1000).toFixed(size < 10_000 ? 1 : 0)} kB`;
  return `${(size / 1_000_000).toFixed(1)} MB`;
}

/** The line of the running tool is the last of a message that still grows. @param {string} text */
export function splitTool(text) {
  const match = /(?:^|\n\n)⏳ `([^`\n]*)`$/.exec(text);
  if (!match) return { text, tool: "" };
  return { text: text.slice(0, match.index), tool: match[1] ?? "" };
}

/** @type {Readonly<Record<import("../../core/words.ts").TaskState, string>>} */
export const taskWords = {
  submitted: "queued",
  working: "working",
  "input-required": "waiting for an answer",
  "auth-required": "waiting for a sign-in",
  completed: "done",
  failed: "failed",
  canceled: "stopped",
  rejected: "refused",
};

/** @param {import("../../core/words.ts").TaskState} state */
export function isOpen(state) {
  return ["submitted", "working", "input-required", "auth-required"].includes(state);
}
