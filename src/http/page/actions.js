// What a person can do on the page, in one place: the views call these and nothing else.
// @ts-check
import { createAnswering } from "./answering.js";
import { get, post, randomId, upload } from "./api.js";
import { createLoading, firstPlace } from "./loading.js";
import { createSending } from "./sending.js";
import { placeOfChat } from "./state.js";
import { createStream } from "./stream.js";
import { bytes } from "./words.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./state.js").Place} Place */
/** @typedef {ReturnType<typeof createActions>} Act */

/** @param {Store} store */
export function createActions(store) {
  const signedOut = () => {
    stream.end();
    store.set({ standing: "stranger", line: "over", panel: null });
  };
  const loading = createLoading(store, signedOut);
  const sending = createSending(store, signedOut);
  const answering = createAnswering(store, () => {
    void (store.state().page === "operator" ? loading.operator() : loading.approvals());
  });
  const stream = createStream({
    event: (event) => {
      store.set({ now: Date.now() });
      store.dispatch({ is: "event", event });
      if (event.type === "changed") loading.changed(event);
      if (event.type === "reset") loading.all();
      if (event.type === "said") sending.settle();
      if (event.type === "bye") {
        stream.end();
        void welcome(store, signedOut);
      }
    },
    lost: () => {
      if (store.state().line !== "over") store.set({ line: "lost" });
    },
    opened: (whole) => {
      if (!whole) store.dispatch({ is: "gap" });
      store.set({ line: "open" });
      loading.all();
      sending.retry();
    },
    welcome: () => welcome(store, signedOut),
  });
  return {
    ...answering,
    ...places(store, loading),
    ...writing(store, sending),
    ...signing(store),
    start: async () => {
      if (!(await welcome(store, signedOut))) return;
      if (store.state().page === "chat") {
        await loading.conversations();
        store.set({ place: store.state().place || firstPlace(store) });
        sending.restore();
      }
      loading.all();
      stream.start();
    },
    retry: sending.retry,
    async stopTask(/** @type {string} */ id) {
      const reply = await post(`/api/tasks/${encodeURIComponent(id)}/stop`);
      if (!reply.ok) store.set({ problem: reply.problem });
      void (store.state().page === "operator" ? loading.operator() : loading.tasks());
    },
  };
}

/** Who am I? False: nobody, and the page says so. @param {Store} store @param {() => void} signedOut */
async function welcome(store, signedOut) {
  const reply = await get("/api/me");
  if (reply.ok) store.set({ me: /** @type {any} */ (reply.value), standing: "in" });
  else if (reply.status === 401 || reply.status === 403) signedOut();
  else if (store.state().me === null) {
    // Not reached: the page that was just loaded is tried again until it is.
    store.set({ problem: reply.problem });
    await new Promise((resolve) => setTimeout(resolve, 2000));
    return welcome(store, signedOut);
  }
  return store.state().standing === "in";
}

/** @param {Store} store @param {ReturnType<typeof createLoading>} loading */
function places(store, loading) {
  const open = (/** @type {Place} */ place) => {
    if (place === store.state().place) return store.set({ listOpen: false });
    store.set({ place, listOpen: false, away: false, problem: "" });
    void loading.talk(place);
  };
  return {
    open,
    /** Into the address, so that it can be gone back to. @param {Place} place */
    go(place) {
      location.hash = hashOfPlace(place);
      open(place);
    },
    newChat() {
      this.go(placeOfChat(`${store.state().me?.chat}.${randomId(12)}`));
    },
    earlier: loading.earlier,
    show(/** @type {import("./state.js").Panel} */ panel) {
      store.set({ panel });
      if (panel === "tasks") void loading.tasks();
      if (panel === "approvals") void loading.approvals();
    },
    hide: () => store.set({ panel: null }),
    list: (/** @type {boolean} */ listOpen) => store.set({ listOpen }),
    scrolled: (/** @type {boolean} */ away) => {
      if (store.state().away !== away) store.set({ away });
    },
    dismiss: () => store.set({ problem: "" }),
  };
}

/** @param {Store} store @param {ReturnType<typeof createSending>} sending */
function writing(store, sending) {
  const attach = async (/** @type {string} */ chat, /** @type {File} */ file) => {
    const key = randomId(8);
    const most = store.state().me?.fileMost ?? 0;
    const large = file.size > most ? `larger than ${bytes(most)}, the most that may be sent` : "";
    const entry = { key, name: file.name || "file", size: file.size, sent: 0 };
    store.dispatch({ is: "attach", chat, file: large ? { ...entry, problem: large } : entry });
    if (large) return;
    const values = (/** @type {Partial<import("./state.js").Attached>} */ values) =>
      store.dispatch({ is: "attached", chat, key, values });
    const reply = await upload(file, (sent) => values({ sent }));
    values(reply.ok ? { sent: 1, id: reply.value.id } : { problem: reply.problem });
  };
  return {
    draft: (/** @type {string} */ chat, /** @type {string} */ text) =>
      store.dispatch({ is: "draft", chat, text }),
    attach: (/** @type {string} */ chat, /** @type {Iterable<File>} */ files) => {
      for (const file of files) void attach(chat, file);
    },
    detach: (/** @type {string} */ chat, /** @type {string} */ key) =>
      store.dispatch({ is: "detach", chat, key }),
    /** What is written and attached, whole or not at all. @param {string} chat */
    send(chat) {
      const { drafts, attached } = store.state();
      const text = (drafts[chat] ?? "").trim();
      const files = attached[chat] ?? [];
      const up = files.flatMap(({ id, name, size }) => (id ? [{ id, name, size }] : []));
      if (up.length < files.length || (text === "" && up.length === 0)) return;
      sending.say(chat, text, up);
      store.dispatch({ is: "draft", chat, text: "" });
      store.dispatch({ is: "detach", chat });
    },
    stop: (/** @type {string} */ chat) => sending.say(chat, "/stop"),
    /** Back into the box: nothing that was written is lost. @param {import("./state.js").Outgoing} message */
    takeBack(message) {
      const { chat, id, text } = message;
      const draft = store.state().drafts[chat];
      store.dispatch({ is: "draft", chat, text: draft ? `${text}\n${draft}` : text });
      sending.discard(id);
    },
    discard: sending.discard,
  };
}

/** @param {Store} store */
function signing(store) {
  /** @param {import("../../core/page.ts").SignIn} by */
  const signIn = async (by) => {
    store.set({ busy: true, problem: "" });
    const reply = await post("/sign-in", by);
    store.set({ busy: false, problem: reply.ok ? "" : reply.problem });
    return reply.ok;
  };
  return {
    signIn,
    async pair(/** @type {string} */ code) {
      if (code.trim() && (await signIn({ code: code.trim() }))) location.assign("/");
    },
    async signOut() {
      const reply = await post("/sign-out");
      if (!reply.ok && reply.status !== 401) return store.set({ problem: reply.problem });
      sessionStorage.clear();
      location.assign("/");
    },
  };
}

/** @param {Place} place */
export function hashOfPlace(place) {
  const [kind, ...id] = place.split(":");
  return `#${kind}=${encodeURIComponent(id.join(":"))}`;
}

/** The place that the address names. @param {string} hash */
export function placeOfHash(hash) {
  const match = /^#(chat|conversation)=([^&]+)$/.exec(hash);
  if (!match) return null;
  try {
    return `${match[1]}:${decodeURIComponent(match[2] ?? "")}`;
  } catch {
    return null;
  }
}
