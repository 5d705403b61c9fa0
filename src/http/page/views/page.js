// Which view the page is.
// @ts-check
import { chatPage } from "./chat.js";
import { hitl, loading, pair, stranger } from "./front.js";
import { createLog } from "./log.js";
import { operatorPage } from "./operator.js";

/** @param {import("../actions.js").Act} act */
export function createPage(act) {
  const log = createLog(act);
  return (/** @type {import("../state.js").State} */ state) => {
    if (state.page === "hitl") return hitl(state, act);
    if (state.page === "pair") return pair(state, act);
    if (state.standing === "stranger") return stranger(state);
    if (state.standing === "loading") return loading(state);
    if (state.page === "operator") return operatorPage(state, act);
    return chatPage(state, act, log);
  };
}
