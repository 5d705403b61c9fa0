// Presses of buttons and decisions: one id for each however often it is tried, and what came of it.
// @ts-check
import { get, post, randomId } from "./api.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./state.js").Press} Press */

const patience = 20_000;

/** @param {Store} store @param {() => void} decided What is open has changed. */
export function createAnswering(store, decided) {
  return {
    ...createPresses(store),
    /** @param {string} question @param {string} option @param {string} reason */
    async decide(question, option, reason) {
      if (store.state().answers[question]?.state === "sending") return;
      const answer = (/** @type {import("./state.js").Answering} */ answering) =>
        store.dispatch({ is: "answer", question, answering });
      answer({ state: "sending" });
      const body = decision(option, reason);
      const reply = await post(`/api/approvals/${encodeURIComponent(question)}`, body);
      if (reply.ok) answer({ state: "done", note: /** @type {any} */ (reply.value).text });
      else answer({ state: "failed", note: reply.problem });
      decided();
    },
    /** @param {string} token @param {string} option @param {string} reason */
    async decideByLink(token, option, reason) {
      if (store.state().busy) return;
      store.set({ busy: true, problem: "" });
      const path = `/hitl/${encodeURIComponent(token)}`;
      const reply = await post(path, decision(option, reason));
      store.set({ busy: false, problem: reply.ok ? "" : reply.problem });
      await this.look(token);
    },
    /** @param {string} token */
    async look(token) {
      const reply = await get(`/api/hitl/${encodeURIComponent(token)}`);
      if (reply.ok) store.set({ hitl: /** @type {any} */ (reply.value), standing: "in" });
      else store.set({ problem: store.state().problem || reply.problem, standing: "in" });
    },
  };
}

/** @param {Store} store */
function createPresses(store) {
  const show = (/** @type {string} */ message, /** @type {Press | null} */ press) =>
    store.dispatch({ is: "press", message, press });

  /** @param {string} chat @param {string} message @param {Press} press */
  const offer = async (chat, message, press) => {
    show(message, { ...press, state: "sending" });
    const reply = await post("/api/presses", { id: press.id, chat, message, data: press.data });
    const current = store.state().presses[message];
    if (current?.id !== press.id || current.state === "answered") return;
    if (reply.ok) {
      show(message, { ...press, state: "taken" });
      setTimeout(() => giveUp(message, press.id), patience);
      return;
    }
    show(message, { ...press, state: "unsent", notice: reply.problem });
  };

  const giveUp = (/** @type {string} */ message, /** @type {string} */ id) => {
    const press = store.state().presses[message];
    if (press?.id !== id || press.state !== "taken") return;
    show(message, {
      ...press,
      state: "answered",
      notice: "No answer came yet. You may press again.",
    });
  };

  return {
    /** The same button after a failure is the same press. @param {string} chat @param {string} message @param {string} data */
    press(chat, message, data) {
      const before = store.state().presses[message];
      if (before?.state === "sending" || before?.state === "taken") return;
      const same = before?.state === "unsent" && before.data === data;
      void offer(chat, message, { id: same ? before.id : randomId(22), data, state: "sending" });
    },
  };
}

/** @param {string} option @param {string} reason */
function decision(option, reason) {
  return reason.trim() ? { option, reason: reason.trim() } : { option };
}
