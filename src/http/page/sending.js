// Messages on their way: in order, each with one id however often it is tried, kept over a reload until the chat has it.
// @ts-check
import { post, randomId } from "./api.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./state.js").Outgoing} Outgoing */

const shelf = "sallyport-unsent";
const slowest = 15_000;

/** @param {Store} store @param {() => void} signedOut */
export function createSending(store, signedOut) {
  const pump = createPump(store, signedOut);
  return {
    /** @param {string} chat @param {string} text @param {Outgoing["files"]} [files] */
    say(chat, text, files = []) {
      const id = randomId(22);
      // Behind another it waits for that one.
      const state = waiting(store) ? "unsent" : "sending";
      /** @type {Outgoing} */
      const message = { id, chat, text, files, at: Date.now(), state };
      store.dispatch({ is: "queue", message });
      keep(store);
      void pump.run();
    },
    /** There is hope again: do not wait any longer. */
    retry: pump.hurry,
    /** @param {string} id */
    discard(id) {
      store.dispatch({ is: "unqueue", id });
      keep(store);
    },
    /** What an earlier load of this page left. */
    restore() {
      for (const message of kept()) store.dispatch({ is: "queue", message });
      void pump.run();
    },
    settle: () => keep(store),
  };
}

/** One message at a time, so that they arrive in order. @param {Store} store @param {() => void} signedOut */
function createPump(store, signedOut) {
  let running = false;
  let wait = 1000;
  /** @type {(() => void) | null} */
  let wake = null;
  const change = (/** @type {string} */ id, /** @type {Partial<Outgoing>} */ values) => {
    store.dispatch({ is: "queued", id, values });
    keep(store);
  };
  const pause = () =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, wait);
      wait = Math.min(slowest, wait * 2);
      wake = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
  const run = async () => {
    if (running) return;
    running = true;
    for (let next = waiting(store); next; next = waiting(store)) {
      change(next.id, { state: "sending" });
      const { stranger, ...values } = await offer(next);
      change(next.id, values);
      if (values.state === "taken") wait = 1000;
      if (values.state === "unsent" && stranger) break;
      if (values.state === "unsent") await pause();
    }
    running = false;
    if (waiting(store)) signedOut();
  };
  const hurry = () => {
    wake?.();
    void run();
  };
  return { run, hurry };
}

/** @param {Store} store */
function waiting(store) {
  return store.state().outgoing.find(({ state }) => state === "sending" || state === "unsent");
}

/** @param {Outgoing} message @returns {Promise<{state: "taken" | "unsent" | "refused", stranger?: boolean, problem?: string}>} */
async function offer({ id, chat, text, files }) {
  const body = files.length > 0 ? { files: files.map((file) => file.id) } : {};
  const reply = await post("/api/messages", { id, chat, text, ...body });
  if (reply.ok) return { state: "taken" };
  if (reply.status === 401) return { state: "unsent", stranger: true };
  const again = reply.status === 0 || reply.status === 429 || reply.status >= 500;
  return again ? { state: "unsent" } : { state: "refused", problem: reply.problem };
}

/** Of this tab only, and gone with it. @param {Store} store */
function keep(store) {
  try {
    const unsent = store.state().outgoing.filter(({ state }) => state !== "taken");
    if (unsent.length === 0) sessionStorage.removeItem(shelf);
    else sessionStorage.setItem(shelf, JSON.stringify(unsent));
  } catch {
    // Without storage a reload loses what was not sent; all else works.
  }
}

/** @returns {Outgoing[]} */
function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(shelf) ?? "[]");
  } catch {
    return [];
  }
}
