// The chat page: conversations beside the messages of one, and panels over both.
// @ts-check
import { html } from "../html.js";
import { chatOf, talkAt } from "../state.js";
import { elapsed, splitTool } from "../words.js";
import { composer } from "./composer.js";
import { conversations, openList, readOnlyNote } from "./list.js";
import { panel } from "./panels.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../actions.js").Act} Act */

/** @param {State} state @param {Act} act @param {(state: State) => any} log */
export function chatPage(state, act, log) {
  const chat = chatOf(state.place);
  const drop = (/** @type {DragEvent} */ event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    if (chat) act.attach(chat, event.dataTransfer.files);
  };
  return html`<div class=${state.listOpen ? "frame list-open" : "frame"}>
    <a class="skip" href="#main" onClick=${skip}>Skip to the messages</a>
    ${conversations(state, act)}
    <main id="main" tabindex="-1" onDragOver=${allowFiles} onDrop=${drop}>
      ${header(state, act)}
      ${banner(state, act)}
      ${log(state)}
      <div class="below" id="below" tabindex="-1" data-holds>
        ${work(state, act)}
        ${chat ? composer(state, act, chat) : readOnlyNote(state)}
      </div>
    </main>
    ${panel(state, act)}
  </div>`;
}

/** The address names the conversation, so the link must not change it. @param {Event} event */
function skip(event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

/** @param {DragEvent} event */
function allowFiles(event) {
  if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
}

/** @param {State} state @param {Act} act */
function header(state, act) {
  const { conversation } = talkAt(state, state.place);
  const waiting = state.approvals?.length ?? 0;
  return html`<header class="bar">
    <button class="only-narrow icon" onClick=${() => openList(act)} aria-expanded=${state.listOpen}
      aria-controls="list" id="open-list"><span aria-hidden="true">☰</span><span class="unseen">Conversations</span></button>
    <div class="bar-title"><h1>${conversation?.title || (conversation ? "Conversation" : "New chat")}</h1>
      ${conversation && html`<p class="quiet">${conversation.channel}${conversation.whose ? ` · ${conversation.whose}` : ""}</p>`}
    </div>
    <button id="open-approvals" class=${waiting > 0 ? "counted has" : "counted"} onClick=${() => act.show("approvals")}>
      Approvals${waiting > 0 && html` <span class="count">${waiting}</span>`}</button>
    <button id="open-tasks" onClick=${() => act.show("tasks")}>Tasks</button>
    <button id="open-me" class="wide-only" onClick=${() => act.show("me")}>${state.me?.name ?? "Me"}</button>
  </header>`;
}

/** @param {State} state @param {Act} act */
function banner({ line, problem }, act) {
  const lost = {
    lost: "The connection was lost. Trying again …",
    over: "This session is over.",
    open: "",
    opening: "",
  }[line];
  return html`<div class="banners">
    <div role="status">${lost && html`<p class="banner">${lost}</p>`}</div>
    <div role="alert">${problem && html`<p class="banner bad">${problem} <button onClick=${act.dismiss}>Close</button></p>`}</div>
  </div>`;
}

/** @param {State} state @param {Act} act */
function work(state, act) {
  const talk = talkAt(state, state.place);
  const chat = chatOf(state.place);
  const busy = talk.work ?? null;
  const queued =
    talk.place !== null
      ? `Waiting for a free place: ${talk.place === 1 ? "next" : `number ${talk.place}`}`
      : "";
  const typing = talk.typingUntil > state.now ? "Working" : "";
  const lost = state.line === "lost";
  const last = busy
    ? { working: "Working", waiting: "Waiting for an answer", stopping: "Stopping" }[busy.state]
    : queued || typing;
  const words = lost && last ? `Before the connection was lost: ${last}` : last;
  const tool = busy?.state === "working" ? runningTool(talk.entries) : "";
  return html`<div class="work">
    <p class="unseen" role="status">${words}</p>
    ${
      words &&
      html`<p class=${`work-line ${busy?.state ?? ""}`}>
      ${busy?.state !== "waiting" && !lost && html`<span class="dots" aria-hidden="true"><i></i><i></i><i></i></span>`}
      <span aria-hidden="true">${words}</span>
      ${busy && !lost && html`<span class="elapsed">${elapsed(Math.max(state.now, busy.startedAt) - busy.startedAt)}</span>`}
      ${tool && html`<code class="tool-now">${tool}</code>`}
      ${chat && (busy || queued) && busy?.state !== "stopping" && html`<button class="stop" onClick=${() => act.stop(chat)}>Stop</button>`}
    </p>`
    }
  </div>`;
}

/** @param {readonly import("../../../core/page.ts").Entry[]} entries */
function runningTool(entries) {
  const last = entries.findLast(({ is }) => is === "posted");
  return last?.is === "posted" ? splitTool(last.text).tool : "";
}
