// Fetches what is shown, and again when the gateway says that it changed.
// @ts-check
import { get } from "./api.js";
import { chatOf, placeOfChat, placeOfRow, talkAt } from "./state.js";
import { gathered } from "./store.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./state.js").Place} Place */

/** @param {Store} store @param {() => void} signedOut */
export function createLoading(store, signedOut) {
  const load = loader(signedOut);
  const again = { ...lists(store, load), talk: talks(store, load) };
  return {
    ...again,
    earlier: earlierPages(store, load),
    all: () => {
      for (const what of showing(store)) void again[what](store.state().place);
    },
    /** @param {Extract<import("../../core/page.ts").WebEvent, {type: "changed"}>} event */
    changed: (event) => {
      const shown = showing(store);
      for (const what of event.what) if (shown.includes(what)) void again[what]();
      const { place } = store.state();
      if (shown.includes("talk") && concerns(store, event.conversations)) void again.talk(place);
    },
  };
}

/** @typedef {ReturnType<typeof loader>} Load */

/** One at a time: scrolling asks often. @param {Store} store @param {Load} load */
function earlierPages(store, load) {
  let busy = false;
  return async () => {
    const { place } = store.state();
    const first = talkAt(store.state(), place).entries[0];
    if (busy || !first) return;
    busy = true;
    await load(`${pathOf(place)}?before=${first.at}`, (history) =>
      store.dispatch({ is: "earlier", place, history }),
    );
    busy = false;
  };
}

/** @param {() => void} signedOut */
function loader(signedOut) {
  return async (/** @type {string} */ path, /** @type {(value: any) => void} */ use) => {
    const reply = await get(path);
    if (reply.ok) use(reply.value);
    else if (reply.status === 401) signedOut();
    return reply;
  };
}

/** @param {Store} store @param {Load} load */
function lists(store, load) {
  const list = (/** @type {string} */ name, /** @type {number} */ wait) =>
    gathered(async () => {
      await load(`/api/${name}`, (value) =>
        store.set({ [name]: name === "operator" ? value : value[name] }),
      );
    }, wait);
  return {
    conversations: list("conversations", 150),
    tasks: list("tasks", 200),
    approvals: list("approvals", 150),
    operator: list("operator", 300),
  };
}

/** One run at a time for each place. @param {Store} store @param {Load} load */
function talks(store, load) {
  const fetchTalk = async (/** @type {Place} */ place) => {
    const reply = await load(pathOf(place), (history) =>
      store.dispatch({ is: "history", place, history }),
    );
    // The address names a conversation that is not there, or not theirs to see.
    if (!reply.ok && reply.status === 404) store.set({ problem: reply.problem });
  };
  /** @type {Map<Place, () => Promise<void>>} */
  const runs = new Map();
  return (/** @type {Place} */ place) => {
    const run = runs.get(place) ?? gathered(() => fetchTalk(place), 80);
    runs.set(place, run);
    return run();
  };
}

/** @param {Place} place */
function pathOf(place) {
  const chat = chatOf(place);
  if (chat !== null) return `/api/chats/${encodeURIComponent(chat)}`;
  return `/api/conversations/${encodeURIComponent(place.slice("conversation:".length))}`;
}

/** @param {Store} store @returns {("talk" | "conversations" | "tasks" | "approvals" | "operator")[]} */
function showing(store) {
  const { page, panel } = store.state();
  if (page === "operator") return ["operator"];
  if (page !== "chat") return [];
  return [
    "talk",
    "conversations",
    "approvals",
    ...(panel === "tasks" ? [/** @type {const} */ ("tasks")] : []),
  ];
}

/** A chat whose conversation has no id here yet may be any of them. @param {Store} store @param {readonly string[]} ids */
function concerns(store, ids) {
  const { place } = store.state();
  const id = place.startsWith("conversation:")
    ? place.slice(13)
    : talkAt(store.state(), place).conversation?.id;
  return id === undefined ? ids.length > 0 : ids.includes(id);
}

/** Where to begin: the newest chat of one's own here. @param {Store} store */
export function firstPlace(store) {
  const { conversations, me } = store.state();
  const row = conversations?.find(({ chat }) => chat !== null);
  return row ? placeOfRow(row) : placeOfChat(me?.chat ?? "");
}
