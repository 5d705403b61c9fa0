// The one state and who hears of its changes.
// @ts-check
import { reduce } from "./state.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Action} Action */

/**
 * @typedef {object} Store
 * @property {() => State} state
 * @property {(action: Action) => void} dispatch
 * @property {(values: Partial<State>) => void} set
 */

/** @param {State} first @param {(state: State) => void} changed @returns {Store} */
export function createStore(first, changed) {
  let state = first;
  const dispatch = (/** @type {Action} */ action) => {
    const next = reduce(state, action);
    if (next === state) return;
    state = next;
    changed(state);
  };
  return { state: () => state, dispatch, set: (values) => dispatch({ is: "set", values }) };
}

/**
 * One run at a time: asked for again meanwhile, it runs once more afterwards. A burst of asking is one run.
 * @param {() => Promise<void>} run @param {number} wait ms
 */
export function gathered(run, wait) {
  let wanted = false;
  /** @type {Promise<void> | null} */
  let going = null;
  const turn = async () => {
    while (wanted) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      wanted = false;
      await run();
    }
    going = null;
  };
  return () => {
    wanted = true;
    going ??= turn();
    return going;
  };
}
