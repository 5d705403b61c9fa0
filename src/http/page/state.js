// Everything the page knows, and how each thing that happens changes it. Pure: the same events give the same state.
// @ts-check
import { dropEntry, emptyTalk, forgetStream, putEntry, takeEarlier, takeHistory } from "./talks.js";

/** @typedef {import("../../core/page.ts").ConversationRow} ConversationRow */
/** @typedef {import("./talks.js").Talk} Talk */

/**
 * A place: `chat:<chat>` is one's own here, `conversation:<id>` one to read.
 * @typedef {string} Place
 *
 * @typedef {object} Attached A file that goes up or did.
 * @property {string} key
 * @property {string} name
 * @property {number} size
 * @property {number} sent From 0 to 1.
 * @property {string} [id] It is up.
 * @property {string} [problem]
 *
 * @typedef {object} Outgoing A message that was not seen in the chat yet.
 * @property {string} id
 * @property {string} chat
 * @property {string} text
 * @property {readonly {id: string, name: string, size: number}[]} files
 * @property {number} at
 * @property {"sending" | "unsent" | "taken" | "refused"} state
 * @property {string} [problem]
 *
 * @typedef {object} Press
 * @property {string} id
 * @property {string} data
 * @property {"sending" | "unsent" | "taken" | "answered"} state
 * @property {string} [notice]
 *
 * @typedef {object} Answering What this page decided, by question.
 * @property {"sending" | "done" | "failed"} state
 * @property {string} [note]
 *
 * @typedef {"loading" | "stranger" | "in"} Standing
 * @typedef {"tasks" | "approvals" | "me"} Panel
 *
 * @typedef {object} State
 * @property {"chat" | "pair" | "operator" | "hitl"} page
 * @property {Standing} standing
 * @property {string} problem Of signing in, or of the whole page.
 * @property {boolean} busy A form of the whole page is on its way.
 * @property {import("../../core/page.ts").Me | null} me
 * @property {"opening" | "open" | "lost" | "over"} line
 * @property {number} now
 * @property {Place} place
 * @property {readonly ConversationRow[] | null} conversations
 * @property {Readonly<Record<Place, Talk>>} talks
 * @property {readonly Outgoing[]} outgoing
 * @property {Readonly<Record<string, string>>} drafts By chat.
 * @property {Readonly<Record<string, readonly Attached[]>>} attached By chat.
 * @property {Readonly<Record<string, Press>>} presses By message.
 * @property {Readonly<Record<string, Answering>>} answers By question.
 * @property {Panel | null} panel
 * @property {boolean} listOpen On a narrow screen.
 * @property {boolean} away Scrolled up.
 * @property {readonly import("../../core/page.ts").TaskRow[] | null} tasks
 * @property {readonly import("../../core/page.ts").ApprovalRow[] | null} approvals
 * @property {import("../../core/page.ts").Operator | null} operator
 * @property {import("../../core/page.ts").Hitl | null} hitl
 */

/**
 * @typedef {{is: "set", values: Partial<State>}
 *   | {is: "event", event: import("../../core/page.ts").WebEvent}
 *   | {is: "gap"}
 *   | {is: "history", place: Place, history: import("../../core/page.ts").History}
 *   | {is: "earlier", place: Place, history: import("../../core/page.ts").History}
 *   | {is: "queue", message: Outgoing}
 *   | {is: "queued", id: string, values: Partial<Outgoing>}
 *   | {is: "unqueue", id: string}
 *   | {is: "draft", chat: string, text: string}
 *   | {is: "attach", chat: string, file: Attached}
 *   | {is: "attached", chat: string, key: string, values: Partial<Attached>}
 *   | {is: "detach", chat: string, key?: string}
 *   | {is: "press", message: string, press: Press | null}
 *   | {is: "answer", question: string, answering: Answering | null}} Action
 */

/** @param {State["page"]} page @returns {State} */
export function firstState(page) {
  return {
    page,
    standing: "loading",
    problem: "",
    busy: false,
    me: null,
    line: "opening",
    now: Date.now(),
    place: "",
    conversations: null,
    talks: {},
    outgoing: [],
    drafts: {},
    attached: {},
    presses: {},
    answers: {},
    panel: null,
    listOpen: false,
    away: false,
    tasks: null,
    approvals: null,
    operator: null,
    hitl: null,
  };
}

/** @param {string} chat @returns {Place} */
export const placeOfChat = (chat) => `chat:${chat}`;

/** @param {ConversationRow} row @returns {Place} */
export const placeOfRow = (row) => (row.chat ? placeOfChat(row.chat) : `conversation:${row.id}`);

/** The chat to post into, if the place is one. @param {Place} place */
export function chatOf(place) {
  return place.startsWith("chat:") ? place.slice(5) : null;
}

/** @param {State} state @param {Place} place @returns {Talk} */
export function talkAt(state, place) {
  return state.talks[place] ?? emptyTalk;
}

/** @param {State} state @param {Action} action @returns {State} */
export function reduce(state, action) {
  switch (action.is) {
    case "set":
      return { ...state, ...action.values };
    case "event":
      return takeEvent(state, action.event);
    case "gap":
      return forgetStreams(state);
    case "history":
      return settle(withTalk(state, action.place, (talk) => takeHistory(talk, action.history)));
    case "earlier":
      return withTalk(state, action.place, (talk) => takeEarlier(talk, action.history));
    case "queue":
    case "queued":
    case "unqueue":
      return { ...state, outgoing: queue(state.outgoing, action) };
    case "draft":
      return { ...state, drafts: { ...state.drafts, [action.chat]: action.text } };
    case "attach":
    case "attached":
    case "detach": {
      const files = attachments(state.attached[action.chat] ?? [], action);
      return { ...state, attached: { ...state.attached, [action.chat]: files } };
    }
    case "press":
      return { ...state, presses: put(state.presses, action.message, action.press) };
    case "answer":
      return { ...state, answers: put(state.answers, action.question, action.answering) };
  }
}

/** @param {State} state @param {import("../../core/page.ts").WebEvent} event @returns {State} */
function takeEvent(state, event) {
  switch (event.type) {
    case "posted":
    case "edited": {
      const { chat, entry } = event;
      return putInChat(closePress(state, entry), chat, (talk) => putEntry(talk, entry));
    }
    case "said":
      return settle(putInChat(state, event.chat, (talk) => putEntry(talk, event.entry)));
    case "removed":
      return putInChat(state, event.chat, (talk) => dropEntry(talk, event.id));
    case "typing":
      return putInChat(state, event.chat, (talk) => ({ ...talk, typingUntil: state.now + 7000 }));
    case "notice": {
      const found = Object.entries(state.presses).find(([, { id }]) => id === event.press);
      if (!found) return state;
      const [message, press] = found;
      const answered = { ...press, state: /** @type {const} */ ("answered"), notice: event.text };
      return { ...state, presses: { ...state.presses, [message]: answered } };
    }
    case "bye":
      return { ...state, line: "over", problem: event.why };
    case "reset":
      return forgetStreams(state);
    default:
      return state;
  }
}

/** Buttons that are gone answer the press. @param {State} state @param {import("../../core/page.ts").Posted} entry */
function closePress(state, entry) {
  const press = state.presses[entry.id];
  if (!press || entry.buttons.length > 0) return state;
  return { ...state, presses: put(state.presses, entry.id, null) };
}

/** @param {State} state @param {string} chat @param {(talk: Talk) => Talk} change */
function putInChat(state, chat, change) {
  return withTalk(state, placeOfChat(chat), change);
}

/** @param {State} state @returns {State} */
function forgetStreams(state) {
  const talks = Object.entries(state.talks).map(([place, talk]) => [place, forgetStream(talk)]);
  return { ...state, talks: Object.fromEntries(talks) };
}

/** @param {State} state @param {Place} place @param {(talk: Talk) => Talk} change @returns {State} */
function withTalk(state, place, change) {
  return { ...state, talks: { ...state.talks, [place]: change(talkAt(state, place)) } };
}

/** What is seen in its chat is no longer on its way. @param {State} state @returns {State} */
function settle(state) {
  const left = state.outgoing.filter(
    ({ id, chat }) =>
      !talkAt(state, placeOfChat(chat)).entries.some((entry) => entry.id === `m-${id}`),
  );
  return left.length === state.outgoing.length ? state : { ...state, outgoing: left };
}

/** @param {State["outgoing"]} outgoing @param {Extract<Action, {is: "queue" | "queued" | "unqueue"}>} action */
function queue(outgoing, action) {
  if (action.is === "queue") return [...outgoing, action.message];
  if (action.is === "unqueue") return outgoing.filter(({ id }) => id !== action.id);
  return outgoing.map((each) => (each.id === action.id ? { ...each, ...action.values } : each));
}

/** @param {readonly Attached[]} files @param {Extract<Action, {is: "attach" | "attached" | "detach"}>} action */
function attachments(files, action) {
  if (action.is === "attach") return [...files, action.file];
  if (action.is === "detach") return files.filter(({ key }) => action.key && key !== action.key);
  return files.map((each) => (each.key === action.key ? { ...each, ...action.values } : each));
}

/** @template T @param {Readonly<Record<string, T>>} all @param {string} key @param {T | null} value */
function put(all, key, value) {
  if (value !== null) return { ...all, [key]: value };
  return Object.fromEntries(Object.entries(all).filter(([each]) => each !== key));
}
