// Asks the gateway. What went wrong is a value; status 0: it was not reached, and may have got it or not.
// @ts-check

/**
 * @template T
 * @typedef {{ok: true, value: T} | {ok: false, status: number, problem: string}} Reply
 */

/** @template T @param {string} path @returns {Promise<Reply<T>>} */
export function get(path) {
  return ask(path, { method: "GET" });
}

/** @template T @param {string} path @param {unknown} [body] @returns {Promise<Reply<T>>} */
export function post(path, body) {
  const headers = { "content-type": "application/json" };
  return ask(
    path,
    body === undefined
      ? { method: "POST" }
      : { method: "POST", headers, body: JSON.stringify(body) },
  );
}

/** @param {string} path @param {RequestInit} init @returns {Promise<Reply<any>>} */
async function ask(path, init) {
  try {
    const signal = AbortSignal.timeout(30_000);
    const response = await fetch(path, { ...init, signal, cache: "no-store" });
    const value = await response.json().catch(() => null);
    if (response.ok && value !== null) return { ok: true, value };
    return { ok: false, status: response.status, problem: problemOf(value, response.status) };
  } catch {
    return { ok: false, status: 0, problem: "The gateway was not reached." };
  }
}

/** @param {any} value @param {number} status */
function problemOf(value, status) {
  if (typeof value?.problem === "string") return value.problem;
  return `The gateway answered ${status}.`;
}

/**
 * fetch tells nothing of what has gone up so far.
 * @param {File} file @param {(part: number) => void} progress
 * @returns {Promise<Reply<import("../../core/page.ts").Uploaded>>}
 */
export function upload(file, progress) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/files?name=${encodeURIComponent(file.name || "file")}`);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const { status, response } = request;
      if (status < 300 && response) resolve({ ok: true, value: response });
      else resolve({ ok: false, status, problem: problemOf(response, status) });
    };
    request.onerror = () =>
      resolve({ ok: false, status: 0, problem: "The gateway was not reached." });
    request.send(file);
  });
}

/** Of the letters that ids may have. @param {number} length */
export function randomId(length) {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return [...bytes].map((byte) => letters[byte % 64]).join("");
}
