// Starts the page: the path decides what it is, the address what it shows, and every change draws it anew.
// @ts-check
import { render } from "preact";
import { createActions, hashOfPlace, placeOfHash } from "./actions.js";
import { firstState, talkAt } from "./state.js";
import { createStore } from "./store.js";
import { createPage } from "./views/page.js";

const page = pageOf(location.pathname);
const root = /** @type {HTMLElement} */ (document.getElementById("app"));
root.textContent = "";

let asked = false;
const store = createStore(firstState(page), () => {
  // Many changes at once are one drawing.
  if (asked) return;
  asked = true;
  setTimeout(drawSoon, 0);
});
const act = createActions(store);
const view = createPage(act);

function drawSoon() {
  asked = false;
  draw();
}

let standing = "loading";

/** Whoever had the focus on something that is gone finds it on what held it, or on the heading of what came instead. */
function draw() {
  const holders = holdersOf(document.activeElement);
  const state = store.state();
  const ended = standing === "in" && state.standing === "stranger";
  standing = state.standing;
  document.title = titleOf(state);
  render(view(state), root);
  if (document.activeElement !== document.body) return;
  if (ended) document.getElementById("stranger")?.focus();
  else holders.find((each) => each.isConnected)?.focus();
}

/** The nearest first. @param {Element | null} focused @returns {HTMLElement[]} */
function holdersOf(focused) {
  /** @type {HTMLElement | null | undefined} */
  const holder = focused?.closest("[data-holds]");
  return holder ? [holder, ...holdersOf(holder.parentElement)] : [];
}

/** @param {import("./state.js").State} state */
function titleOf({ page, approvals, standing }) {
  const open = standing === "in" && page === "chat" ? (approvals?.length ?? 0) : 0;
  const name = { chat: "", pair: "Pair · ", operator: "Operator · ", hitl: "Question · " }[page];
  return `${open > 0 ? `(${open}) ` : ""}${name}Sallyport`;
}

/** @param {string} path @returns {import("./state.js").State["page"]} */
function pageOf(path) {
  if (path === "/pair") return "pair";
  if (path === "/operator") return "operator";
  return path.startsWith("/hitl/") ? "hitl" : "chat";
}

/** A link is used up at once and leaves the address, so that it stays in no history. */
async function followLink() {
  const link = /^#link=(.+)$/.exec(location.hash)?.[1];
  if (!link) return;
  history.replaceState(null, "", location.pathname);
  await act.signIn({ link: decodeURIComponent(link) });
}

async function start() {
  draw();
  if (page === "pair") return store.set({ standing: "in" });
  if (page === "hitl")
    return act.look(decodeURIComponent(location.pathname.slice("/hitl/".length)));
  await followLink();
  store.set({ place: placeOfHash(location.hash) ?? "" });
  await act.start();
  const { place } = store.state();
  // So that going back from the next one leads here.
  if (page === "chat" && place) history.replaceState(null, "", hashOfPlace(place));
}

window.addEventListener("hashchange", () => {
  if (location.hash.startsWith("#link=")) return location.reload();
  const place = placeOfHash(location.hash);
  if (place && page === "chat") act.open(place);
});

/** Elapsed times run by the second while something goes on, else only now and then. */
setInterval(() => {
  const state = store.state();
  const now = Date.now();
  const talk = talkAt(state, state.place);
  const lively = talk.work !== null || talk.typingUntil > state.now;
  if (!document.hidden && (lively || now - state.now > 30_000)) store.set({ now });
}, 1000);

void start();
