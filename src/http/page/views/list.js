// The conversations of every channel, and the note under one that is only to be read here.
// @ts-check
import { hashOfPlace } from "../actions.js";
import { html } from "../html.js";
import { chatOf, placeOfRow, talkAt } from "../state.js";
import { shortTime } from "../words.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../actions.js").Act} Act */

const states = { idle: "", working: "working", waiting: "waiting", queued: "queued" };

/** @param {State} state @param {Act} act */
export function conversations(state, act) {
  const rows = state.conversations ?? [];
  const fresh =
    chatOf(state.place) !== null && !rows.some((row) => placeOfRow(row) === state.place);
  const leave = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape" && state.listOpen) closeList(act);
  };
  return html`<nav class="list" id="list" aria-label="Conversations" onKeyDown=${leave}>
    <div class="list-head">
      <p class="brand"><span class="mark" aria-hidden="true"></span>Sallyport</p>
      <button class="only-narrow icon" id="close-list" onClick=${() => closeList(act)}><span aria-hidden="true">✕</span><span class="unseen">Close the conversations</span></button>
    </div>
    <button class="new" onClick=${() => newChat(act)}>New chat</button>
    <ul class="plain-list rows">
      ${
        fresh &&
        html`<li key="fresh"><a class="row" aria-current="page" href="#main" onClick=${same(act)}>
        <span class="row-title">New chat</span><span class="row-meta"><span class="channel">web</span></span></a></li>`
      }
      ${rows.map((row) => item(row, state, act))}
    </ul>
    ${rows.length === 0 && !fresh && html`<p class="quiet">No conversations yet.</p>`}
    <div class="list-foot">
      <button onClick=${() => act.show("me")}>${state.me?.name ?? "Me"}</button>
      ${state.me?.operator && html`<a class="button" href="/operator">Operator</a>`}
    </div>
  </nav>`;
}

/** @param {import("../../../core/page.ts").ConversationRow} row @param {State} state @param {Act} act */
function item(row, state, act) {
  const place = placeOfRow(row);
  const current = place === state.place;
  const open = (/** @type {MouseEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    act.go(place);
    document.getElementById(chatOf(place) ? "message" : "main")?.focus();
  };
  return html`<li key=${place}><a class="row" href=${hashOfPlace(place)}
      aria-current=${current ? "page" : undefined} onClick=${open}>
    <span class="row-title">${row.title || "Without a title"}</span>
    <span class="row-meta">
      <span class="channel">${row.channel}</span>
      ${row.kind === "group" && html`<span>group</span>`}
      ${row.whose && html`<span class="whose">${row.whose}</span>`}
      ${row.state !== "idle" && html`<span class=${`state ${row.state}`}>${states[row.state]}</span>`}
      <time class="row-time">${shortTime(row.lastAt, state.now)}</time>
    </span>
  </a></li>`;
}

/** @param {Act} act */
const same = (act) => (/** @type {Event} */ event) => {
  event.preventDefault();
  act.list(false);
  document.getElementById("message")?.focus();
};

/** @param {Act} act */
function newChat(act) {
  act.newChat();
  // Once the box of the new chat is there.
  setTimeout(() => document.getElementById("message")?.focus(), 50);
}

/** @param {Act} act */
export function openList(act) {
  act.list(true);
  // Once it can be seen: what it covers must not keep the focus.
  setTimeout(() => document.getElementById("close-list")?.focus(), 50);
}

/** @param {Act} act */
function closeList(act) {
  act.list(false);
  document.getElementById("open-list")?.focus();
}

/** @param {State} state */
export function readOnlyNote(state) {
  const row = talkAt(state, state.place).conversation;
  if (!row) return null;
  const where = row.kind === "group" ? `the group on ${row.listener}` : row.listener;
  return html`<p class="read-only">${
    row.whose
      ? `This is ${row.whose}’s conversation on ${row.channel}: you can read it here, and answer its questions under Approvals.`
      : row.listener === "web"
        ? "This conversation was set aside: send /resume in a chat of yours to go on with it."
        : `This conversation is on ${row.channel}. Answer in ${where}; questions can also be answered under Approvals.`
  }</p>`;
}
